import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Motion: the GPS rests within a trip")
struct DozeTests {
  /// On its way since second 1, and at second 60 600 m away.
  private func moving(
    _ change: (inout MotionSettings) -> Void = { _ in }, view: (inout ReceiverView) -> Void = { _ in }
  ) -> MotionTimeline {
    var timeline = MotionTimeline(change)
    timeline.motion.known.view.expectedTTFF_ms = 2000
    timeline.motion.known.view.hearsSky = true
    view(&timeline.motion.known.view)
    timeline.roll(1, 60)
    return timeline
  }

  /// Stands at 600 m; fixes come 2 s after the GPS was switched on. - Returns: the seconds without the GPS.
  private func halt(_ timeline: inout MotionTimeline, _ first: Int, _ last: Int) -> Set<Int> {
    var rests: Set<Int> = []
    var onFor_s = 3
    for s in first...last {
      timeline.run(to: Double(s))
      guard timeline.motion.wantsGPS else {
        rests.insert(s)
        onFor_s = 0
        continue
      }
      onFor_s += 1
      if onFor_s > 2 { timeline.fix(.at(Double(s), east_m: 600)) }
    }
    return rests
  }

  private var experienced: Habits {
    var habits = Habits()
    for _ in 0..<60 { habits.halted(for: 240, wentOn: false) }
    return habits
  }

  // MARK: Halts

  @Test(
    "a halt is watched for a minute, and then looked at now and then; it ends the trip when it would have")
  func halt() {
    var timeline = moving()
    let rests = halt(&timeline, 61, 400)
    #expect(rests.filter { $0 < 120 }.isEmpty)
    #expect(rests.count { $0 > 121 && $0 < 360 } > 150, "\(rests.sorted())")
    var always = moving { $0.probeWorth = 0 }
    #expect(halt(&always, 61, 360).isEmpty)
    _ = halt(&always, 361, 400)
    #expect(timeline.trips == always.trips && timeline.trips.first?.end_s == 61)
    #expect(!timeline.motion.isMoving)
  }

  @Test("the more often halts have ended trips, the longer are the rests, up to 55 s")
  func longer() {
    var timeline = moving()
    let few = halt(&timeline, 61, 300)
    timeline = moving()
    timeline.motion.known.habits = experienced
    let rests = halt(&timeline, 61, 300)
    #expect(rests.count > few.count + 10)
    let longest = longestRun(rests)
    #expect(longest > 30 && longest <= 56, "\(longest)")
  }

  private func longestRun(_ seconds: Set<Int>) -> Int {
    seconds.filter { !seconds.contains($0 - 1) }.map { first in
      (first...).first { !seconds.contains($0) }! - first
    }.max() ?? 0
  }

  @Test("a vehicle that drives on is on the same trip, found by the next look")
  func goesOn() {
    var timeline = moving()
    timeline.motion.known.habits = experienced
    _ = halt(&timeline, 61, 160)
    #expect(timeline.motion.noTrackCause == .parked)
    var seen_s: Int?
    for s in 161...260 {
      timeline.run(to: Double(s))
      guard timeline.motion.wantsGPS else { continue }
      seen_s = seen_s ?? s
      timeline.fix(.at(Double(s), east_m: 600 + Double(s - 160) * 10, speed_mps: 10))
    }
    #expect(seen_s.map { $0 <= 160 + 56 } == true)
    #expect(timeline.trips.count == 1 && timeline.motion.isMoving && timeline.motion.wantsGPS)
    #expect(timeline.motion.known.habits.goings == experienced.goings + 1)
  }

  @Test("red lights of more than a minute are learned, those of less are not")
  func lights() {
    var timeline = moving()
    timeline.stand(61, 110, east_m: 600)
    timeline.roll(111, 150, from: 600)
    #expect(timeline.motion.known.habits == Habits())
    timeline.stand(151, 250, east_m: 1000)
    timeline.roll(251, 290, from: 1000)
    #expect(timeline.motion.known.habits.goings == 1)
    #expect(abs(timeline.motion.known.habits.halted_s - 40) <= 2, "\(timeline.motion.known.habits.halted_s)")
  }

  @Test(
    "no rest with a slow module, one that is not known yet, an ignition that is on, or a GPS that stays on",
    arguments: ["slow", "unknown", "ignition", "always", "worth"])
  func none(why: String) {
    var timeline = moving {
      if why == "always" { $0.gpsOffWhenParked = false }
      if why == "worth" { $0.probeWorth = 0 }
    } view: {
      if why == "slow" { $0.expectedTTFF_ms = 20_000 }
      if why == "unknown" { $0.expectedTTFF_ms = 0 }
      if why == "ignition" { $0.ignitionIsOn = true }
    }
    timeline.motion.known.habits = experienced
    #expect(halt(&timeline, 61, 350).isEmpty)
  }

  @Test("an ignition that goes on ends the rest at once, at a halt and in the dark")
  func ignition() {
    var halted = moving()
    _ = halt(&halted, 61, 130)
    #expect(halted.motion.noTrackCause == .parked)
    var garage = dark(false)
    garage.run(to: 200)
    #expect(garage.motion.noTrackCause == .noSky)
    for var timeline in [halted, garage] {
      #expect(!timeline.motion.wantsGPS)
      timeline.ignition(false, at: timeline.now_s)
      #expect(!timeline.motion.wantsGPS)
      timeline.ignition(true, at: timeline.now_s + 1)
      #expect(timeline.motion.wantsGPS)
    }
  }

  @Test("a look at a halt that finds nothing leaves the GPS on until something is known")
  func vainLook() {
    var timeline = moving()
    _ = halt(&timeline, 61, 130)
    #expect(timeline.motion.noTrackCause == .parked)
    timeline.run(to: 200)
    #expect(timeline.motion.wantsGPS && timeline.motion.noTrackCause != .parked)
    timeline.run(to: 900)
    #expect(timeline.motion.wantsGPS && timeline.lines(with: "probe unanswered").count == 1)
  }

  // MARK: The dark

  private func dark(_ hearsSky: Bool?) -> MotionTimeline {
    var timeline = moving()
    timeline.motion.known.view.hearsSky = hearsSky
    return timeline
  }

  private func rests(_ timeline: inout MotionTimeline, _ first: Int, _ last: Int) -> [Int] {
    (first...last).filter { s in
      timeline.run(to: Double(s))
      return !timeline.motion.wantsGPS
    }
  }

  @Test("where no satellite is heard for two minutes, the GPS looks for 8 s, each 53")
  func darkness() {
    var timeline = dark(false)
    #expect(rests(&timeline, 61, 179).isEmpty)
    let rests = rests(&timeline, 180, 180 + 53 * 10 - 1)
    #expect(rests.count == 450, "\(rests.count)")
    #expect(timeline.motion.noTrackCause == .noSky && timeline.motion.isMoving)
  }

  @Test("a module that hears one again, or says nothing of satellites, stays on")
  func heard() {
    var silent = dark(nil)
    #expect(rests(&silent, 61, 900).isEmpty)
    var timeline = dark(false)
    _ = rests(&timeline, 61, 226)
    #expect(timeline.motion.wantsGPS)
    timeline.motion.known.view.hearsSky = true
    #expect(rests(&timeline, 227, 900).isEmpty && timeline.motion.noTrackCause != .noSky)
    timeline.roll(901, 960, from: 5000)
    #expect(timeline.trips.count == 1 && timeline.motion.isMoving)
  }

  @Test("a trip that stays in the dark ends as one without any fix")
  func lost() {
    var timeline = dark(false)
    timeline.run(to: 60 + 1800)
    #expect(
      !timeline.motion.isMoving && timeline.lines(with: "arrived 60, noFix").count == 1, "\(timeline.log)")
  }

  @Test(
    "a parked vehicle in the dark is looked at for 8 s after two vain probes, and each eighth time in full")
  func garage() {
    var timeline = ProbeTests.parked()
    timeline.motion.known.view.hearsSky = false
    timeline.motion.known.view.expectedTTFF_ms = 2000
    var lengths: [Double] = []
    while lengths.count < 20 {
      timeline.run(to: Double(timeline.motion.deadline_ms!) / 1000)
      let began_s = timeline.now_s
      while timeline.motion.wantsGPS { timeline.run(to: timeline.now_s + 1) }
      lengths.append(timeline.now_s - began_s)
    }
    #expect(Array(lengths.prefix(3)) == [45, 90, 8], "\(lengths)")
    #expect(lengths.dropFirst(2).filter { $0 == 90 }.count == 2, "\(lengths)")
    #expect(lengths.dropFirst(2).allSatisfy { $0 == 8 || $0 == 90 })
  }

  @Test(
    "a module that hears a satellite in such a look, or never says, gets its whole time",
    arguments: [true, nil])
  func garageDoor(hearsSky: Bool?) {
    var timeline = ProbeTests.parked()
    timeline.motion.known.view.hearsSky = false
    timeline.run(to: 151 + 45)
    timeline.run(to: Double(timeline.motion.deadline_ms!) / 1000)
    timeline.run(to: timeline.now_s + 90)
    timeline.run(to: Double(timeline.motion.deadline_ms!) / 1000)
    timeline.motion.known.view.hearsSky = hearsSky
    let began_s = timeline.now_s
    timeline.run(to: began_s + 89)
    #expect(timeline.motion.wantsGPS)
    timeline.run(to: began_s + 90)
    #expect(!timeline.motion.wantsGPS)
  }

  @Test("a vehicle that leaves a garage is found by the next look")
  func leavesGarage() {
    var timeline = ProbeTests.parked()
    timeline.motion.known.view.hearsSky = false
    timeline.run(to: 3000)
    #expect(!timeline.motion.isMoving)
    timeline.motion.known.view.hearsSky = true
    let look_s = Double(timeline.motion.deadline_ms!) / 1000
    timeline.run(to: look_s)
    timeline.roll(Int(look_s) + 3, Int(look_s) + 40, from: 900)
    #expect(timeline.motion.isMoving)
  }
}
