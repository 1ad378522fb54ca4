import TrackerBase

/// For how long the GPS has had power since local midnight, and in how many sessions. It outlives restarts.
///
/// While the time is not known, what is counted belongs to the day that turns out to be: a process that starts without the
/// time adds it to what an earlier one has saved of the same day.
struct GPSDay: Equatable, Sendable {
  /// Local days since 1970; nil: not known yet.
  private(set) var number: Int64?
  private(set) var on_ms: Int64 = 0
  private(set) var sessions = 0
  /// Unix milliseconds between which the day is the same.
  private var bounds_ms: Range<Int64>?
  /// Of an earlier process, until the day is known.
  private var before: SavedGPSDay?
  private var countedTo_ms: Int64?
  private var wasOn = false

  static let longest_ms: Int64 = 2 * 86_400_000

  init() {}

  /// In a running process, in another zone, perhaps.
  mutating func zoneChanged() { bounds_ms = nil }

  mutating func sessionStarted() { sessions += 1 }

  /// Up to now. - Parameters:
  ///   - isOn: the module has power from now on.
  ///   - trusted_ms: Unix milliseconds; nil where nobody vouches for them.
  mutating func count(isOn: Bool, trusted_ms: Int64?, in zone: any ZoneRules, at now_ms: Int64) {
    let passed_ms = wasOn ? max(0, now_ms - (countedTo_ms ?? now_ms)) : 0
    on_ms += passed_ms
    (countedTo_ms, wasOn) = (now_ms, isOn)
    guard let trusted_ms, bounds_ms?.contains(trusted_ms) != true else { return }
    turn(to: trusted_ms, lastOn_ms: passed_ms, in: zone)
  }

  private mutating func turn(to trusted_ms: Int64, lastOn_ms: Int64, in zone: any ZoneRules) {
    let local_s = zone.local_s(at: trusted_ms.flooredDivision(by: 1000))
    let day = local_s.flooredDivision(by: CivilDate.day_s)
    let first_ms = zone.firstInstant(reaching: day * CivilDate.day_s) * 1000
    let end_ms = zone.firstInstant(reaching: (day + 1) * CivilDate.day_s) * 1000
    bounds_ms = first_ms <= trusted_ms && trusted_ms < end_ms ? first_ms..<end_ms : nil
    if let number, number != day {
      // What the last stretch had before midnight is the day's before.
      (on_ms, sessions) = (min(lastOn_ms, max(0, trusted_ms - first_ms)), 0)
    } else if number == nil, let before, before.number == day {
      on_ms += before.on_ms
      sessions += before.sessions
    }
    (number, before) = (day, nil)
  }

  // MARK: saved

  /// nil while the day is not known.
  var saved: SavedGPSDay? {
    // What was known before is worth more than what no day is known of.
    number.map { SavedGPSDay(number: $0, on_ms: on_ms, sessions: sessions) } ?? before
  }

  /// What an earlier process has counted.
  mutating func add(_ saved: SavedGPSDay) {
    if number == saved.number {
      on_ms += saved.on_ms
      sessions += saved.sessions
    } else if number == nil {
      before = saved
    }
  }
}

struct SavedGPSDay: SavedObject, Equatable, Sendable {
  /// Local days since 1970.
  var number: Int64 = 0
  var on_ms: Int64 = 0
  var sessions = 0

  static let members: [SavedMember<SavedGPSDay>] = [
    .init("day", \.number), .init("on_ms", \.on_ms) { (0...GPSDay.longest_ms).contains($0) },
    .init("sessions", \.sessions) { (0...1_000_000).contains($0) },
  ]
}
