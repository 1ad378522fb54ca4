import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Habits, learned and saved")
struct HabitsTests {
  @Test("a week before counts for 95 % of this one")
  func weeks() {
    var habits = Habits()
    habits.left(at: local_s(day: 8, hour: 9))
    habits.left(at: local_s(day: 9, hour: 9))
    #expect(habits.departures.known == 2)
    habits.left(at: local_s(day: 14, hour: 9))
    #expect(abs(habits.departures.known - (2 * 0.95 + 1)) < 1e-9)
    habits.left(at: local_s(day: 7 * 10, hour: 9))
    var expected = 2 * 0.95 + 1.0
    for _ in 2..<10 { expected *= 0.95 }
    #expect(abs(habits.departures.known - (expected + 1)) < 1e-9)
  }

  @Test("a van that leaves no more is forgotten, and learned anew with new habits")
  func newHabits() {
    var habits = Habits.commuter(days: 56)
    let before = habits.departures.rate(at: local_s(day: 60, hour: 7.5), supposed: 0)
    for day in 60..<144 {
      habits.parked(from: local_s(day: day, hour: 0), to: local_s(day: day, hour: 21))
      habits.left(at: local_s(day: day, hour: 21))
    }
    let after = habits.departures.rate(at: local_s(day: 144, hour: 7.5), supposed: 0)
    let new = habits.departures.rate(at: local_s(day: 144, hour: 21), supposed: 0)
    #expect(after < before / 3 && new > before / 2, "\(before) \(after) \(new)")
  }

  @Test("a clock that was a century ahead for a moment does not stop the fading")
  func wrongClock() {
    var habits = Habits()
    for _ in 0..<30 { habits.left(at: local_s(day: 20_000, hour: 9)) }
    habits.left(at: local_s(day: 56_000, hour: 9))
    #expect(habits.departures.known < 1.1)
    habits.left(at: local_s(day: 20_001, hour: 9))
    habits.left(at: local_s(day: 20_008, hour: 9))
    #expect(habits.departures.known < 2.96)
  }

  @Test("a stay of more than a week, or one that ends before it begins, is a clock that was set")
  func wrongStay() {
    var habits = Habits()
    habits.parked(from: 0, to: 8 * 86_400)
    habits.parked(from: 5000, to: 4000)
    #expect(habits == Habits())
  }

  @Test("of halts it is learned how often they go on")
  func halts() {
    var habits = Habits()
    #expect(habits.goingRate == 3.0 / 180)
    for _ in 0..<10 { habits.halted(for: 240, wentOn: false) }
    #expect(habits.goingRate == 3.0 / 2580)
    habits.halted(for: 20, wentOn: true)
    #expect(habits.goingRate == 4.0 / 2600)
  }

  // MARK: Saved

  @Test("what is saved is read again as it was, to a hundredth")
  func roundTrip() throws {
    var habits = Habits.commuter(days: 40)
    habits.halted(for: 33.3, wentOn: true)
    let again = try #require(habits.saved.flatMap { Habits($0) })
    #expect(again.saved == habits.saved)
    #expect(abs(again.departures.known - habits.departures.known) < 0.01 * 288)
    for hour in 0..<168 {
      let at_s = local_s(day: 50, hour: Double(hour))
      let (rate, read) = (
        habits.departures.rate(at: at_s, supposed: 1e-6), again.departures.rate(at: at_s, supposed: 1e-6)
      )
      #expect(abs(read - rate) <= 0.02 * rate, "\(hour): \(rate) \(read)")
    }
    #expect(Habits().saved == nil)
  }

  @Test("years of it are less than three kilobytes")
  func size() throws {
    var random = SeededRandom(3)
    var habits = Habits()
    var at_s: Int64 = 1_700_000_000
    for _ in 0..<20_000 {
      let left_s = at_s + Int64.random(in: 300...20_000, using: &random)
      habits.parked(from: at_s, to: left_s)
      habits.left(at: left_s)
      habits.halted(for: 200, wentOn: random.next() % 2 == 0)
      at_s = left_s + 600
    }
    let saved = try #require(habits.saved)
    // A digit more than most of its numbers have.
    let bytes = saved.saved.leaves * 8
    #expect(bytes < 3000, "\(bytes)")
    #expect(SavedHabits(saved: saved.saved)?.saved == saved.saved && Habits(saved) != nil)
  }

  @Test(
    "a damaged value is nothing, and is said to be unreadable",
    arguments: [
      "x", ["week": -1], ["week": 9_999_999_999], ["goings": -5], ["halted_s": .outOfRange],
      ["departures": [1, "x"]], ["departures_by_day": [1, 2, 3, 4, 5, 6, 7, 8]], ["parked_by_day_s": [-1]],
      ["departures": .array([JSONValue](repeating: 1, count: 289))],
      ["parked_by_hour_s": [1_000_000_000_001]],
    ] as [JSONValue])
  func damaged(saved: JSONValue) throws {
    let state = SavedState(["motion": [:], "habits": saved])
    #expect(try state.unreadable(Tracker.savedKinds) == ["habits"])
    #expect(Motion(settings: MotionSettings(), saved: state, at: 0).known.habits == Habits())
  }

  /// Half an hour parked, ten minutes driven, six times.
  private func day() throws -> TrackerTimeline {
    var drive = Drive()
    for _ in 0..<6 {
      drive.park(1800)
      drive.go(600, speed_mps: 14)
    }
    drive.park(3000)
    return try TrackerTimeline(drive)
  }

  @Test("a power cut costs ten minutes of them, an orderly stop nothing")
  func outlivesTheProcess() throws {
    let day = try day()
    day.run(to: 15_000)
    let before = day.tracker.journey.motion.known.habits
    let known = before.departures.known
    #expect(known >= 5)
    day.reboot(after: 10, isSynchronised: true)
    let cut = day.tracker.journey.motion.known.habits
    #expect(cut.departures.known >= known - 1)
    let parked_s = before.departures.parkedByDay_s.reduce(0, +)
    #expect(abs(cut.departures.parkedByDay_s.reduce(0, +) - parked_s) < 2500 && parked_s > 5000)
    day.run(to: 16_000)
    let late = day.tracker.journey.motion.known.habits
    day.happen(.stopping)
    day.kill(restartAfter: 0)
    #expect(day.tracker.journey.motion.known.habits.saved == late.saved)
  }

  @Test("a reload keeps them")
  func reload() throws {
    let day = try day()
    day.run(to: 15_000)
    let before = day.tracker.journey.motion.known.habits
    try day.reload { $0.motion.stopTimeout_s = 200 }
    #expect(day.tracker.journey.motion.known.habits == before && before.departures.known > 0)
  }

  @Test("nothing of them is in the log or the status")
  func nothingPersonal() throws {
    var drive = Drive()
    drive.park(2000)
    let learned = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    let fresh = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    learned.leave("habits", Habits.commuter(days: 21).saved.saved)
    for day in [learned, fresh] {
      day.kill(restartAfter: 1)
      day.run(to: 1900)
    }
    #expect(learned.tracker.journey.motion.known.habits.departures.known > 20)
    #expect(learned.log == fresh.log)
    #expect(learned.tracker.status(at: learned.now) == fresh.tracker.status(at: fresh.now))
  }
}
