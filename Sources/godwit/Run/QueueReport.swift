import TrackerCore
import TrackerIO
import TrackerWire

/// The queue's summary, as JSON between agent and command, and for a person.
enum QueueReport {
  static func json(_ summary: QueueSummary) -> String {
    var json = JSONWriter()
    json.beginObject()
    json.member("records", summary.count)
    json.member("events", summary.events)
    if let oldest_ms = summary.oldest_ms { json.member("oldest", ISO8601.text(ms: oldest_ms)) }
    if let newest_ms = summary.newest_ms { json.member("newest", ISO8601.text(ms: newest_ms)) }
    json.member("quarantined", summary.quarantined)
    json.member("file_bytes", summary.file_bytes)
    json.key("ledger")
    json.beginObject()
    for (cause, records) in summary.ledger.sorted(by: { $0.key < $1.key }) { json.member(cause, records) }
    json.endObject()
    json.endObject()
    return json.text
  }

  /// What opening the queue found that may have cost records, in words for operators.
  static func damage(_ report: QueueOpenReport) -> [String] {
    var words: [String] = []
    if report.wasRemoved {
      let aside = report.setAside.map { ", what lay in its place is \($0)" } ?? ""
      words.append(
        "the queue file was removed or replaced under the running agent: "
          + "\(report.salvaged) records are saved in a new one\(aside)")
    } else if let aside = report.setAside {
      words.append("the queue file was damaged: set aside as \(aside), \(report.salvaged) records salvaged")
    }
    if report.isDatabaseOlder {
      words.append(
        "the queue file is older than its front: the log was removed or an old copy put in place, records may be missing"
      )
    }
    if report.isFrontUnreadable {
      words.append("the storage cannot read a part of the front file: the newest records may be missing")
    }
    if report.isFrontMissing {
      words.append(
        "the front file beside the queue file was removed or emptied: the newest records may be missing")
    }
    if let aside = report.frontSetAside {
      words.append("the front file belongs to another queue: set aside as \(aside)")
    }
    if report.isFrontCut {
      words.append(
        "a part of the front file beside the queue file is gone: the newest records may be missing")
    }
    if let aside = report.otherSetAside {
      words.append("a file beside the queue's others belongs to another queue: set aside as \(aside)")
    }
    if let last = words.last { words[words.count - 1] = last + loss(report) }
    return words
  }

  private static func loss(_ report: QueueOpenReport) -> String {
    let most = report.lostAtMost > 0 ? "at most \(report.lostAtMost) of the newest records are lost" : nil
    guard let lost = report.lost else {
      return "; how many records are lost is not known" + (most.map { ", \($0)" } ?? "")
    }
    if lost == 0 { return "; \(most ?? "no record is lost")" }
    return "; \(lost) records are lost" + (most.map { ", and \($0)" } ?? "")
  }

  static func text(json: String) -> String {
    guard let queue = JSONReader.parse(Array(json.utf8)), let records = queue["records"]?.integer else {
      return json + "\n"
    }
    var lines = ["\(records) records wait for the server, \(queue["events"]?.integer ?? 0) of them events"]
    if let oldest = queue["oldest"]?.string, let newest = queue["newest"]?.string {
      lines.append("from \(oldest) to \(newest)")
    }
    lines.append("\((queue["file_bytes"]?.integer ?? 0) / 1000) kB on storage")
    lines.append("\(queue["quarantined"]?.integer ?? 0) in quarantine, refused by the server one by one")
    if case .object(let ledger)? = queue["ledger"] {
      lines += ledger.map { "\($0.value.integer ?? 0) dropped: \($0.key)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
