import TrackerBase

/// When this vehicle leaves: learned from its own departures, so that probes lie close together where one is likely.
///
/// The rate at which a parked vehicle leaves is a curve over the day times how active a day of the week is. The curve is
/// made of the departures of the last weeks, each spread over the time to its neighbours (Breiman, Meisel, Purcell:
/// "Variable kernel estimates of multivariate densities", 1977), over the time for which the vehicle was parked then.
/// While little is known, what the pauses of the settings suppose counts as some hours of experience.
///
/// All times are local, in seconds since 1970-01-01 on the wall clock: habits follow it through summer time.
package struct DepartureHabits: Equatable, Sendable {
  /// By slot of the day, and by day of the week (0: Thursday, as 1970 began). Older weeks count for less.
  private(set) var departures = [Double](repeating: 0, count: slots)
  private(set) var departuresByDay = [Double](repeating: 0, count: 7)
  /// Seconds parked under watch by hour of the day, and by day of the week.
  private(set) var parkedByHour_s = [Double](repeating: 0, count: 24)
  private(set) var parkedByDay_s = [Double](repeating: 0, count: 7)
  /// Departures a second of a mean day by slot, times the days of experience; and how active each day of the week is,
  /// against the mean. Made of the above.
  private var curve = [Double](repeating: 0, count: slots)
  private var activity = [Double](repeating: 1, count: 7)
  private var parked_s = 0.0
  /// Departures of which it was learned.
  private(set) var known = 0.0

  static let slot_s: Int64 = 300
  static let slots = Int(day_s / slot_s)
  static let day_s: Int64 = 86_400
  /// A departure is spread over the time to the neighbour of this number, and at least and at most this to each side.
  static let neighbour = 4.0
  static let leastSpread_s = 450.0
  static let mostSpread_s = 5400.0
  /// Until it has left so often, as a van does in a week, no pause is longer than the settings' own.
  static let enough = 20.0
  /// Days of experience that the settings' own pauses count as.
  static let supposed_days = 0.25
  /// So many departures as on a mean day each day of the week is supposed to have had beside its own.
  static let supposedDepartures = 2.0
  /// Of fifty departures one comes at any time, whatever is learned.
  static let anyTime = 0.02
  /// Less is forgotten.
  static let leastWeight = 0.01

  init() {}

  init?(
    departures: [Double], byDay: [Double], parkedByHour_s: [Double], parkedByDay_s: [Double]
  ) {
    let counts = [departures.count, byDay.count, parkedByHour_s.count, parkedByDay_s.count]
    guard counts == [DepartureHabits.slots, 7, 24, 7] else { return nil }
    (self.departures, departuresByDay) = (departures, byDay)
    (self.parkedByHour_s, self.parkedByDay_s) = (parkedByHour_s, parkedByDay_s)
    learn()
  }

  // MARK: Learning

  /// It stood under watch from the one time to the other.
  mutating func parked(from begin_s: Int64, to end_s: Int64) {
    var at_s = begin_s
    while at_s < end_s {
      let next_s = min(end_s, at_s - DepartureHabits.secondOfDay(at_s) % 3600 + 3600)
      parkedByHour_s[DepartureHabits.hour(at_s)] += Double(next_s - at_s)
      parkedByDay_s[DepartureHabits.day(at_s)] += Double(next_s - at_s)
      at_s = next_s
    }
    learnActivity()
  }

  mutating func left(at local_s: Int64) {
    departures[DepartureHabits.slot(local_s)] += 1
    departuresByDay[DepartureHabits.day(local_s)] += 1
    learn()
  }

  /// What has been learned counts for so much less.
  mutating func fade(to share: Double) {
    func faded(_ values: [Double]) -> [Double] {
      values.map { $0 * share < DepartureHabits.leastWeight ? 0 : $0 * share }
    }
    (departures, departuresByDay) = (faded(departures), faded(departuresByDay))
    (parkedByHour_s, parkedByDay_s) = (faded(parkedByHour_s), faded(parkedByDay_s))
    learn()
  }

  private mutating func learn() {
    curve = [Double](repeating: 0, count: DepartureHabits.slots)
    known = departures.reduce(0, +)
    for (slot, weight) in departures.enumerated() where weight > 0 { spread(slot, weight, of: known) }
    learnActivity()
  }

  private mutating func spread(_ slot: Int, _ weight: Double, of sum: Double) {
    let slot_s = Double(DepartureHabits.slot_s)
    let half_s = spread_s(of: slot, weight, of: sum)
    let (first_s, last_s) = ((Double(slot) + 0.5) * slot_s - half_s, (Double(slot) + 0.5) * slot_s + half_s)
    for at in Int((first_s / slot_s).rounded(.down))...Int((last_s / slot_s).rounded(.down)) {
      let overlap_s = min(last_s, Double(at + 1) * slot_s) - max(first_s, Double(at) * slot_s)
      curve[DepartureHabits.wrapped(at)] += weight * overlap_s / slot_s / (2 * half_s)
    }
  }

  /// The distance on the clock's circle within which the neighbours lie.
  private func spread_s(of slot: Int, _ weight: Double, of sum: Double) -> Double {
    let wanted = min(DepartureHabits.neighbour + 1, sum - DepartureHabits.leastWeight)
    let most = Int(DepartureHabits.mostSpread_s) / Int(DepartureHabits.slot_s)
    var (found, distance) = (weight, 0)
    while found < wanted, distance < most {
      distance += 1
      found += departures[DepartureHabits.wrapped(slot + distance)]
      found += departures[DepartureHabits.wrapped(slot - distance)]
    }
    return max(DepartureHabits.leastSpread_s, Double(distance) * Double(DepartureHabits.slot_s))
  }

  private mutating func learnActivity() {
    parked_s = parkedByDay_s.reduce(0, +)
    let sum = departuresByDay.reduce(0, +)
    activity = (0..<7).map { day in
      let expected = parked_s > 0 ? sum * parkedByDay_s[day] / parked_s : 0
      let supposed = DepartureHabits.supposedDepartures
      return (departuresByDay[day] + supposed) / (expected + supposed)
    }
  }

  // MARK: What is likely

  /// Little is known yet.
  var areFew: Bool { known < DepartureHabits.enough }

  /// Departures a second. - Parameter supposed: what is taken for the rate while nothing is known.
  func rate(at local_s: Int64, supposed: Double) -> Double {
    let days = parkedByHour_s[DepartureHabits.hour(local_s)] / 3600
    let learned = activity[DepartureHabits.day(local_s)] * curve[DepartureHabits.slot(local_s)]
    let likely = (learned + DepartureHabits.supposed_days * supposed) / (days + DepartureHabits.supposed_days)
    let supposed_s = DepartureHabits.supposed_days * Double(DepartureHabits.day_s)
    let mean = (known + supposed_s * supposed) / (parked_s + supposed_s)
    return likely + (mean - likely) * DepartureHabits.anyTime
  }

  // MARK: Places in the tables

  private static func secondOfDay(_ local_s: Int64) -> Int64 {
    let second = local_s % day_s
    return second < 0 ? second + day_s : second
  }

  private static func hour(_ local_s: Int64) -> Int { Int(secondOfDay(local_s) / 3600) }
  private static func slot(_ local_s: Int64) -> Int { Int(secondOfDay(local_s) / slot_s) }
  private static func wrapped(_ slot: Int) -> Int { (slot % slots + slots) % slots }

  private static func day(_ local_s: Int64) -> Int {
    let day = (local_s - secondOfDay(local_s)) / day_s % 7
    return Int(day < 0 ? day + 7 : day)
  }
}
