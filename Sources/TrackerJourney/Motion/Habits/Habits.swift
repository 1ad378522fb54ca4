import TrackerBase

/// What is learned of how this vehicle is used: when it leaves, and how often it drives on after a halt.
package struct Habits: Equatable, Sendable {
  package private(set) var departures = DepartureHabits()
  /// Halts within trips that went on, of those that had lasted `Doze.halt_s`, and seconds halted beyond that.
  private(set) var goings = 0.0
  private(set) var halted_s = 0.0
  /// Weeks since 1970-01-01, local time, up to which the past has faded; 0: nothing is learned yet.
  private var week: Int64 = 0

  /// What a week before counts against this one.
  static let fading = 0.95
  /// As much experience of halts is supposed: at a red light that lasts for more than a minute.
  static let supposedGoings = 3.0
  static let supposedHalted_s = 180.0

  // MARK: Learning

  mutating func parked(from begin_s: Int64, to end_s: Int64) {
    // A clock that jumped makes years of a pause.
    guard begin_s < end_s, end_s - begin_s <= 7 * DepartureHabits.day_s else { return }
    fade(at: end_s)
    departures.parked(from: begin_s, to: end_s)
  }

  mutating func left(at local_s: Int64) {
    fade(at: local_s)
    departures.left(at: local_s)
  }

  /// A halt has lasted so long beyond `Doze.halt_s`. - Parameter wentOn: it was no end of a trip.
  mutating func halted(for seconds: Double, wentOn: Bool) {
    halted_s += seconds
    if wentOn { goings += 1 }
  }

  private mutating func fade(at local_s: Int64) {
    let now = local_s / (7 * DepartureHabits.day_s)
    if week == 0 { week = now }
    // A clock that was ahead must not put off the fading until then.
    guard now > week else { return week = max(1, now) }
    let share = (week..<min(now, week + 520)).reduce(1.0) { share, _ in share * Habits.fading }
    week = now
    departures.fade(to: share)
    (goings, halted_s) = (goings * share, halted_s * share)
  }

  // MARK: What is likely

  /// Of a vehicle that has halted for `Doze.halt_s`: how often it drives on, a second.
  var goingRate: Double { (goings + Habits.supposedGoings) / (halted_s + Habits.supposedHalted_s) }
}

extension Habits {
  /// nil while nothing is learned.
  var saved: SavedHabits? {
    if week == 0 { return nil }
    return SavedHabits(
      week: week, goings: goings, halted_s: halted_s, departures: SavedTable(departures.departures),
      departuresByDay: SavedTable(departures.departuresByDay),
      parkedByHour_s: SavedTable(departures.parkedByHour_s),
      parkedByDay_s: SavedTable(departures.parkedByDay_s))
  }

  /// nil: it makes no sense.
  init?(_ saved: SavedHabits) {
    guard let slots = saved.departures.values(DepartureHabits.slots),
      let days = saved.departuresByDay.values(7),
      let hours_s = saved.parkedByHour_s.values(24), let days_s = saved.parkedByDay_s.values(7),
      let departures = DepartureHabits(
        departures: slots, byDay: days, parkedByHour_s: hours_s, parkedByDay_s: days_s)
    else { return nil }
    (week, self.departures, goings, halted_s) = (saved.week, departures, saved.goings, saved.halted_s)
  }
}

/// As in `Habits` and `DepartureHabits`.
struct SavedHabits: SavedObject, Equatable {
  var week: Int64 = 0
  var goings = 0.0
  var halted_s = 0.0
  var departures = SavedTable()
  var departuresByDay = SavedTable()
  var parkedByHour_s = SavedTable()
  var parkedByDay_s = SavedTable()

  static let members: [SavedMember<SavedHabits>] = [
    .init("week", \.week) { (0...100_000).contains($0) },
    .init("goings", \.goings, decimals: 2, where: SavedTable.isSound),
    .init("halted_s", \.halted_s, decimals: 2, where: SavedTable.isSound),
    .init("departures", \.departures), .init("departures_by_day", \.departuresByDay),
    .init("parked_by_hour_s", \.parkedByHour_s), .init("parked_by_day_s", \.parkedByDay_s),
  ]

  var isSound: Bool { Habits(self) != nil }
}

/// Numbers in their places, in hundredths. What is 0 at the end is left out.
struct SavedTable: Savable, Equatable {
  private var hundredths: [Int] = []

  init() {}

  init(_ values: [Double]) {
    hundredths = values.map { Int(saturating: ($0 * 100).rounded()) }
    while hundredths.last == 0 { hundredths.removeLast() }
  }

  init?(saved: JSONValue) {
    guard let hundredths = [Int](saved: saved),
      hundredths.allSatisfy({ SavedTable.isSound(Double($0) / 100) })
    else {
      return nil
    }
    self.hundredths = hundredths
  }

  var saved: JSONValue { .array(hundredths.map { .integer(Int64($0)) }) }

  /// nil: there are more.
  func values(_ count: Int) -> [Double]? {
    guard hundredths.count <= count else { return nil }
    return hundredths.map { Double($0) / 100 } + [Double](repeating: 0, count: count - hundredths.count)
  }

  static func isSound(_ value: Double) -> Bool { (0...1e10).contains(value) }
}
