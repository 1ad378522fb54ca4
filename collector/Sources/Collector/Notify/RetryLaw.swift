/// When something that could not be told is told again: after 10 s, 30 s, 90 s, … up to an hour, for three days.
struct RetryLaw: Equatable, Sendable {
  var first_ms: Int64 = 10_000
  var longest_ms: Int64 = 3_600_000
  var givenUp_ms: Int64 = 3 * 86_400_000

  /// - Parameters:
  ///   - attempts: that have failed, with this one.
  ///   - made_ms: when it was to be told first.
  /// - Returns: nil: never again.
  func next_ms(after attempts: Int, made made_ms: Int64, at now_ms: Int64) -> Int64? {
    guard now_ms - made_ms < givenUp_ms else { return nil }
    let pause_ms = (1..<max(1, min(attempts, 20))).reduce(first_ms) { pause_ms, _ in
      min(pause_ms * 3, longest_ms)
    }
    return now_ms + pause_ms
  }
}
