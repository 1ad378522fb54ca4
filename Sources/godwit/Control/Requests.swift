import TrackerBase
import TrackerIO
import TrackerWire

/// What the command asks about the queue: one line on the control socket.
///
/// Whoever wants all of a long list asks again, with `after` as the last answer gave it: so the agent answers
/// each in a bounded time and lives on in between.
enum QueueRequest: Equatable {
  case summary
  /// Records that wait, one JSON object a line.
  case records(after: Int64)
  /// What is in quarantine, without places.
  case quarantine(after: Int64)
  /// The same as whole records.
  case quarantined(after: Int64)
  case count(QueueSelection, after: Int64)
  case purge(QueueSelection, after: Int64, through: Int64)
  case retry([Int64])

  /// So many sequences fit into a line.
  static let maxSequences = 48

  var line: String {
    switch self {
    case .summary: "queue"
    case .records(let after): "queue records \(after)"
    case .quarantine(let after): "queue quarantine \(after)"
    case .quarantined(let after): "queue quarantined \(after)"
    case .count(let selection, let after): "queue count \(after) \(Self.words(selection))"
    case .purge(let selection, let after, let through):
      "queue purge \(after) \(through) \(Self.words(selection))"
    case .retry(let sequences): "queue retry \(sequences.map { "\($0)" }.joined(separator: " "))"
    }
  }

  /// To the queue of that server, empty for the first: `queue:NAME …`.
  func line(toServer server: String) -> String {
    server.isEmpty ? line : "queue:\(server)" + String(line.dropFirst("queue".count))
  }

  static func toServer(_ line: String) -> (server: String, request: QueueRequest)? {
    let first = line.prefix { $0 != " " }
    let parts = first.split(separator: ":", maxSplits: 1)
    let rest = String(line.dropFirst(first.count))
    guard let word = parts.first, let request = QueueRequest(String(word) + rest) else { return nil }
    return (parts.count > 1 ? String(parts[1]) : "", request)
  }

  /// nil when the line is none of these.
  init?(_ line: String) {
    let words = line.split(separator: " ").map { String($0) }
    let numbers = words.dropFirst(2).prefix { Int64($0) != nil }.compactMap { Int64($0) }
    guard words.first == "queue", numbers.allSatisfy({ $0 >= 0 }) else { return nil }
    let rest = Array(words.dropFirst(2 + numbers.count))
    switch (words.dropFirst().first, numbers.count, rest.count) {
    case (nil, 0, 0): self = .summary
    case ("records", 1, 0): self = .records(after: numbers[0])
    case ("quarantine", 1, 0): self = .quarantine(after: numbers[0])
    case ("quarantined", 1, 0): self = .quarantined(after: numbers[0])
    case ("count", 1, 2):
      guard let selection = Self.selection(rest) else { return nil }
      self = .count(selection, after: numbers[0])
    case ("purge", 2, 2):
      guard let selection = Self.selection(rest) else { return nil }
      self = .purge(selection, after: numbers[0], through: numbers[1])
    case ("retry", 1..., 0): self = .retry(numbers)
    default: return nil
    }
  }

  private static func words(_ selection: QueueSelection) -> String {
    "before=\(selection.before_ms.map { "\($0)" } ?? "") \(selection.positionsOnly ? "positions" : "all")"
  }

  private static func selection(_ words: [String]) -> QueueSelection? {
    guard words[0].hasPrefix("before="), ["positions", "all"].contains(words[1]) else { return nil }
    let before = words[0].dropFirst("before=".count)
    guard before.isEmpty || Int64(before) != nil else { return nil }
    return QueueSelection(before_ms: Int64(before), positionsOnly: words[1] == "positions")
  }
}

/// What the command asks of the schedule's overrides: one line on the control socket, lengths in seconds.
enum IntentRequest {
  static func line(_ request: IntentWish) -> String {
    switch request {
    case .pause(nil): "pause"
    case .pause(let length_ms?): "pause \(length_ms / 1000)"
    case .track(let length_ms): "track \(length_ms / 1000)"
    case .resume: "resume"
    }
  }

  /// nil when the line is none of these.
  static func parse(_ line: String) -> IntentWish? {
    let words = line.split(separator: " ")
    let length_ms = words.count == 2 ? length_ms(String(words[1])) : nil
    switch (words.first, words.count) {
    case ("pause", 1): return .pause(length_ms: nil)
    case ("resume", 1): return .resume
    case ("pause", 2): return length_ms.map { IntentWish.pause(length_ms: $0) }
    case ("track", 2): return length_ms.map { IntentWish.track(length_ms: $0) }
    default: return nil
    }
  }

  private static func length_ms(_ seconds: String) -> Int64? {
    guard let seconds = Int64(seconds), (1...IntentWish.longest_ms / 1000).contains(seconds) else {
      return nil
    }
    return seconds * 1000
  }
}

/// `godwit locate` on the control socket: `locate SECONDS`, and its answer as JSON.
enum LocateRequest {
  static func line(timeout_s: Int64) -> String { "locate \(timeout_s)" }

  /// - Returns: nil when the line is none.
  static func parse(_ line: String) -> Int64? {
    let words = line.split(separator: " ")
    guard words.count == 2, words[0] == "locate", let timeout_s = Int64(words[1]),
      Command.locateTimeouts_s.contains(timeout_s)
    else { return nil }
    return timeout_s * 1000
  }

  /// Whoever asks at the box gets the place; it goes nowhere else.
  static func text(_ answer: LocateAnswer) -> String {
    switch answer {
    case .none(let words): QueueAnswers.failure(words)
    case .fix(let fix):
      JSONWriter.object { json in
        json.member("time", ISO8601.text(ms: fix.time_ms))
        json.key("latitude")
        json.number(fix.position.latitude_deg)
        json.key("longitude")
        json.number(fix.position.longitude_deg)
        json.key("accuracy_m")
        json.number(fix.accuracy_m)
      }
    }
  }
}
