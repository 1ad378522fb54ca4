import TrackerBase

/// What GPS has said of the time, for a process that goes on after this one.
struct SavedClock: SavedObject, Equatable, Sendable {
  var bootID = ""
  var offset_ms: Int64 = 0
  /// Boot time.
  var agreedAt_ms: Int64 = 0
  /// Unix milliseconds at the time of saving.
  var known_ms: Int64 = 0

  static let members: [SavedMember<SavedClock>] = [
    .init("boot", \.bootID), .init("offset_ms", \.offset_ms),
    .init("agreed_at_ms", \.agreedAt_ms) { (0...ClockKeeper.longestBoot_ms).contains($0) },
    .init("known_ms", \.known_ms),
  ]

  var isSound: Bool { GPSDate.possible_ms.contains(known_ms) }
}
