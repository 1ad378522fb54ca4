import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Signs of life of a parked vehicle")
struct SignTests {
  private func parked(_ change: (inout MotionSettings) -> Void = { _ in }) -> MotionTimeline {
    var timeline = MotionTimeline(change)
    timeline.stand(1, 61)
    return timeline
  }

  @Test(
    "one starts a probe at once, and a departure that this finds is its own",
    arguments: [
      DepartureCause.voltage, .acceleration,
    ])
  func probe(cause: DepartureCause) {
    var timeline = parked()
    timeline.run(to: 120)
    #expect(timeline.motion.signOfLife(cause, at: 120_000) == [.probeStarted])
    timeline.roll(121, 150, from: 300)
    #expect(timeline.lines(with: ", \(cause)").count == 1, "\(timeline.log)")
  }

  @Test("what a probe finds that was due is not a sign's")
  func due() {
    var timeline = parked()
    timeline.run(to: 151)
    #expect(timeline.motion.wantsGPS)
    _ = timeline.motion.signOfLife(.voltage, at: 151_000)
    timeline.roll(152, 180)
    #expect(timeline.lines(with: ", probe").count == 1)
  }

  @Test("while it stays, looks follow after half the time since the sign, for ten minutes")
  func looks() {
    var timeline = parked()
    timeline.run(to: 4 * 3600)
    while timeline.motion.wantsGPS { timeline.fix(.at(timeline.now_s + 3)) }
    let sign_s = timeline.now_s + 10
    timeline.run(to: sign_s)
    #expect(timeline.motion.signOfLife(.voltage, at: milliseconds(sign_s)) == [.probeStarted])
    var looks: [Double] = []
    var s = sign_s
    while s < sign_s + 1200 {
      s += 1
      timeline.run(to: s)
      guard timeline.motion.wantsGPS else { continue }
      looks.append(s - sign_s)
      timeline.fix(.at(s))
    }
    let early = looks.filter { $0 < 600 }
    #expect((7...11).contains(early.count), "\(looks)")
    for (before, next) in zip(early, early.dropFirst()) {
      #expect(next - before <= max(16, before / 2 + 2), "\(looks)")
    }
    #expect(looks.count - early.count <= 4, "then as ever: \(looks)")
  }

  @Test("one that finds it gone minutes later is still the sign's")
  func late() {
    var timeline = parked()
    timeline.run(to: 120)
    _ = timeline.motion.signOfLife(.voltage, at: 120_000)
    timeline.fix(.at(123))
    for s in 124...180 { timeline.run(to: Double(s)) }
    #expect(timeline.motion.wantsGPS, "15 s later")
    timeline.roll(181, 210, from: 300)
    #expect(timeline.lines(with: ", voltage").count == 1, "\(timeline.log)")
  }

  @Test("what comes again all day is looked at no more than its first sign was, each ten minutes at most")
  func allDay() {
    var timeline = parked()
    var probes = 0
    for s in stride(from: 100.0, to: 8 * 3600, by: 20) {
      timeline.run(to: s)
      if timeline.motion.signOfLife(.acceleration, at: milliseconds(s)) == [.probeStarted] { probes += 1 }
      if timeline.motion.wantsGPS { timeline.fix(.at(s + 3)) }
    }
    #expect((20...48).contains(probes), "\(probes) signs in 8 hours")
    let all = timeline.lines(with: "probe answered").count
    #expect(all < 500, "\(all) looks in 8 hours")
  }

  @Test("another kind of sign counts beside it")
  func kinds() {
    var timeline = parked()
    timeline.run(to: 120)
    #expect(timeline.motion.signOfLife(.acceleration, at: 120_000) == [.probeStarted])
    timeline.fix(.at(123))
    timeline.run(to: 130)
    #expect(timeline.motion.signOfLife(.acceleration, at: 130_000) == [])
    #expect(timeline.motion.signOfLife(.voltage, at: 130_000) == [.probeStarted])
  }

  @Test("a GPS that is always on, a trip and an unknown state ignore it")
  func ignored() {
    let always = parked { $0.gpsOffWhenParked = false }.motion
    let unknown = Motion(settings: MotionSettings())
    var moving = parked().motion
    _ = moving.ignitionChanged(on: true, at: 70_000)
    for motion in [always, unknown, moving] {
      var told = motion
      #expect(told.signOfLife(.voltage, at: 80_000) == [])
      #expect(told == motion)
    }
  }
}
