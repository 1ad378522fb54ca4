import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Motion: trips")
struct MotionTests {
  @Test(
    "a vehicle that stands at the first start is parked after a minute", arguments: [(60, false), (61, true)])
  func firstStart(seconds: Int, parked: Bool) {
    var timeline = MotionTimeline()
    timeline.stand(1, seconds)
    #expect(timeline.lines(with: "found parked") == (parked ? ["61 found parked"] : []))
    #expect(timeline.motion.wantsGPS == !parked)
  }

  @Test("a vehicle that drives at the first start is on a trip after 12 s, which began with the first fix")
  func firstStartDriving() {
    var timeline = MotionTimeline()
    timeline.roll(1, 12)
    #expect(timeline.log.isEmpty)
    timeline.roll(13, 20, from: 120)
    #expect(timeline.log == ["13 departed from 1, fixes"])
    #expect(timeline.lastTrack.map(\.at_s) == (1...13).map { Double($0) })
  }

  @Test("one fast fix at the first start is noise")
  func oneFastFix() {
    var timeline = MotionTimeline()
    timeline.stand(1, 10)
    timeline.fix(.at(11, speed_mps: 8))
    timeline.stand(12, 61)
    #expect(timeline.log == ["61 found parked"])
  }

  @Test("a wrong date on the first fix does not keep the vehicle awake", arguments: [1e9, 5000])
  func wrongFirstDate(ahead_s: Double) {
    var timeline = MotionTimeline()
    var wrong = Fix.at(1)
    wrong.time_ms += milliseconds(ahead_s)
    _ = timeline.motion.fixArrived(wrong, at: 1000)
    timeline.stand(2, 100)
    #expect(timeline.log.first == "62 found parked")
  }

  @Test("stays moving at a red light of 299 s, is parked after 300", arguments: [(299, 0), (300, 1)])
  func stop(seconds: Int, arrivals: Int) {
    var timeline = MotionTimeline()
    timeline.roll(1, 60)
    timeline.stand(61, 61 + seconds, east_m: 600)
    #expect(timeline.motion.isMoving == (arrivals == 0))
    #expect(!timeline.motion.isMoving || timeline.motion.isHalted)
    timeline.roll(62 + seconds, 90 + seconds, from: 600)
    #expect(timeline.lines(with: "arrived").count == arrivals)
    #expect(timeline.motion.isMoving && !timeline.motion.isHalted)
  }

  @Test("the trip's end is the moment of arrival, not five minutes later")
  func backDated() {
    var timeline = MotionTimeline()
    timeline.roll(1, 60)
    timeline.stand(61, 400, east_m: 600)
    let arrived = timeline.lines(with: "arrived")
    #expect(arrived.count == 1 && arrived[0].contains(" arrived 61, stayed"), "\(arrived)")
    #expect(!timeline.motion.wantsGPS)
    let centre = timeline.lastPlace?.centre ?? .origin
    #expect(centre.distance_m(to: .at(east_m: 600, north_m: 0)) < 3)
  }

  @Test("a receiver that gives no speed still reports driving from standing")
  func noSpeed() {
    var timeline = MotionTimeline()
    var halted = 0
    for s in 1...120 {
      timeline.fix(.at(Double(s), east_m: Double(s) * 8, speed_mps: nil))
      if timeline.motion.isMoving, timeline.motion.isHalted { halted += 1 }
    }
    #expect(timeline.motion.isMoving && halted == 0)
    for s in 121...430 { timeline.fix(.at(Double(s), east_m: 960, speed_mps: nil)) }
    let arrival_s = timeline.trips.first?.end_s ?? 0
    #expect(abs(arrival_s - 120) < 10, "\(timeline.log)")
  }

  @Test("stop and go over an hour is one trip")
  func trafficJam() {
    var timeline = MotionTimeline()
    timeline.roll(1, 60)
    var s = 61
    var east_m = 600.0
    for _ in 0..<18 {
      timeline.stand(s, s + 179, east_m: east_m)
      timeline.roll(s + 180, s + 199, from: east_m, speed_mps: 4)
      east_m += 80
      s += 200
    }
    #expect(timeline.log == ["13 departed from 1, fixes"])
  }

  @Test("one fix outside the place does not end a halt, and does not make it an arrival")
  func outlierAtHalt() {
    var timeline = MotionTimeline()
    timeline.roll(1, 60)
    timeline.stand(61, 100, east_m: 600)
    timeline.fix(.at(101, east_m: 700))
    timeline.stand(102, 400, east_m: 600)
    #expect(timeline.lines(with: "arrived").first?.contains(" arrived 61,") == true)
  }

  @Test("a vehicle seen driving off at the stop time-out is not parked")
  func leavingAtTimeout() {
    var timeline = MotionTimeline()
    timeline.roll(1, 60)
    timeline.stand(61, 350, east_m: 600)
    timeline.fix(.at(365, east_m: 750, speed_mps: 15))
    timeline.roll(366, 380, from: 750)
    #expect(timeline.lines(with: "arrived").isEmpty)
  }

  @Test("a trip without any fix for half an hour ends at its last fix")
  func lostTrip() {
    var timeline = MotionTimeline()
    timeline.roll(1, 60)
    timeline.run(to: 1859)
    #expect(timeline.lines(with: "arrived").isEmpty)
    timeline.run(to: 1860)
    #expect(timeline.log.last == "1860 arrived 60, noFix")
  }

  @Test("a trip that only the ignition reported, and no fix ever, is given up after half an hour")
  func ignitionWithoutFix() {
    var timeline = MotionTimeline()
    timeline.stand(1, 61)
    timeline.ignition(true, at: 100)
    #expect(timeline.log.last == "100 departed, after 61, ignition")
    timeline.run(to: 3000)
    #expect(timeline.log.contains { $0.hasPrefix("1900 arrived") && $0.hasSuffix("noFix") })
    #expect(timeline.motion.name == .stationary)
  }

  @Test("ignition off for 60 s at a standstill ends the trip at the arrival")
  func ignitionOff() {
    var timeline = MotionTimeline()
    timeline.stand(1, 61)
    timeline.ignition(true, at: 100)
    timeline.roll(101, 200)
    timeline.stand(201, 220, east_m: 1000)
    timeline.ignition(false, at: 220)
    timeline.stand(221, 279, east_m: 1000)
    #expect(timeline.motion.isMoving)
    timeline.stand(280, 281, east_m: 1000)
    #expect(timeline.log.last == "280 arrived 201, ignition")
  }

  @Test("the ignition's flicker ends nothing, and a tow with the ignition off goes on")
  func ignitionFlickers() {
    var timeline = MotionTimeline()
    timeline.stand(1, 61)
    timeline.ignition(true, at: 100)
    timeline.stand(101, 120)
    timeline.ignition(false, at: 120)
    timeline.stand(121, 150)
    timeline.ignition(true, at: 150)
    timeline.stand(151, 200)
    timeline.ignition(false, at: 200)
    timeline.roll(201, 400)
    #expect(timeline.motion.isMoving)
  }

  @Test("ignition off while rolling parks nothing, also without another fix")
  func ignitionOffWhileRolling() {
    var timeline = MotionTimeline()
    timeline.stand(1, 61)
    timeline.ignition(true, at: 70)
    timeline.roll(71, 89, speed_mps: 15)
    timeline.ignition(false, at: 90)
    timeline.run(to: 150)
    #expect(timeline.motion.isMoving)
    #expect(timeline.lines(with: "arrived").isEmpty)
  }

  @Test("when tracking ends in a trip, nothing is known any more; a parked vehicle stays parked")
  func watchEnds() {
    var timeline = MotionTimeline()
    timeline.roll(1, 20)
    #expect(timeline.motion.isMoving)
    timeline.motion.watchEnded(at: milliseconds(timeline.now_s))
    #expect(timeline.motion.state == .unknown(Unknown()))
    timeline.stand(21, 100, east_m: 200)
    timeline.motion.watchEnded(at: milliseconds(timeline.now_s))
    guard case .stationary = timeline.motion.state else {
      Issue.record("not parked")
      return
    }
    timeline.motion.watchBegan(at: 500_000)
    #expect(timeline.motion.deadline_ms == 500_000, "looks at once")
  }

  @Test(
    "with the GPS always on a trip out of a stretch without fixes begins with the first fix after it",
    arguments: [30, 600], [0, 3])
  func unseenDeparture(stood_s: Int, rolled_s: Int) {
    var timeline = MotionTimeline { $0.gpsOffWhenParked = false }
    timeline.stand(0, stood_s)
    for s in 0..<rolled_s {
      timeline.fix(.at(Double(stood_s + 1 + s), east_m: Double(s), speed_mps: 1.2))
    }
    timeline.roll(170_000, 170_060, from: 800)
    #expect(timeline.trips.map(\.start_s) == [170_000], "\(timeline.log)")
  }
}
