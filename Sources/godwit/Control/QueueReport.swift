import TrackerBase
import TrackerIO
import TrackerWire

/// The queue's summary, as JSON between agent and command, and for a person.
enum QueueReport {
  static func json(_ summary: QueueSummary) -> String {
    JSONWriter.object { json in
      json.member("records", summary.count)
      json.member("events", summary.events)
      if let oldest_ms = summary.oldest_ms { json.member("oldest", ISO8601.text(ms: oldest_ms)) }
      if let newest_ms = summary.newest_ms { json.member("newest", ISO8601.text(ms: newest_ms)) }
      json.member("quarantined", summary.quarantined)
      json.member("file_bytes", summary.file_bytes)
      json.object("ledger") { json in
        for (cause, records) in summary.ledger.sorted(by: { $0.key < $1.key }) {
          json.key(cause)
          json.integer(records)
        }
      }
    }
  }

  static func text(json: String) -> String {
    guard let queue = JSONReader.parse(Array(json.utf8)), let records = queue["records"]?.integer else {
      return json + "\n"
    }
    let waiting = counted(records, "record waits", "records wait")
    let events = counted(queue["events"]?.integer ?? 0, "of them an event", "of them events")
    var lines = ["\(waiting) for the server, \(events)"]
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
