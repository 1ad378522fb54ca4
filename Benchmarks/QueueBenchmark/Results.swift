/// Everything that was measured, and how it is reported.
struct Results {
  var records = 0
  var commits = 0
  var removals = 0
  /// For the day; nil where there was no block device to ask.
  var queue: Written?
  var plainDelete: Written?
  var plainWAL: Written?
  /// By how the file system was mounted.
  var otherMounts: [(mount: String, written: Written)] = []
  var liveCommits = 0
  var live: [(mount: String, written: Written)] = []
  var scale: Scale?

  private var rows: [(name: String, value: String, peer: String)] {
    var rows: [(name: String, value: String, peer: String)] = [
      ("day: records / commits / removals", "\(records) / \(commits) / \(removals)", "4396 rows")
    ]
    rows += day("day, at once: this queue", queue, peer: "about 290 MB, 66.8 kB a row")
    for (mount, written) in otherMounts {
      rows += day("day, at once: this queue, mount with \(mount)", written)
    }
    rows += day("day, at once: plain SQLite, DELETE/FULL, a row a transaction", plainDelete)
    rows += day("day, at once: plain SQLite, WAL/FULL, a row a transaction", plainWAL)
    for (mount, written) in live {
      rows.append(liveRow("day, at its own pace (*): mount with \(mount)", written))
    }
    if let scale { rows += scale.rows }
    return rows
  }

  var table: String {
    let rows = [("", "godwit", "geomony")] + rows.map { ($0.name, $0.value, $0.peer) }
    let widths = [rows.map(\.0.count).max() ?? 0, rows.map(\.1.count).max() ?? 0]
    let lines = rows.map { row in
      pad(row.0, widths[0]) + "  " + pad(row.1, widths[1]) + "  " + row.2
    }
    var text = lines.joined(separator: "\n") + "\n"
    if liveCommits > 0 {
      text +=
        "(*) \(liveCommits) commits of a drive, each at its time; the day is its \(commits) commits at that rate\n"
    }
    return text
  }

  var json: String {
    var members = [
      "\"records\":\(records)", "\"commits\":\(commits)", "\"removals\":\(removals)",
      "\"live_commits\":\(liveCommits)",
    ]
    for (name, written) in [("queue", queue), ("plain_delete", plainDelete), ("plain_wal", plainWAL)] {
      members.append("\"\(name)_bytes\":\(written.map { "\($0.bytes)" } ?? "null")")
      members.append("\"\(name)_flushes\":\(written.map { "\($0.flushes)" } ?? "null")")
    }
    for (kind, mounts) in [("queue", otherMounts), ("live", live)] {
      members += mounts.map { "\"\(kind)_bytes_\($0.mount)\":\($0.written.bytes)" }
      members += mounts.map { "\"\(kind)_flushes_\($0.mount)\":\($0.written.flushes)" }
    }
    if let scale { members += scale.members }
    return "{" + members.joined(separator: ",") + "}\n"
  }

  private func day(
    _ name: String, _ written: Written?, peer: String = ""
  ) -> [(name: String, value: String, peer: String)] {
    guard let written else { return [] }
    let (bytes, each) = (Double(written.bytes), Double(written.bytes) / Double(max(1, records)))
    return [
      (
        name, "\(fixed(bytes / 1e6, 2)) MB, \(fixed(each / 1000, 2)) kB a record, \(written.flushes) flushes",
        peer
      )
    ]
  }

  private func liveRow(_ name: String, _ written: Written) -> (name: String, value: String, peer: String) {
    let each = Double(written.bytes) / Double(max(1, liveCommits))
    let day_MB = fixed(each * Double(commits) / 1e6, 2)
    let flushes = fixed(Double(written.flushes) / Double(max(1, liveCommits)), 1)
    return (name, "\(day_MB) MB, \(fixed(each / 1000, 2)) kB and \(flushes) flushes a commit", "")
  }
}

extension Scale {
  var rows: [(name: String, value: String, peer: String)] {
    [
      (
        "CPU a record (commit of 10, removal): empty / \(big) queued",
        "\(fixed(cpuPerRecordEmpty_us, 1)) / \(fixed(cpuPerRecordBig_us, 1)) µs", "grows with history"
      ),
      ("inserts, 1,000 a commit", "\(Int(insertsPerSecond)) records a second", ""),
      (
        "\(drainRecords) records out, in hundreds, events first",
        "\(fixed(drain_s, 1)) s, \(fixed(drainCPU_s, 2)) s of CPU", "90 s, 17.7 s of CPU for 100000"
      ),
      (
        "memory of the process: empty / big queue", "\(residentEmpty_kB) / \(residentBig_kB) kB resident", ""
      ),
      ("opening the big queue (with its check)", "\(fixed(openBig_s, 2)) s", ""),
    ]
  }

  var members: [String] {
    [
      "\"cpu_per_record_empty_us\":\(fixed(cpuPerRecordEmpty_us, 2))",
      "\"cpu_per_record_big_us\":\(fixed(cpuPerRecordBig_us, 2))",
      "\"inserts_per_s\":\(Int(insertsPerSecond))", "\"drain_records\":\(drainRecords)",
      "\"drain_s\":\(fixed(drain_s, 2))", "\"drain_cpu_s\":\(fixed(drainCPU_s, 2))",
      "\"resident_empty_kb\":\(residentEmpty_kB)", "\"resident_big_kb\":\(residentBig_kB)",
      "\"open_big_s\":\(fixed(openBig_s, 2))",
    ]
  }
}

private func pad(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

private func fixed(_ value: Double, _ digits: Int) -> String {
  var scale = 1
  for _ in 0..<digits { scale *= 10 }
  let whole = Int((value * Double(scale)).rounded())
  let fraction = "\(whole % scale)"
  if digits == 0 { return "\(whole)" }
  return "\(whole / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
}
