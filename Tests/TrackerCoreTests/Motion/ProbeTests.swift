import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Motion: parked")
struct ProbeTests {
  /// Parked at second 61.
  static func parked(_ change: (inout MotionSettings) -> Void = { _ in }) -> MotionTimeline {
    var timeline = MotionTimeline(change)
    timeline.stand(1, 61)
    return timeline
  }

  @Test("probes come each 90 s, then after a fiftieth of the time that it stands, up to 25 minutes")
  func growth() {
    var timeline = ProbeTests.parked()
    var times: [Double] = []
    while let deadline_ms = timeline.motion.deadline_ms, deadline_ms < 400_000_000 {
      let s = Double(deadline_ms) / 1000
      times.append(s)
      timeline.fix(.at(s))
    }
    for (before, next) in zip([61.0] + times, times) {
      let expected_s = min(max(90, (before - 61) / 50), 1500)
      #expect(abs(next - before - expected_s) < 0.01)
    }
    #expect(timeline.lines(with: "answered").count == times.count)
  }

  @Test("a probe that sees nothing ends after 45 s", arguments: [(44.0, true), (45, false)])
  func unanswered(seconds: Double, looking: Bool) {
    var timeline = ProbeTests.parked()
    timeline.run(to: 151 + seconds)
    #expect(timeline.motion.wantsGPS == looking)
    #expect(timeline.lines(with: "unanswered").isEmpty == looking)
  }

  @Test("a probe waits half as long again as the module last needed")
  func slowModule() {
    var timeline = ProbeTests.parked()
    timeline.motion.known.view.expectedTTFF_ms = 100_000
    timeline.run(to: 300)
    #expect(timeline.motion.wantsGPS)
    timeline.run(to: 301)
    #expect(!timeline.motion.wantsGPS && timeline.log.last == "301 probe unanswered")
  }

  @Test("a probe waits until its fixes may have settled, however long that takes")
  func settling() {
    var timeline = ProbeTests.parked()
    var gps = GPSSettings()
    #expect(ReceiverView(settleTimeout_s: gps.settleTimeout_s) == ReceiverView())
    gps.settleTimeout_s = 120
    timeline.motion.known.view = ReceiverView(settleTimeout_s: gps.settleTimeout_s)
    timeline.run(to: 151 + 45 + 109)
    #expect(timeline.motion.wantsGPS)
    timeline.run(to: 151 + 45 + 110)
    #expect(!timeline.motion.wantsGPS && timeline.log.last == "306 probe unanswered")
  }

  @Test("a probe with one fix in the place is over")
  func oneFixIsEnough() {
    var timeline = ProbeTests.parked()
    timeline.run(to: 151)
    #expect(timeline.motion.wantsGPS)
    timeline.fix(.at(180, east_m: 20))
    #expect(timeline.log.last == "180 probe answered")
    #expect(!timeline.motion.wantsGPS)
  }

  @Test("a vehicle that drives within its place is moving off: the look goes on until that is clear")
  func movingOff() {
    var timeline = ProbeTests.parked()
    timeline.run(to: 151)
    timeline.fix(.at(153, east_m: 4, speed_mps: 2.5))
    #expect(timeline.motion.wantsGPS && timeline.lines(with: "answered").isEmpty)
    var leaving = timeline
    leaving.roll(154, 180, from: 4, speed_mps: 8)
    #expect(leaving.lines(with: "departed").count == 1)
    timeline.fix(.at(154, east_m: 6, speed_mps: 2.4))
    #expect(timeline.log.last == "154 probe answered" && !timeline.motion.wantsGPS)
    // Nothing more is heard: it ends as other looks do.
    leaving = ProbeTests.parked()
    leaving.run(to: 151)
    leaving.fix(.at(153, speed_mps: 9))
    leaving.run(to: 198)
    #expect(leaving.log.last == "198 probe unanswered")
  }

  @Test(
    "standing far away without having been seen on the way, it has left after five and a half minutes",
    arguments: [330, 331])
  func outside(fixes: Int) {
    var timeline = ProbeTests.parked()
    timeline.run(to: 160)
    for s in 0..<fixes { timeline.fix(.at(161 + Double(s), east_m: 1100, speed_mps: 0)) }
    #expect(timeline.motion.isMoving == (fixes == 331), "\(timeline.log)")
    if fixes == 331 { #expect(timeline.log.last == "491 departed from 161, after 61, probe") }
  }

  @Test("a departure found by a probe keeps every fix since power-on")
  func trackOfProbe() {
    var timeline = ProbeTests.parked()
    timeline.run(to: 160)
    timeline.roll(161, 172, from: 800)
    #expect(!timeline.motion.isMoving)
    timeline.roll(173, 173, from: 920)
    #expect(timeline.lastTrack.map { $0.at_s } == (161...173).map(Double.init))
  }

  @Test("a departure seen live begins where the vehicle last stood")
  func live() {
    var timeline = ProbeTests.parked { $0.gpsOffWhenParked = false }
    timeline.stand(62, 500)
    timeline.roll(501, 520)
    #expect(timeline.log.last?.contains("departed from 500, fixes") == true, "\(timeline.log)")
    let departed_s = timeline.log.last.flatMap { Int($0.prefix { $0 != " " }) } ?? 0
    #expect(timeline.lastTrack.map { $0.at_s } == (500...departed_s).map(Double.init))
  }

  @Test("with the GPS always on, one fix far away is no departure; to stay there is")
  func outlierWhileAlwaysOn() {
    var timeline = ProbeTests.parked { $0.gpsOffWhenParked = false }
    timeline.stand(62, 69)
    timeline.fix(.at(70, east_m: 1100))
    timeline.stand(71, 89)
    #expect(!timeline.motion.isMoving)
    timeline.stand(90, 419, east_m: 1100)
    #expect(!timeline.motion.isMoving)
    timeline.stand(420, 420, east_m: 1100)
    #expect(timeline.lines(with: "departed").count == 1)
  }

  @Test("with the GPS always on nothing is switched off, ever")
  func alwaysOn() {
    var timeline = ProbeTests.parked { $0.gpsOffWhenParked = false }
    timeline.stand(62, 5000)
    #expect(timeline.motion.wantsGPS && timeline.motion.deadline_ms == nil)
  }

  @Test("a receiver under a roof that wanders for a while has not left")
  func wandering() {
    var timeline = ProbeTests.parked { $0.gpsOffWhenParked = false }
    for s in 62...90 { timeline.fix(.at(Double(s), east_m: 60, speed_mps: 0.2)) }
    #expect(!timeline.motion.isMoving)
    timeline.stand(91, 100)
    #expect(!timeline.motion.isMoving)
  }

  @Test(
    "near its place a vehicle has left when it drives for 12 s, at walking pace only beyond 250 m",
    arguments: [(3.0, true), (2.0, false)])
  func nearby(speed_mps: Double, leaves: Bool) {
    var timeline = ProbeTests.parked { $0.gpsOffWhenParked = false }
    timeline.roll(62, 110, speed_mps: speed_mps)
    #expect(timeline.motion.isMoving == leaves, "\(timeline.log)")
    if leaves { return }
    timeline.roll(111, 200, from: 98, speed_mps: speed_mps)
    #expect(timeline.motion.isMoving)
    #expect(timeline.log.last?.contains("departed from 61,") == true, "\(timeline.log)")
  }

  @Test(
    "a vehicle that is pushed aside stays parked; its place is reported anew beyond the departure distance")
  func pushed() {
    var timeline = ProbeTests.parked { $0.gpsOffWhenParked = false }
    timeline.stand(62, 200, east_m: 60)
    #expect(timeline.lines(with: "shifted").isEmpty && !timeline.motion.isMoving)
    timeline.stand(201, 300, east_m: 120)
    #expect(timeline.lines(with: "shifted").count == 1 && !timeline.motion.isMoving)
  }

  @Test("a probe whose fix is outside goes on looking until it is clear")
  func unclear() {
    var timeline = ProbeTests.parked()
    timeline.run(to: 155)
    for s in 156...190 { timeline.fix(.at(Double(s), east_m: 50, speed_mps: 0.5)) }
    #expect(timeline.motion.wantsGPS)
    timeline.fix(.at(191, east_m: 3))
    #expect(!timeline.motion.wantsGPS && timeline.log.last == "191 probe answered")
  }

  @Test(
    "noise while parked makes no departure", arguments: [1, 2, 3] as [UInt64],
    [(24, 4, 6), (8, 6, 14.7)] as [(hours: Int, sigma_m: Double, accuracy_m: Double)])
  func noise(seed: UInt64, parked: (hours: Int, sigma_m: Double, accuracy_m: Double)) {
    var drive = Drive()
    drive.stand(parked.hours * 3600)
    var receiver = Receiver(seed: seed, sigma_m: parked.sigma_m, accuracy_m: parked.accuracy_m)
    var timeline = MotionTimeline { $0.gpsOffWhenParked = false }
    timeline.follow(drive, receiver: &receiver)
    #expect(timeline.lines(with: "departed").isEmpty, "\(timeline.log)")
  }

  @Test("ten quiet hours need few minutes of GPS")
  func economy() {
    var drive = Drive()
    drive.stand(10 * 3600)
    var receiver = Receiver(seed: 7, sigma_m: 4)
    var timeline = MotionTimeline()
    timeline.follow(drive, receiver: &receiver, warmUp_s: 30)
    #expect(timeline.gpsOn_s < 9000, "\(timeline.gpsOn_s) s")
  }

  @Test(
    "a module that needs longer than a probe still finds out that the vehicle left",
    arguments: [20, 40, 60, 80])
  func slowModule(warmUp_s: Int) {
    var drive = Drive()
    drive.stand(3000)
    drive.go(1800, speed_mps: 14)
    drive.park(600)
    var receiver = Receiver()
    var timeline = MotionTimeline()
    timeline.follow(drive, receiver: &receiver, warmUp_s: warmUp_s)
    #expect(timeline.trips.count == 1, "\(timeline.log)")
  }

  @Test(
    "random drives with noise: every trip is found, its ends are near the truth",
    arguments: 1...12 as ClosedRange<UInt64>)
  func drives(seed: UInt64) {
    var random = SeededRandom(seed)
    var drive = Drive()
    drive.park(300)
    for _ in 0..<3 {
      drive.wander(legs: Int.random(in: 10...14, using: &random), random: &random)
      drive.park(Int.random(in: 1200...3000, using: &random))
    }
    var receiver = Receiver(seed: seed &* 77, sigma_m: 4)
    var timeline = MotionTimeline { $0.gpsOffWhenParked = seed % 2 == 0 }
    timeline.follow(drive, receiver: &receiver, warmUp_s: seed % 2 == 0 ? 25 : 0)
    #expect(timeline.trips.count == drive.trips.count, "\(timeline.log)")
    // With probes the departure is seen one pause of 90 s late, plus the warm-up.
    let startSlack_s = seed % 2 == 0 ? 90.0 + 30 : 12
    for (found, truth) in zip(timeline.trips, drive.trips) {
      #expect(found.start_s >= truth.start_s - 10 && found.start_s <= truth.start_s + startSlack_s)
      #expect(abs((found.end_s ?? 0) - truth.end_s) < 12, "\(found) \(truth)")
    }
  }
}
