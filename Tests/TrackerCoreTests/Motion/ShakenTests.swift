import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Parked with a line that reports")
struct ShakenTests {
  private func parked(_ change: (inout MotionSettings) -> Void = { _ in }) -> Motion {
    var timeline = MotionTimeline(change)
    timeline.stand(1, 61)
    return timeline.motion
  }

  @Test("shaking starts a probe at once, not a trip, and the pauses begin anew")
  func probe() {
    var timeline = MotionTimeline()
    timeline.stand(1, 61)
    timeline.run(to: 140)
    #expect(timeline.lines(with: "departed").isEmpty)
    var motion = timeline.motion
    #expect(!motion.wantsGPS)
    #expect(motion.shaken(at: 140_000) == [.probeStarted])
    #expect(motion.wantsGPS)
    #expect(motion.deadline_ms! > 140_000)
    let ended = motion.fixArrived(.at(150), at: 150_000)
    #expect(ended == [.probeEnded(answered: true)])
    #expect(motion.deadline_ms! == 150_000 + 90_000)
  }

  @Test(
    "a vehicle that works where it stands is shaken all day, and is looked at no more often than without a line"
  )
  func working() {
    var timeline = MotionTimeline()
    timeline.motion.known.hasSentinel = true
    timeline.stand(1, 61)
    var looks: [Double] = []
    for s in stride(from: 100.0, to: 8 * 3600, by: 30) {
      timeline.run(to: s)
      if timeline.motion.shaken(at: milliseconds(s)) == [.probeStarted] { looks.append(s) }
      if timeline.motion.wantsGPS { timeline.fix(.at(s + 3)) }
    }
    #expect(looks.first == 100, "the first shaking is looked at once")
    let all = timeline.lines(with: "probe answered").count
    #expect(all > 100 && all < 160, "\(all) looks in 8 hours")
  }

  @Test("a probe that is on is not begun again")
  func looking() {
    var motion = parked()
    #expect(motion.shaken(at: 100_000) == [.probeStarted])
    let before = motion
    #expect(motion.shaken(at: 101_000) == [])
    #expect(motion == before)
  }

  @Test("a GPS that is always on, a trip and an unknown state ignore it")
  func ignored() {
    let always = parked { $0.gpsOffWhenParked = false }
    let unknown = Motion(settings: MotionSettings())
    var moving = parked()
    _ = moving.ignitionChanged(on: true, at: 70_000)
    for motion in [always, unknown, moving] {
      var shaken = motion
      #expect(shaken.shaken(at: 80_000) == [])
      #expect(shaken == motion)
    }
  }

  @Test("with a sentinel the first and each later probe is an hour away, without one they are as ever")
  func heartbeat() {
    var timeline = MotionTimeline { $0.parkedHeartbeat_s = 3600 }
    timeline.motion.known.hasSentinel = true
    timeline.stand(1, 61)
    #expect(timeline.motion.deadline_ms! == 3_661_000)
    timeline.run(to: 3661)
    timeline.fix(.at(3670))
    #expect(timeline.motion.deadline_ms! == 7_270_000)
    timeline.motion.known.hasSentinel = false
    timeline.run(to: 7270)
    timeline.fix(.at(7280))
    #expect(timeline.motion.deadline_ms! == 7_424_380)
  }

  @Test("the ignition begins a trip where nothing is known yet")
  func unknownIgnition() {
    var motion = Motion(settings: MotionSettings())
    #expect(motion.ignitionChanged(on: false, at: 0) == [])
    _ = motion.fixArrived(.at(10), at: 10_000)
    let departed = motion.ignitionChanged(on: true, at: 11_000)
    #expect(departed == [.departed(Motion.Start(cause: .ignition))])
    #expect(motion.isMoving)
  }
}
