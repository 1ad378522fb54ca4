import TrackerBase

/// How long the board takes from its alarm to the first fix.
struct SleepLead: Equatable, Sendable {
  /// The last few, newest last.
  fileprivate(set) var measured_ms: [Int64] = []

  static let remembered = 5
  static let range_ms: ClosedRange<Int64> = 10_000...1_800_000

  /// A board that is off for days has a cold start, and one that has looked for a network waits.
  mutating func note(_ needed_ms: Int64) {
    measured_ms = Array(
      (measured_ms + [needed_ms.clamped(to: SleepLead.range_ms)]).suffix(SleepLead.remembered))
  }

  /// The longest of them and a quarter more. - Parameter first_ms: before any.
  func expected_ms(before first_ms: Int64) -> Int64 {
    guard let longest_ms = measured_ms.max() else { return first_ms }
    return (longest_ms + longest_ms / 4).clamped(to: SleepLead.range_ms)
  }
}

extension Int64 {
  fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}

/// What outlives a sleep beside its plan: how long the board takes to come back, and when it slept.
struct SleepHistory: Equatable, Sendable {
  var lead = SleepLead()
  /// Unix milliseconds, of the last hour.
  private(set) var begun_ms: [Int64] = []

  static let hour_ms: Int64 = 3_600_000

  init() {}

  mutating func began(at trusted_ms: Int64) {
    begun_ms = Array((begun_ms.filter { $0 > trusted_ms &- SleepHistory.hour_ms } + [trusted_ms]).suffix(12))
  }

  /// Those of the last hour. What is dated later than now counts too, since the clock may have been set back meanwhile:
  /// until the board has been awake for an hour, when none can be of the last one.
  func recent(at trusted_ms: Int64, awakeFor_ms: Int64) -> [Int64] {
    awakeFor_ms >= SleepHistory.hour_ms ? [] : begun_ms.filter { $0 > trusted_ms &- SleepHistory.hour_ms }
  }

}

extension SleepHistory: SavedObject {
  static let members: [SavedMember<SleepHistory>] = [
    .init("leads_ms", \.lead.measured_ms) {
      $0.count <= SleepLead.remembered && $0.allSatisfy { SleepLead.range_ms.contains($0) }
    },
    .init("begun_ms", \.begun_ms) { $0.count <= 12 },
  ]
}
