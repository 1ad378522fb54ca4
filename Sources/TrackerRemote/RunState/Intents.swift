import TrackerBase

/// What an operator wants instead of the schedule: a pause before a track, and that before the schedule.
public struct Intents: Equatable, Sendable {
  /// One wish. Its length is counted on the boot clock, so that a step of the wall clock does not change it.
  public struct Intent: SavedObject, Equatable, Sendable {
    /// Boot time; nil for no end.
    public internal(set) var until_ms: Int64?
    /// What was left of it when it was saved.
    var left_ms: Int64 = 0
    /// Unix milliseconds of the end, as it was last known; nil where the time was not.
    var end_ms: Int64?
    /// The boot clock has started again since: `end_ms` counts as soon as the time is trusted, and until then `left_ms`.
    var isOfOtherBoot = false

    public init() {}

    init(until_ms: Int64?, end_ms: Int64? = nil) { (self.until_ms, self.end_ms) = (until_ms, end_ms) }

    public static let members: [SavedMember<Intent>] = [
      .init("until_ms", \.until_ms),
      .init("left_ms", \.left_ms) { (0...IntentWish.longest_ms).contains($0) },
      .init("end_ms", \.end_ms), .init("unsettled", \.isOfOtherBoot),
    ]

    public func left_ms(at now_ms: Int64) -> Int64? { until_ms.map { max(0, $0 - now_ms) } }
  }

  private var intents: [IntentKind: Intent] = [:]

  public init() {}

  public subscript(kind: IntentKind) -> Intent? { intents[kind] }

  /// The one that counts.
  public var inForce: IntentKind? { IntentKind.allCases.first { intents[$0] != nil } }

  /// In the order in which they count. - Returns: with the time until their ends; nil: without an end.
  public func wishes(at now_ms: Int64) -> [(kind: IntentKind, left_ms: Int64?)] {
    IntentKind.allCases.compactMap { kind in intents[kind].map { (kind, $0.left_ms(at: now_ms)) } }
  }

  var hasEnd: Bool { intents.values.contains { $0.until_ms != nil } }

  /// Boot time of the next end.
  var deadline_ms: Int64? { intents.isEmpty ? nil : intents.values.compactMap(\.until_ms).min() }

  mutating func ask(_ request: IntentWish, at now_ms: Int64) {
    switch request {
    case .pause(let length_ms): intents[.pause] = Intent(until_ms: length_ms.map { now_ms + $0 })
    case .track(let length_ms): intents[.track] = Intent(until_ms: now_ms + length_ms)
    case .resume: intents = [:]
    }
  }

  /// - Returns: what has ended by now.
  mutating func tick(at now_ms: Int64) -> [IntentKind] {
    let over = IntentKind.allCases.filter { kind in
      intents[kind]?.until_ms.map { now_ms >= $0 } ?? false
    }
    for kind in over { intents[kind] = nil }
    return over
  }

  /// The time is trusted: ends that were noted in another boot count. Nothing gets longer by that.
  mutating func settle(trusted_ms: Int64, at now_ms: Int64) {
    for (kind, intent) in intents where intent.isOfOtherBoot {
      guard let end_ms = intent.end_ms, let until_ms = intent.until_ms else { continue }
      intents[kind] = Intent(until_ms: min(until_ms, now_ms + end_ms - trusted_ms), end_ms: end_ms)
    }
  }

  // MARK: saved

  func save(to saved: inout RunState.Saved, trusted_ms: Int64?, at now_ms: Int64) {
    saved.pause = self.saved(.pause, trusted_ms: trusted_ms, at: now_ms)
    saved.track = self.saved(.track, trusted_ms: trusted_ms, at: now_ms)
  }

  /// Without members if it has no end.
  private func saved(_ kind: IntentKind, trusted_ms: Int64?, at now_ms: Int64) -> Intent? {
    guard var intent = intents[kind] else { return nil }
    guard let left_ms = intent.left_ms(at: now_ms) else { return Intent() }
    intent.left_ms = left_ms
    if !intent.isOfOtherBoot || intent.end_ms == nil {
      intent.end_ms = trusted_ms.map { $0 + left_ms } ?? intent.end_ms
      intent.isOfOtherBoot = false
    }
    return intent
  }

  /// - Parameter isSameBoot: the boot clock has run on since it was saved.
  /// - Returns: false for a track without an end, which nobody can have asked for.
  mutating func restore(_ saved: RunState.Saved, isSameBoot: Bool, at now_ms: Int64) -> Bool {
    intents[.pause] = saved.pause.map { Intent($0, isSameBoot: isSameBoot, at: now_ms) }
    guard let track = saved.track else { return true }
    guard track.until_ms != nil else { return false }
    intents[.track] = Intent(track, isSameBoot: isSameBoot, at: now_ms)
    return true
  }

  /// The last second of the year 9999.
  fileprivate static let latest_ms: Int64 = 253_402_300_799_000
}

extension Intents.Intent {
  fileprivate init(_ saved: Self, isSameBoot: Bool, at now_ms: Int64) {
    guard let until_ms = saved.until_ms else { return }
    // A file that was tampered with must not hold the arithmetic up.
    let sameBoot_ms = min(max(until_ms, 0), now_ms + IntentWish.longest_ms)
    self.until_ms = isSameBoot ? sameBoot_ms : now_ms + saved.left_ms
    end_ms = saved.end_ms.map { max(0, min($0, Intents.latest_ms)) }
    isOfOtherBoot = !isSameBoot || saved.isOfOtherBoot
  }
}
