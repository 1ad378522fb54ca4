import TrackerBase
import TrackerIO
import TrackerWire

/// Answers what the command asks about the queue: in the agent for its socket, and in the command itself when
/// no agent runs.
///
/// An answer is one JSON object, after it the lines of a list. `last` in it is where the next part begins;
/// without it nothing is left. A failure is `{"error":…}`.
struct QueueAnswers {
  let queue: QueueStore
  /// As in `Event`.
  var server = 0
  /// Records that the agent has made and that are not on storage, in sequence.
  var memory: [Record] = []

  /// About 100 kB of JSON, and a few hundredths of a second on a small board.
  static let page = 256
  /// Rows that are looked at, and at most deleted, in one step: about 150 kB of the log.
  static let step = 2048

  func answer(_ request: QueueRequest) -> (text: String, news: [Event]) {
    do {
      switch request {
      case .summary: return (QueueReport.json(try queue[server].summary()), [])
      case .records(let after): return (try records(after: after), [])
      case .quarantine(let after): return (try quarantine(after: after) { list($0) }, [])
      case .quarantined(let after):
        return (try quarantine(after: after) { $0.record.map { location($0) } }, [])
      case .count(let selection, let after):
        let part = try queue[server].count(
          selection, after: after, limit: QueueAnswers.step)
        return (head(part.records, last: part.last), [])
      case .purge(let selection, let after, let through):
        return report(
          try queue[server].purge(
            selection, after: after, through: through, limit: QueueAnswers.step))
      case .retry(let sequences): return report(try queue[server].retry(sequences))
      }
    } catch { return (QueueAnswers.failure("\(error)"), []) }
  }

  static func failure(_ words: String) -> String { JSONWriter.object { $0.member("error", words) } }

  // MARK: Parts

  private func records(after: Int64) throws -> String {
    let made = memory.drop { $0.sequence <= after }
    var page: QueuePage
    do { page = try queue[server].page(after: after, limit: QueueAnswers.page) } catch {
      // While storage cannot be read, what memory holds is all that there is to be had.
      if made.isEmpty { throw error }
      page = QueuePage()
    }
    if page.records.count + page.unreadable < QueueAnswers.page {
      // Storage has no more: what is to follow is in memory.
      let rest = made.drop { $0.sequence <= page.last ?? after }.prefix(QueueAnswers.page)
      page.records += rest
      page.last = rest.last?.sequence ?? page.last
    }
    let head = head(page.records.count, unreadable: page.unreadable, last: page.last)
    return ([head] + page.records.map { location($0) }).joined(separator: "\n")
  }

  private func quarantine(after: Int64, _ line: (QuarantinedRecord) -> String?) throws -> String {
    let rows = try queue[server].quarantined(after: after, limit: QueueAnswers.page)
    let lines = rows.compactMap(line)
    let head = head(lines.count, unreadable: rows.count - lines.count, last: rows.last?.sequence)
    return ([head] + lines).joined(separator: "\n")
  }

  private func location(_ record: Record) -> String {
    GeomonyFormat.location(record, queueID: record.queueID == 0 ? queue.queueID : record.queueID)
  }

  private func list(_ row: QuarantinedRecord) -> String {
    JSONWriter.object { json in
      json.member("sequence", row.sequence)
      if let record = row.record {
        json.member("kind", record.kind == .position ? "position" : record.kind.eventName)
        json.member("time", ISO8601.text(ms: record.time_ms))
      }
      json.member("quarantined", ISO8601.text(ms: row.quarantined_ms))
      json.member("reason", row.reason)
    }
  }

  private func report(_ change: QueueChange) -> (text: String, news: [Event]) {
    let text = head(change.records, unreadable: change.unreadable, last: change.last)
    return (text, Event.dropped(by: queue) + [.queueShrank(queued: queue[server].count, server: server)])
  }

  private func head(_ records: Int, unreadable: Int = 0, last: Int64?) -> String {
    JSONWriter.object { json in
      json.member("records", records)
      if unreadable > 0 { json.member("unreadable", unreadable) }
      if let last { json.member("last", last) }
    }
  }
}

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
