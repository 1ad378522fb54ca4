import TrackerBase

/// Whether antenna and module get worse over weeks, measured by themselves: each receiver against its own best time.
///
/// - The **level of a minute** is the mean of the best four C/N0 while the vehicle drives at `driving_mps` and more: under
///   a roof nobody does, so days in a garage have no minute and count for nothing.
/// - The **level of a day** is that of its best minute, if it has `minutesOfDay` minutes: some of each day's drive is
///   under an open sky, whatever houses and trees take of the rest.
/// - The **present level** is the exponential mean of the days' levels over `days`: p ← p + (d − p) / 7.
/// - The **best level** is the highest that the present one ever was, from the 7th day on. It sinks by `forgetting_dB`
///   with each day, so that another antenna is the measure of itself after some months.
/// - **Loss** = best − present, in dB: 0 is as good as ever, 3 is half of the signal. From `failing_dB` on it is a
///   warning, until `recovered_dB`.
///
/// A receiver that loses 0.5 dB a week (0.071 a day) is reported after (3 + 0.5) / (0.071 − 0.01) = 57 days, of which the
/// mean's lag is 8. One whose days scatter by 1 dB has a mean that scatters by 1 / √13 = 0.28 dB, and its best lies three of
/// these above: less than 1 dB of loss that is none.
///
/// Beside it the time to first fix: the shortest of a day after a fix less than two hours old, its mean over `days` days
/// and that mean's lowest. Its ratio is a figure, and no warning: where vehicles are started decides more about it.
struct GPSHealth: Equatable, Sendable {
  private struct Today: Equatable, Sendable {
    var number: Int64?
    var minutes = 0
    var best_dBHz = 0.0
    var shortestTTFF_ms: Double?
  }

  private struct Minute: Equatable, Sendable {
    var began_ms: Int64
    var samples = 0
    var sum_dBHz = 0.0
  }

  static let driving_mps = 5.0
  static let minute_ms: Int64 = 60_000
  /// Of a minute, which has 60 where the receiver reports once a second.
  static let leastSamples = 20
  static let minutesOfDay = 5
  static let days = 7.0
  static let forgetting_dB = 0.01
  static let failing_dB = 3.0
  static let recovered_dB = 2.0
  /// Of the lowest time to first fix, with each day: it doubles in a year.
  static let forgetting = 1.002

  private var minute: Minute?
  private var today = Today()
  private var levels = Means()
  private var starts = Means()
  private(set) var isFailing = false

  /// dB that are lost; nil before a week of days.
  var loss_dB: Double? { levels.best.map { max(0, $0 - levels.present) } }
  /// The present level; nil before the first day.
  var level_dBHz: Double? { levels.days > 0 ? levels.present : nil }
  /// How many times as long as in its best time the time to first fix is; nil before a week of days.
  var startRatio: Double? {
    starts.best.map { $0 < 0 ? max(1, starts.present / $0) : 1 }
  }

  /// There is something to be kept.
  var hasLearnt: Bool {
    isFailing || levels.days > 0 || starts.days > 0 || today.minutes > 0 || today.shortestTTFF_ms != nil
  }

  /// - Parameter cn0_dBHz: of the best four.
  mutating func heard(_ cn0_dBHz: Double, speed_mps: Double?, at now_ms: Int64) {
    guard let speed_mps, speed_mps >= GPSHealth.driving_mps else { return }
    if let minute, now_ms - minute.began_ms >= GPSHealth.minute_ms { close(minute) }
    var minute = self.minute ?? Minute(began_ms: now_ms)
    minute.samples += 1
    minute.sum_dBHz += cn0_dBHz
    self.minute = minute
  }

  private mutating func close(_ minute: Minute) {
    self.minute = nil
    guard minute.samples >= GPSHealth.leastSamples else { return }
    today.minutes += 1
    today.best_dBHz = max(today.best_dBHz, minute.sum_dBHz / Double(minute.samples))
  }

  /// After a fix less than two hours before.
  mutating func started(after needed_ms: Int64) {
    let needed_ms = Double(max(1, needed_ms))
    today.shortestTTFF_ms = min(today.shortestTTFF_ms ?? needed_ms, needed_ms)
  }

  /// - Parameter day: its number, by local time.
  /// - Returns: whether `isFailing` has changed.
  mutating func dayBegan(_ day: Int64) -> Bool {
    guard let number = today.number else {
      today.number = day
      return false
    }
    guard number != day else { return false }
    if let minute { close(minute) }
    if today.minutes >= GPSHealth.minutesOfDay {
      levels.add(today.best_dBHz, forgetting: { $0 - GPSHealth.forgetting_dB })
    }
    // The highest of what is negative is the shortest.
    if let shortest_ms = today.shortestTTFF_ms {
      starts.add(-shortest_ms, forgetting: { $0 * GPSHealth.forgetting })
    }
    today = Today(number: day)
    let wasFailing = isFailing
    isFailing = (loss_dB ?? 0) >= (wasFailing ? GPSHealth.recovered_dB : GPSHealth.failing_dB)
    return isFailing != wasFailing
  }

  init() {}
}

/// Levels in dB-Hz and times in milliseconds.
extension GPSHealth: SavedObject {
  static let members: [SavedMember<GPSHealth>] = [
    .init("day", \.today.number), .init("minutes", \.today.minutes) { (0...1440).contains($0) },
    .init("best_dbhz", \.today.best_dBHz, decimals: 2, where: Means.isSound),
    .init("shortest_ttff_ms", \.today.shortestTTFF_ms, decimals: 0) { $0.map(Means.isSound) ?? true },
    .init("failing", \.isFailing), .init("levels", \.levels), .init("starts", \.starts),
  ]
}

/// The exponential mean of a day's value, and the highest that it ever was.
private struct Means: Equatable, Sendable {
  var days = 0
  var present = 0.0
  /// nil in the first week.
  var best: Double?

  mutating func add(_ value: Double, forgetting: (Double) -> Double) {
    // The first days' mean is that of all of them: one bad day at the start would last for weeks.
    days += 1
    present += (value - present) / min(Double(days), GPSHealth.days)
    guard days >= Int(GPSHealth.days) else { return }
    best = max(best.map(forgetting) ?? present, present)
  }

  init() {}

  /// Neither infinite nor more than any receiver has.
  static func isSound(_ value: Double) -> Bool { value.magnitude <= 1e9 }
}

extension Means: SavedObject {
  static let members: [SavedMember<Means>] = [
    .init("days", \.days) { (0...1_000_000).contains($0) },
    .init("present", \.present, decimals: 3, where: isSound),
    .init("best", \.best, decimals: 3) { $0.map(isSound) ?? true },
  ]
}
