import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A key that is turned where no fix comes")
struct KeyUnseenTests {
  private static func noSky(_: Int64) -> GPSReport { GPSReport(mode: 1) }

  /// Parked with its ignition off, and from 450 s on under a roof.
  private static func garage() throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(100_000)
    let day = try TrackerTimeline(drive) {
      $0.ignition.line = "27"
      $0.gps.power.mode = .level
      $0.motion.parkedHeartbeat_s = 3600
    }
    day.happen(.ignition(on: false))
    day.run(to: 450)
    day.source = noSky
    return day
  }

  private func turnKey(_ day: TrackerTimeline, for length_s: Double) {
    day.happen(.ignition(on: true))
    day.run(to: day.now_s + length_s)
    day.happen(.ignition(on: false))
  }

  @Test("it stands where it stood, after a longer look, and the GPS is not hunting until Monday")
  func standsAgain() throws {
    let day = try KeyUnseenTests.garage()
    day.run(to: 500)
    turnKey(day, for: 40)
    day.run(to: 700)
    #expect(day.tracker.motionName == "stationary" && !day.isPowered)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && trip.cause == .ignition && trip.distance_m == 0)
    #expect(trip.start_s == 500 && trip.end_s == 540)
    let parked = try #require(day.records(.motionChange).last)
    #expect(parked.content == .motion(MotionChange(cause: .ignition)) && !parked.isMoving)
    #expect(parked.time_ms == epoch_ms + 690_000, "the last fix is older than the trip")
    let before = (looks: day.powerOns, s: day.gpsOn_s)
    day.run(to: 700 + 10 * 3600)
    #expect((9...10).contains(day.powerOns - before.looks), "once an hour")
    #expect(day.gpsOn_s - before.s < 10 * 100)
    day.source = nil
    day.run(to: day.now_s + 3700)
    #expect(day.tracker.motionName == "stationary" && day.trips.count == 1)
  }

  @Test("so it does when the process was started anew meanwhile", arguments: [false, true])
  func startedAnew(isReboot: Bool) throws {
    let day = try KeyUnseenTests.garage()
    day.run(to: 500)
    day.happen(.ignition(on: true))
    day.run(to: 520)
    for _ in 1...2 {
      if isReboot { day.reboot(after: 20, isSynchronised: true) } else { day.kill() }
      day.run(to: day.now_s + 5)
    }
    day.happen(.ignition(on: false))
    day.run(to: day.now_s + 200)
    #expect(day.tracker.motionName == "stationary" && !day.isPowered)
    #expect(day.trips.map { $0.cause } == [.ignition] && day.trips[0].distance_m == 0)
    let parked = try #require(day.records(.motionChange).last)
    #expect(!parked.isMoving && parked.fix != nil)
  }

  @Test("an engine that idles there for an hour changes nothing of that")
  func idles() throws {
    let day = try KeyUnseenTests.garage()
    day.run(to: 500)
    turnKey(day, for: 3600)
    day.run(to: 4400)
    #expect(day.tracker.motionName == "stationary" && day.trips.map { $0.cause } == [.noFix])
    let before_s = day.gpsOn_s
    day.run(to: day.now_s + 10 * 3600)
    #expect(day.gpsOn_s - before_s < 10 * 100)
  }

  @Test("a trip that the last process left open in a garage ends where it was followed to, by no unset clock")
  func leftOpen() throws {
    var drive = Drive()
    drive.park(400)
    drive.go(300, speed_mps: 10)
    drive.park(50_000)
    let day = try TrackerTimeline(drive) { $0.ignition.line = "27" }
    day.happen(.ignition(on: true))
    day.run(to: 695)
    day.source = KeyUnseenTests.noSky
    day.wallError_s = -86_400
    day.reboot(after: 4000, isSynchronised: false)
    day.happen(.ignition(on: false))
    day.run(to: day.now_s + 4000)
    #expect(day.tracker.motionName == "stationary")
    let trip = try #require(day.trips.last)
    #expect(trip.cause == .noFix && abs(trip.end_s - 695) < 20, "\(trip)")
    let parked = try #require(day.records(.motionChange).last)
    #expect(!parked.isMoving && parked.timeSource != .gps, "\(parked.timeSource)")
  }

  @Test("an ignition that is off does not end the tow, or the drive with a broken wire, over a restart")
  func towed() throws {
    var drive = Drive()
    drive.park(400)
    drive.go(1200, speed_mps: 10)
    drive.park(3000)
    let day = try TrackerTimeline(drive) {
      $0.ignition.line = "27"
      $0.motion.gpsOffWhenParked = false
    }
    day.happen(.ignition(on: false))
    day.run(to: 700)
    let before = try #require(day.tracker.trip)
    day.source = KeyUnseenTests.noSky
    day.reboot(after: 30, isSynchronised: true)
    day.happen(.ignition(on: false))
    day.run(to: 900)
    #expect(day.tracker.trip?.id == before.id && day.tracker.motionName == "moving")
    day.source = nil
    day.run(to: 2500)
    #expect(day.trips.map { $0.cause } == [.stayed])
  }

  @Test("a drive that nobody saw is found before that, is no tow, and its straight way counts")
  func drove() throws {
    var drive = Drive()
    drive.park(500)
    drive.go(100, speed_mps: 8, hasSky: false)
    drive.park(3000)
    let day = try TrackerTimeline(drive) { $0.ignition.line = "27" }
    day.happen(.ignition(on: false))
    day.coldStart_s = 200
    day.run(to: 490)
    turnKey(day, for: 110)
    day.run(to: 661)
    #expect(day.tracker.trip != nil && day.isPowered, "the start goes on")
    day.run(to: 2000)
    #expect(day.tracker.motionName == "stationary")
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && trip.cause == .ignition && trip.start_s == 490)
    #expect(abs(trip.distance_m - drive.trips[0].distance_m) < 20, "\(trip)")
    #expect(day.tracker.warnings.entries[.towed] == nil && day.summaries.map(\.isTowed) == [false])
  }

  @Test("nor is it one when an hour goes by before it is seen elsewhere", arguments: ["", "reload", "kill"])
  func seenLate(meanwhile: String) throws {
    var drive = Drive()
    drive.park(500)
    drive.go(100, speed_mps: 8, hasSky: false)
    drive.park(9000)
    let day = try TrackerTimeline(drive) { $0.ignition.line = "27" }
    day.happen(.ignition(on: false))
    day.run(to: 490)
    day.source = KeyUnseenTests.noSky
    turnKey(day, for: 110)
    day.run(to: 1000)
    #expect(day.tracker.motionName == "stationary" && !day.isPowered)
    if meanwhile == "reload" { try day.reload { $0.sync.interval_s += 1 } }
    if meanwhile == "kill" { day.kill() }
    if meanwhile != "" { day.happen(.ignition(on: false)) }
    day.run(to: 1200)
    day.source = nil
    day.run(to: 6000)
    #expect(day.trips.count == 2 && day.tracker.motionName == "stationary")
    #expect(day.tracker.warnings.entries[.towed] == nil && day.summaries.allSatisfy { !$0.isTowed })
    #expect(!day.log.contains { $0.contains("no line reported") })
  }

  @Test("a clock that becomes known in such a trip dates its begin too")
  func dated() throws {
    let day = try KeyUnseenTests.garage()
    day.run(to: 500)
    day.wallError_s = -40_000
    day.reboot(after: 60, isSynchronised: false)
    day.happen(.ignition(on: true))
    day.run(to: 600)
    day.wallError_s = 0
    day.happen(.clockStepped(isSynchronised: true))
    day.run(to: 700)
    day.happen(.ignition(on: false))
    day.run(to: 1000)
    let trip = try #require(day.trips.first)
    #expect(abs(trip.start_s - 560) < 2 && trip.end_s >= trip.start_s && trip.end_s < 710, "\(trip)")
  }

  @Test("the way from the parked place to the first fix counts; a first fix beside it is noise")
  func firstFixLate() throws {
    var drive = Drive()
    drive.park(20_000)
    drive.go(600, speed_mps: 12)
    drive.park(1200)
    let day = try TrackerTimeline(drive, sigma_m: 3) { $0.ignition.line = "27" }
    day.happen(.ignition(on: false))
    day.run(to: 19_990)
    day.coldStart_s = 60
    turnKey(day, for: 640)
    day.run(to: 21_700)
    let trip = try #require(day.trips.last)
    #expect(day.trips.count == 1 && abs(trip.distance_m - drive.trips[0].distance_m) < 40, "\(trip)")

    let idle = try KeyUnseenTests.garage()
    idle.source = nil
    turnKey(idle, for: 200)
    idle.run(to: 1000)
    #expect(idle.trips.map { $0.distance_m } == [0])
  }

  @Test("what a receiver errs under a roof is no way", arguments: [60.0, 190])
  func noise(off_m: Double) throws {
    let day = try KeyUnseenTests.garage()
    day.run(to: 500)
    day.source = { now_ms in
      .at(Double(now_ms) / 1000, east_m: off_m, speed_mps: 0, accuracy_m: 15)
    }
    turnKey(day, for: 200)
    day.run(to: 1500)
    #expect(day.trips.map { $0.distance_m } == [0])
  }

  @Test("where it was carried to before the key was turned, nobody drove it")
  func carried() throws {
    let day = try KeyUnseenTests.garage()
    day.run(to: 10_000)
    day.source = { now_ms in
      let s = Double(now_ms) / 1000
      return .at(s, east_m: 20_000 + max(0, s - 10_030) * 10, speed_mps: s < 10_030 ? 0 : 10)
    }
    turnKey(day, for: 330)
    let trip_m = try #require(day.tracker.tripDistance_m)
    #expect(abs(trip_m - 3000) < 100, "\(trip_m)")
  }

  /// The GPS has found nothing for an hour, and rests.
  private static func resting() throws -> TrackerTimeline {
    let day = try TrackerTimeline(Drive.parked) { $0.ignition.line = "27" }
    day.source = noSky
    day.run(to: 3600)
    while day.isPowered { day.run(to: day.now_s + 1) }
    day.run(to: day.now_s + 70)
    day.source = nil
    #expect(!day.isPowered)
    return day
  }

  @Test("a pause after failures is over with the key")
  func pauseEndedByKey() throws {
    let day = try KeyUnseenTests.resting()
    day.happen(.ignition(on: false))
    #expect(!day.isPowered)
    day.happen(.ignition(on: true))
    day.run(to: day.now_s + 0.1)
    #expect(day.isPowered)
  }

  @Test("but one that comes and goes leaves it a minute of rest each time")
  func flickers() throws {
    let day = try KeyUnseenTests.resting()
    day.source = KeyUnseenTests.noSky
    let (from_s, before_s) = (day.now_s, day.gpsOn_s)
    while day.now_s < from_s + 7200 {
      turnKey(day, for: 7)
      day.run(to: day.now_s + 7)
    }
    #expect(day.gpsOn_s - before_s <= 0.75 * 7200, "\(day.gpsOn_s - before_s)")
  }

  @Test("so it is for whoever asks where the vehicle is")
  func pauseEndedByLocate() throws {
    let day = try KeyUnseenTests.resting()
    day.happen(.command(.locateAsked(request: 7, timeout_ms: 100_000)))
    day.run(to: day.now_s + 0.1)
    #expect(day.isPowered)
    day.run(to: day.now_s + 100)
    #expect(day.commandDeeds.last == "answer 7: a fix")
  }

  @Test("an ignition that is on when the last process's trip turns out to be over begins another one")
  func onAfterTheNight() throws {
    var drive = Drive()
    drive.park(400)
    drive.go(300, speed_mps: 10)
    drive.park(40_000)
    let day = try TrackerTimeline(drive) { $0.ignition.line = "27" }
    day.run(to: 395)
    day.happen(.ignition(on: true))
    day.run(to: 690)
    day.reboot(after: 36_000, isSynchronised: true)
    day.happen(.ignition(on: true))
    day.run(to: day.now_s + 120)
    #expect(day.trips.map { $0.cause } == [.processEnded])
    #expect(day.tracker.motionName == "moving" && day.tracker.trip?.id == 2)
  }
}
