import TrackerBase

/// For how long something was on.
package struct OnTimes: Summable {
  package static let none = OnTimes()

  package var gps_ms: Int64 = 0
  package var modem_ms: Int64 = 0
  package var board_ms: Int64 = 0
  /// The window was open.
  var open_ms: Int64 = 0
  /// The board slept.
  package var asleep_ms: Int64 = 0

  package init() {}

  package static func += (sum: inout OnTimes, more: OnTimes) {
    sum.gps_ms += more.gps_ms
    sum.modem_ms += more.modem_ms
    sum.board_ms += more.board_ms
    sum.open_ms += more.open_ms
    sum.asleep_ms += more.asleep_ms
  }
}

extension OnTimes: SavedObject {
  package static let members: [SavedMember<OnTimes>] = [
    .init("gps_ms", \.gps_ms), .init("modem_ms", \.modem_ms), .init("board_ms", \.board_ms),
    .init("open_ms", \.open_ms), .init("asleep_ms", \.asleep_ms),
  ]

  package var isSum: Bool { [gps_ms, modem_ms, board_ms, open_ms, asleep_ms].allSatisfy { $0 >= 0 } }
}

/// On-times of module, modem and board today and this month (UTC). Charge is what the settings make of them.
struct EnergyLedger: Equatable, Sendable {
  private var on: DayAndMonth<OnTimes>
  /// Boot time up to which it is counted.
  private var counted_ms: Int64

  /// - Parameters:
  ///   - bootID: of this boot; empty if unknown.
  init(saved: SavedEnergy?, bootID: String, at now_ms: Int64) {
    guard let found = saved else {
      (on, counted_ms) = (DayAndMonth(at: now_ms), now_ms)
      return
    }
    on = DayAndMonth(found.on, at: now_ms)
    if bootID.isEmpty {
      counted_ms = now_ms
    } else {
      // The board has been on since then, or since its start, and the modem with it.
      counted_ms = found.bootID == bootID ? min(found.counted_ms, now_ms) : 0
    }
  }

  var day: OnTimes { on.day.used }
  var month: OnTimes { on.month.used }

  /// Since it was last counted, what was on is on.
  ///
  /// - Parameters:
  ///   - board: false while it is suspended, and all else with it.
  ///   - trusted_ms: Unix milliseconds; nil while the time is not trusted.
  mutating func count(
    gps: Bool, modem: Bool, board: Bool = true, isOpen: Bool, trusted_ms: Int64?, at now_ms: Int64
  ) {
    let passed_ms = max(0, now_ms - counted_ms)
    counted_ms = now_ms
    // A day that has begun meanwhile gets its part.
    let today_ms = trusted_ms.map { min(passed_ms, UTCDay.length_ms - UTCDay.left_ms(at: $0)) } ?? passed_ms
    func times(_ length_ms: Int64) -> OnTimes {
      var times = OnTimes.none
      if board { times.board_ms = length_ms }
      if gps, board { times.gps_ms = length_ms }
      if modem, board { times.modem_ms = length_ms }
      if isOpen { times.open_ms = length_ms }
      return times
    }
    if on.day.number != nil { on.add(times(min(passed_ms - today_ms, UTCDay.length_ms))) }
    on.turn(trusted_ms: trusted_ms, at: now_ms)
    on.add(times(min(today_ms, UTCDay.length_ms)))
  }

  /// The board slept up to that time. The day that the time is in gets its part.
  mutating func slept(_ length_ms: Int64, until_ms: Int64, trusted_ms: Int64) {
    let midnight_ms = trusted_ms - (UTCDay.length_ms - UTCDay.left_ms(at: trusted_ms))
    var times = OnTimes.none
    times.asleep_ms = max(0, min(length_ms, until_ms - midnight_ms, UTCDay.length_ms))
    on.add(times)
  }

  /// Of an open window, the part in which the module has power: this month's, or all of it while little is known.
  var gpsShare: Double {
    let known_ms: Int64 = 3_600_000
    guard month.open_ms >= known_ms else { return 1 }
    return min(1, Double(month.gps_ms) / Double(month.open_ms))
  }

  func saved(bootID: String) -> SavedEnergy {
    SavedEnergy(bootID: bootID, counted_ms: counted_ms, on: on)
  }
}

struct SavedEnergy: SavedObject, Equatable {
  var bootID = ""
  /// Boot time.
  var counted_ms: Int64 = 0
  var on = DayAndMonth<OnTimes>(at: 0)

  static let members: [SavedMember<SavedEnergy>] = [
    .init("boot", \.bootID), .init("counted_ms", \.counted_ms) { $0 >= 0 }, .init("on", \.on),
  ]
}
