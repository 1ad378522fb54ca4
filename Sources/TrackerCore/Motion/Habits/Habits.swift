/// What is learned of how this vehicle is used: when it leaves, and how often it drives on after a halt.
struct Habits: Equatable, Sendable {
  private(set) var departures = DepartureHabits()
  /// Halts within trips that went on, of those that had lasted `Motion.halt_s`, and seconds halted beyond that.
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

  /// A halt has lasted so long beyond `Motion.halt_s`. - Parameter wentOn: it was no end of a trip.
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

  /// Of a vehicle that has halted for `Motion.halt_s`: how often it drives on, a second.
  var goingRate: Double { (goings + Habits.supposedGoings) / (halted_s + Habits.supposedHalted_s) }
}

/// Saved as one line, the key `habits`: the week, goings and seconds of halts, then the tables of `DepartureHabits` with
/// `/` between them; what is 0 at a table's end is left out, and what is 0 elsewhere is empty.
extension Habits {
  var saved: String {
    if week == 0 { return "" }
    let tables = [
      [goings, halted_s], departures.departures, departures.departuresByDay,
      departures.parkedByHour_s, departures.parkedByDay_s,
    ]
    return "\(week)/" + tables.map { Habits.text($0) }.joined(separator: "/")
  }

  /// nil: it makes no sense.
  init?(saved: String) {
    if saved.isEmpty { return }
    let parts = saved.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 6, let week = Int64(parts[0]), (0...100_000).contains(week),
      let halts = Habits.numbers(parts[1], 2), let slots = Habits.numbers(parts[2], DepartureHabits.slots),
      let days = Habits.numbers(parts[3], 7), let hours_s = Habits.numbers(parts[4], 24),
      let days_s = Habits.numbers(parts[5], 7),
      let departures = DepartureHabits(
        departures: slots, byDay: days, parkedByHour_s: hours_s, parkedByDay_s: days_s)
    else { return nil }
    (self.week, self.departures, goings, halted_s) = (week, departures, halts[0], halts[1])
  }

  /// Hundredths, without a point.
  private static func text(_ values: [Double]) -> String {
    var text = ""
    var empty = 0
    for (place, value) in values.enumerated() {
      let hundredths = Int(saturating: (value * 100).rounded())
      if place > 0 { empty += 1 }
      guard hundredths != 0 else { continue }
      text += String(repeating: ",", count: empty) + "\(hundredths)"
      empty = 0
    }
    return text
  }

  private static func numbers(_ text: Substring, _ count: Int) -> [Double]? {
    var numbers: [Double] = []
    if !text.isEmpty {
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        guard let number = part.isEmpty ? 0 : Int64(part), (0...1_000_000_000_000).contains(number) else {
          return nil
        }
        numbers.append(Double(number) / 100)
      }
    }
    guard numbers.count <= count else { return nil }
    return numbers + [Double](repeating: 0, count: count - numbers.count)
  }
}
