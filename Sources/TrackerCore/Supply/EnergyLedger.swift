/// For how long something was on.
struct OnTimes: Summable {
  static let none = OnTimes()

  var gps_ms: Int64 = 0
  var modem_ms: Int64 = 0
  var board_ms: Int64 = 0
  /// The window was open.
  var open_ms: Int64 = 0
  /// The board slept.
  var asleep_ms: Int64 = 0

  static func += (sum: inout OnTimes, more: OnTimes) {
    sum.gps_ms += more.gps_ms
    sum.modem_ms += more.modem_ms
    sum.board_ms += more.board_ms
    sum.open_ms += more.open_ms
    sum.asleep_ms += more.asleep_ms
  }

  fileprivate var numbers: [Int64] { [gps_ms, modem_ms, board_ms, open_ms] }

  fileprivate init() {}

  fileprivate init(_ numbers: ArraySlice<Int64>, asleep_ms: Int64) {
    self.asleep_ms = asleep_ms
    let numbers = Array(numbers)
    (gps_ms, modem_ms, board_ms, open_ms) = (numbers[0], numbers[1], numbers[2], numbers[3])
  }
}

/// On-times of module, modem and board today and this month (UTC). Charge is what the settings make of them.
struct EnergyLedger: Equatable, Sendable {
  private var on: DayAndMonth<OnTimes>
  /// Boot time up to which it is counted.
  private var counted_ms: Int64

  /// - Parameters:
  ///   - saved: what `saved` gave.
  ///   - bootID: of this boot; empty if unknown.
  init(saved: String, bootID: String, at now_ms: Int64) {
    guard let found = EnergyLedger.read(saved, at: now_ms) else {
      (on, counted_ms) = (DayAndMonth(at: now_ms), now_ms)
      return
    }
    on = found.on
    if bootID.isEmpty {
      counted_ms = now_ms
    } else {
      // The board has been on since then, or since its start, and the modem with it.
      counted_ms = found.bootID == bootID ? min(found.counted_ms, now_ms) : 0
    }
  }

  var day: OnTimes { on.day.used }
  var month: OnTimes { on.month.used }

  /// What had been counted before this began with nothing. - Parameter saved: what `saved` gave.
  mutating func add(_ saved: String) {
    if let before = EnergyLedger.read(saved, at: counted_ms) { on.add(before.on) }
  }

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

  // MARK: saved

  /// `day month counted`, then of the day and of the month: module, modem, board, open window; of both, where it slept,
  /// for how long; the boot's id. Times in milliseconds, -1 for a day or month that is not known.
  func saved(bootID: String) -> String {
    let numbers = [Int64(on.day.number ?? -1), Int64(on.month.number ?? -1), counted_ms] + day.numbers
    let asleep = day.asleep_ms + month.asleep_ms > 0 ? [day.asleep_ms, month.asleep_ms] : []
    return ((numbers + month.numbers + asleep).map { "\($0)" } + [bootID]).joined(separator: " ")
  }

  static func isUnreadable(_ saved: String) -> Bool { read(saved, at: 0) == nil }

  private struct Found {
    var on: DayAndMonth<OnTimes>
    var counted_ms: Int64
    var bootID: String
  }

  private static func read(_ saved: String, at now_ms: Int64) -> Found? {
    let words = saved.split(separator: " ")
    let count = words.count < 13 ? 11 : 13
    let numbers = words.prefix(count).compactMap { SavedNumber.read($0) }
    guard numbers.count == count, words.count <= count + 1, numbers[2...].allSatisfy({ $0 >= 0 }) else {
      return nil
    }
    let asleep_ms = count == 13 ? (day: numbers[11], month: numbers[12]) : (day: 0, month: 0)
    var on = DayAndMonth<OnTimes>(at: now_ms)
    on.day.number = SavedNumber.number(numbers[0])
    on.month.number = SavedNumber.number(numbers[1])
    on.day.used = OnTimes(numbers[3..<7], asleep_ms: asleep_ms.day)
    on.month.used = OnTimes(numbers[7..<11], asleep_ms: asleep_ms.month)
    return Found(
      on: on, counted_ms: numbers[2], bootID: words.count > count ? String(words[count]) : "")
  }
}
