import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Habits of departures")
struct DepartureHabitsTests {
  /// Parked all the time, but for what is given: `days` and hours of departures.
  private func habits(days: Int, leaving: [(day: Int, hour: Double)]) -> DepartureHabits {
    var habits = DepartureHabits()
    habits.parked(from: 0, to: Int64(days) * DepartureHabits.day_s)
    for (day, hour) in leaving { habits.left(at: local_s(day: day, hour: hour)) }
    return habits
  }

  private func rate(_ habits: DepartureHabits, _ day: Int, _ hour: Double) -> Double {
    habits.rate(at: local_s(day: day, hour: hour), supposed: 0)
  }

  /// What one departure in fifty that comes at any time makes of the chance.
  private func anyTime(_ habits: DepartureHabits) -> Double {
    0.02 * habits.known / (habits.parkedByDay_s.reduce(0, +) + 21_600)
  }

  private func isQuiet(_ habits: DepartureHabits, _ day: Int, _ hour: Double) -> Bool {
    abs(rate(habits, day, hour) - anyTime(habits)) < 1e-12
  }

  @Test("where nothing is known, what is supposed holds at every hour")
  func nothingKnown() {
    let habits = DepartureHabits()
    for hour in 0..<168 {
      #expect(abs(habits.rate(at: Int64(hour) * 3600, supposed: 0.001) - 0.001) < 1e-12)
    }
    #expect(habits.areFew && habits.known == 0 && habits.week == nil)
  }

  @Test("where it leaves at one time of the day, it is expected then, and a few minutes around")
  func sharp() {
    let habits = habits(days: 14, leaving: (0..<14).map { ($0, 7.5) })
    #expect(rate(habits, 20, 7.5) > 0.9 * 14 / 14.25 / 900)
    #expect(rate(habits, 20, 7.5 + 0.1) > 0 && rate(habits, 20, 7.5 - 0.1) > 0)
    #expect(rate(habits, 20, 7.5 + 0.1) > 50 * anyTime(habits))
    #expect(isQuiet(habits, 20, 7.5 + 0.3) && isQuiet(habits, 20, 7.5 - 0.3) && isQuiet(habits, 20, 3))
    #expect(anyTime(habits) > 0)
  }

  @Test("times that scatter are spread to their neighbours, an hour and a half at most")
  func scattered() {
    // Each fifth of an hour between 9 and 15 once: no time between is without.
    let often = habits(days: 31, leaving: (0..<31).map { ($0, 9 + Double($0) / 5) })
    for hour in stride(from: 9.0, through: 15, by: 0.1) { #expect(!isQuiet(often, 40, hour), "\(hour)") }
    let mean = 31 / (6.2 * 3600) / 31.25
    for hour in stride(from: 10.0, through: 14, by: 0.25) {
      #expect(abs(rate(often, 40, hour) / mean - 1) < 0.5, "\(hour)")
    }
    let rare = habits(days: 14, leaving: [(1, 6), (8, 18)])
    #expect(!isQuiet(rare, 20, 7.4) && isQuiet(rare, 20, 8))
  }

  @Test("a departure stays one, however it is spread, and over midnight too")
  func oneEach() {
    for hours in [[0.01], [23.99, 0.5], [3, 3.5, 9, 22], (0..<24).map { Double($0) + 0.3 }] {
      let all = (0..<7).flatMap { day in hours.map { (day: day, hour: $0) } }
      let habits = habits(days: 7, leaving: all)
      let expected = (0..<DepartureHabits.slots).reduce(0.0) { sum, slot in
        sum + habits.rate(at: local_s(day: 14, hour: 0) + Int64(slot) * 300, supposed: 0) * 300 * 7.25
      }
      #expect(abs(expected - Double(all.count)) < 1e-6, "\(hours): \(expected)")
    }
    #expect(!isQuiet(habits(days: 7, leaving: [(1, 23.99)]), 2, 0.05))
  }

  @Test("a day of the week without departures is quieter, and never silent")
  func days() {
    let habits = Habits.commuter(days: 28).departures
    // 1970 began with a Thursday: its days 2 and 3 are the weekend.
    let (monday, saturday) = (rate(habits, 60, 7.5), rate(habits, 58, 7.5))
    #expect(saturday < monday / 4 && saturday > 5 * anyTime(habits), "\(monday) \(saturday)")
  }

  @Test("what has faded counts for less, and what is next to nothing is forgotten")
  func fading() {
    var habits = habits(days: 14, leaving: (0..<14).map { ($0, 7.5) })
    let before = rate(habits, 20, 7.5)
    habits.fade(to: 0.5)
    #expect(abs(habits.known - 7) < 1e-9 && habits.parkedByHour_s[12] == 14 * 3600 / 2)
    // Of the chance much less is lost than of the experience.
    #expect(rate(habits, 20, 7.5) > 0.95 * before)
    habits.fade(to: 0.0001)
    #expect(habits.known == 0 && habits.week == nil)
  }

  @Test("with 20 departures enough is known")
  func enough() {
    #expect(habits(days: 19, leaving: (0..<19).map { ($0, 8) }).areFew)
    #expect(!habits(days: 20, leaving: (0..<20).map { ($0, 8) }).areFew)
  }

  @Test("whatever happens, the chance is a number, and no more than one departure a slot's least spread")
  func bounds() {
    var random = SeededRandom(5)
    var habits = DepartureHabits()
    for _ in 0..<300 {
      let at_s = Int64.random(in: -3_000_000...3_000_000_000, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: habits.left(at: at_s)
      case 1: habits.parked(from: at_s, to: at_s + Int64.random(in: 0...604_800, using: &random))
      case 2: habits.parked(from: at_s, to: at_s - 5)
      default: habits.fade(to: Double.random(in: 0...1, using: &random))
      }
      let rate = habits.rate(at: at_s, supposed: 1e-5)
      #expect(rate.isFinite && rate >= 0 && rate < 300 * 4 / 900.0, "\(rate)")
    }
  }

  @Test("the week for a person begins with Monday, and adds up")
  func week() throws {
    let week = try #require(Habits.commuter(days: 28).departures.week)
    #expect(week.perHour.count == 7 && week.perHour.allSatisfy { $0.count == 24 } && !week.areFew)
    for day in 0..<5 {
      #expect(week.perHour[day][7] > 0.5 && week.perHour[day][16] + week.perHour[day][17] > 0.5)
    }
    #expect(week.perHour[5][7] < week.perHour[4][7] / 4 && week.perHour[6][7] < week.perHour[4][7] / 4)
    #expect(week.perHour.allSatisfy { $0[3] < 0.01 })
  }
}
