import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// A parked vehicle whose habits are known.
@Suite("Motion: probes by habits")
struct LearnedProbeTests {
  /// Parked at second 61 of the local day `day`, at `hour`; nil: the time is not known.
  private func parked(
    _ habits: Habits, day: Int = 60, hour: Double? = 17.5, _ change: (inout MotionSettings) -> Void = { _ in }
  ) -> MotionTimeline {
    var timeline = MotionTimeline(change)
    timeline.motion.known.habits = habits
    timeline.motion.known.view.localOffset_s = hour.map { local_s(day: day, hour: $0) }
    timeline.motion.known.view.expectedTTFF_ms = 2000
    timeline.stand(1, 61)
    return timeline
  }

  /// Answered probes up to so many seconds from the begin of the timeline.
  private func looks(_ timeline: MotionTimeline, until s: Double) -> [Double] {
    var timeline = timeline
    var looks: [Double] = []
    while let deadline_ms = timeline.motion.deadline_ms, deadline_ms <= milliseconds(s) {
      timeline.run(to: Double(deadline_ms) / 1000)
      looks.append(timeline.now_s)
      timeline.fix(.at(timeline.now_s + 2))
    }
    return looks
  }

  private func pauses(_ looks: [Double]) -> [Double] { zip(looks, looks.dropFirst()).map { $1 - $0 } }

  @Test("they lie close together where the vehicle usually leaves, and far apart at night")
  func dense() {
    let looks = looks(parked(.commuter(days: 28)), until: 16 * 3600)
    func within(_ from: Double, _ to: Double) -> Double {
      Double(looks.count { $0 / 3600 + 17.5 >= from && $0 / 3600 + 17.5 < to }) / (to - from)
    }
    // From Monday evening to Tuesday: 31.25 is a quarter past seven.
    #expect(within(31.25, 31.75) > 8 * within(25, 29), "\(looks)")
    #expect(pauses(looks).allSatisfy { $0 >= 15 && $0 <= 1801 })
  }

  @Test("while little is known no pause is longer than the settings' own, and some are shorter")
  func few() {
    var habits = Habits()
    for day in 40..<59 {
      habits.parked(from: local_s(day: day, hour: 7), to: local_s(day: day + 1, hour: 6.9))
      habits.left(at: local_s(day: day, hour: 7))
    }
    let learned = looks(parked(habits), until: 16 * 3600)
    for (before_s, next_s) in zip([61.0] + learned, learned) {
      let own_s = max(90, (before_s + 2 - 61) / 50)
      #expect(next_s - before_s <= own_s + 2.01, "\(before_s)")
    }
    #expect(pauses(learned).contains { $0 < 60 })
    for _ in 0..<5 { habits.left(at: local_s(day: 59, hour: 7)) }
    #expect(pauses(looks(parked(habits), until: 4 * 3600)).contains { $0 > 600 })
  }

  @Test(
    "with nothing learned they are the settings' own to the second, and with a worth of 0 whatever is learned"
  )
  func settingsOwn() {
    let own = looks(parked(Habits()) { $0.probeWorth = 0 }, until: 12 * 3600)
    #expect(looks(parked(Habits()), until: 12 * 3600) == own)
    #expect(looks(parked(.commuter(days: 28)) { $0.probeWorth = 0 }, until: 12 * 3600) == own)
  }

  @Test("where the time is not known they are the settings' own, and nothing is learned")
  func clockUnknown() {
    let own = looks(parked(Habits()) { $0.probeWorth = 0 }, until: 12 * 3600)
    #expect(looks(parked(.commuter(days: 28), hour: nil), until: 12 * 3600) == own)
    var timeline = parked(Habits(), hour: nil)
    timeline.run(to: 1000)
    timeline.roll(1001, 1200, from: 800)
    #expect(timeline.motion.isMoving && timeline.motion.known.habits == Habits())
  }

  @Test("a departure is learned at the middle of the time in which it happened")
  func learned() {
    var timeline = parked(Habits(), day: 60, hour: 0)
    timeline.run(to: 5 * 3600)
    timeline.fix(.at(5 * 3600 + 20))
    let before_s = timeline.motion.deadline_ms! / 1000
    timeline.run(to: Double(before_s) + 5)
    timeline.roll(Int(before_s) + 6, Int(before_s) + 40, from: 800)
    #expect(timeline.motion.isMoving)
    let habits = timeline.motion.known.habits.departures
    #expect(habits.known == 1)
    let middle = Int((Double(5 * 3600 + 20) + Double(before_s)) / 2) / 300
    #expect(habits.departures[middle] == 1, "\(habits.departures.firstIndex(of: 1) ?? -1), not \(middle)")
    let parked_s = habits.parkedByHour_s.reduce(0, +)
    #expect(abs(parked_s - Double(middle * 300)) < 400, "\(parked_s)")
  }

  @Test("one that the ignition tells, or a GPS that is on, is learned at its own instant")
  func learnedExactly() {
    var wired = parked(Habits(), day: 60, hour: 0)
    wired.motion.known.hasSentinel = true
    wired.fix(.at(Double(wired.motion.deadline_ms!) / 1000 + 2))
    wired.ignition(true, at: 3300)
    var always = parked(Habits(), day: 60, hour: 0) { $0.gpsOffWhenParked = false }
    always.stand(62, 3305)
    always.roll(3306, 3340)
    for timeline in [wired, always] {
      let habits = timeline.motion.known.habits.departures
      let slot = habits.departures.firstIndex(of: 1)
      #expect(timeline.motion.isMoving && slot == 11, "\(slot ?? -1)")
      #expect(abs(habits.parkedByHour_s.reduce(0, +) - 3270) < 60)
    }
  }

  @Test("a vehicle with new habits is found by the longest pause", arguments: [1.0, 2.5, 4.2, 5.9])
  func newHabits(afterMidnight_h: Double) {
    var timeline = parked(.commuter(days: 28))
    let left_s = ((24 - 17.5 + afterMidnight_h) * 3600).rounded()
    _ = looks(timeline, until: left_s)
    while let deadline_ms = timeline.motion.deadline_ms, deadline_ms <= milliseconds(left_s) {
      timeline.run(to: Double(deadline_ms) / 1000)
      timeline.fix(.at(timeline.now_s + 2))
    }
    let look_s = Double(timeline.motion.deadline_ms!) / 1000
    #expect(look_s <= left_s + 1800)
    timeline.run(to: look_s)
    timeline.roll(Int(look_s) + 2, Int(look_s) + 40, from: (look_s - left_s) * 10)
    #expect(timeline.motion.isMoving && timeline.lines(with: "probe").last != nil, "\(timeline.log)")
    #expect(timeline.motion.known.habits.departures.known > Habits.commuter(days: 28).departures.known * 0.8)
  }

  @Test(
    "habits follow the wall clock: after the change to summer time, and in another zone",
    arguments: [1.0, -1, -9])
  func zones(shift_h: Double) {
    // Tuesday morning, local time; the boot clock began on Monday at 17:30 by the old one.
    var timeline = parked(.commuter(days: 28))
    timeline.motion.known.view.localOffset_s! += Int64(shift_h * 3600)
    let looks = looks(timeline, until: 30 * 3600)
    let usual_h = 31.5 - 17.5 - shift_h
    let dense = looks.count { abs($0 / 3600 - usual_h) < 0.2 }
    let hourBefore = looks.count { abs($0 / 3600 - (usual_h - 1.5)) < 0.2 }
    #expect(dense >= 8 && dense > 4 * hourBefore, "\(dense) \(hourBefore)")
  }

  @Test("a zone that changes while it stands makes no time of nothing")
  func zoneWhileParked() {
    var timeline = parked(Habits(), day: 60, hour: 12)
    for (hour, offset_h) in [(2.0, 12.0), (4, 21), (6, 3), (8, 12)] {
      _ = looks(timeline, until: hour * 3600)
      while let deadline_ms = timeline.motion.deadline_ms, deadline_ms <= milliseconds(hour * 3600) {
        timeline.run(to: Double(deadline_ms) / 1000)
        timeline.fix(.at(timeline.now_s + 2))
      }
      timeline.motion.known.view.localOffset_s = local_s(day: 60, hour: offset_h)
    }
    let parked_s = timeline.motion.known.habits.departures.parkedByHour_s
    #expect(abs(parked_s.reduce(0, +) - 8 * 3600) < 2000 && parked_s.allSatisfy { $0 >= 0 && $0 <= 3600 * 3 })
  }

  @Test("time that nobody watched is no time parked")
  func windows() {
    var timeline = parked(Habits(), day: 60, hour: 0)
    timeline.run(to: 3000)
    timeline.fix(.at(3001))
    timeline.motion.watchEnded(at: 3_100_000)
    timeline.motion.watchBegan(at: 40_000_000)
    timeline.fix(.at(40_005))
    let parked_s = timeline.motion.known.habits.departures.parkedByDay_s.reduce(0, +)
    #expect(abs(parked_s - 3000) < 130, "\(parked_s)")
  }

  // MARK: What woke it

  @Test("a departure says what woke it: a probe that was due, or vibration")
  func cause() {
    var timeline = ProbeTests.parked()
    timeline.run(to: 151)
    timeline.roll(152, 190, from: 500)
    #expect(timeline.log.last?.hasSuffix(", after 61, probe") == true, "\(timeline.log)")
    timeline = ProbeTests.parked()
    timeline.run(to: 100)
    _ = timeline.motion.shaken(at: 100_000)
    timeline.roll(102, 140, from: 300)
    #expect(timeline.log.last?.hasSuffix(", after 61, vibration") == true, "\(timeline.log)")
  }

  @Test("shaking that was answered by a look is not the cause of a later departure")
  func shakenBefore() {
    var timeline = ProbeTests.parked()
    timeline.run(to: 100)
    _ = timeline.motion.shaken(at: 100_000)
    timeline.fix(.at(103))
    timeline.run(to: 194)
    timeline.roll(195, 230, from: 500)
    #expect(timeline.log.last?.hasSuffix(", probe") == true, "\(timeline.log)")
  }
}
