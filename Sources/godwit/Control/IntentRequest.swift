import TrackerBase

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
