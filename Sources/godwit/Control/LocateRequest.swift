import TrackerBase
import TrackerWire

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
