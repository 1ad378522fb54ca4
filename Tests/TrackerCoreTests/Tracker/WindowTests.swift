import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Windows")
struct WindowTests {
  /// 06:00 is second 0.
  static let mornings = ["2025-06-02 06:00-06:20", "2025-06-02 06:40-08:00"]

  static func trackedSeconds(_ day: TrackerTimeline) -> [Double] {
    day.disk.committed.compactMap { $0.fix?.at_s }
  }

  @Test("a trip over a window's end is cut: power off at once, nothing seen outside, another trip afterwards")
  func cut() throws {
    var drive = Drive()
    drive.park(200)
    drive.go(4000, speed_mps: 12)
    drive.park(1200)
    let day = try TrackerTimeline(drive, rules: WindowTests.mornings) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 1199.9)
    #expect(day.isPowered)
    day.run(to: 1200)
    #expect(!day.isPowered && day.gpsOn_s == 1200)
    #expect(day.tracker.status(at: day.now).noTrackCause == .windowClosed)
    day.run(to: 2399.9)
    #expect(!day.isPowered && day.gpsOn_s == 1200)
    day.run(to: 2400)
    #expect(day.isPowered)
    day.run(to: 5400)
    #expect(day.trips.map { $0.cause } == [.window, .stayed])
    #expect(WindowTests.trackedSeconds(day).allSatisfy { $0 <= 1200 || $0 >= 2400 })
  }

  @Test(
    "a stall across a window's end: the fixes that waited belong to it up to its end, and the first after ends it"
  )
  func stalled() throws {
    var drive = Drive()
    drive.park(200)
    drive.go(20_000, speed_mps: 12)
    let day = try TrackerTimeline(drive, rules: WindowTests.mornings) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 1170)
    var tracker = day.tracker
    let known = tracker.receiver.figures.fixes
    let (late, place) = (Moment.at(1245), try #require(tracker.journey.lastFix).position)
    let report = { (s: Double) in
      GPSReport(
        mode: 3, time_ms: epoch_ms + milliseconds(s), latitude_deg: place.latitude_deg,
        longitude_deg: place.longitude_deg, speed_mps: 12, accuracy_m: 5, satellites: 9)
    }
    for s in stride(from: 1171.0, to: 1200, by: 1) {
      _ = tracker.handle(.gpsReport(report(s)), at: late, chance: 0)
      #expect(tracker.isWindowOpen && tracker.journey.lastFix?.at_s == s)
    }
    #expect(tracker.receiver.figures.fixes == known + 29)
    let ending = tracker.handle(.gpsReport(report(1200)), at: late, chance: 0)
    #expect(ending.contains(.setPower(false)) && !tracker.isWindowOpen)
    #expect(tracker.journey.lastFix?.at_s == 1199)
  }

  @Test(
    "a boot clock that runs slow: the window ends by GPS time, not by what the boot clock foretold at its start"
  )
  func slowBootClock() throws {
    var drive = Drive()
    drive.park(3000)
    let day = try TrackerTimeline(drive, rules: WindowTests.mornings, isSynchronised: false) {
      $0.motion.gpsOffWhenParked = false
    }
    day.source = { now_ms in
      GPSReport(
        mode: 3, time_ms: epoch_ms + now_ms + now_ms / 5000, latitude_deg: 47, longitude_deg: 8, speed_mps: 0,
        accuracy_m: 5, satellites: 9)
    }
    day.run(to: 1199.7)
    #expect(day.isPowered && day.tracker.isWindowOpen)
    // 1200.02 s by GPS.
    day.run(to: 1199.78)
    #expect(!day.isPowered && !day.tracker.isWindowOpen)
  }

  @Test("the ignition outside the windows begins no trip")
  func ignitionOutside() throws {
    var drive = Drive()
    drive.park(8000)
    let day = try TrackerTimeline(drive, rules: WindowTests.mornings)
    day.run(to: 1500)
    day.happen(.ignition(on: true))
    day.run(to: 2300)
    #expect(day.tracker.trip == nil && !day.isPowered)
    #expect(day.records(.motionChange).count == 1)
  }

  @Test("a process that starts outside the windows closes the trip that it finds open")
  func startOutside() throws {
    var drive = Drive()
    drive.park(200)
    drive.go(6000, speed_mps: 12)
    let day = try TrackerTimeline(drive, rules: WindowTests.mornings) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 1190)
    day.kill(restartAfter: 60)
    day.run(to: 1300)
    #expect(day.trips.map { $0.cause } == [.window])
    #expect(day.tracker.trip == nil)
    day.run(to: 2600)
    #expect(day.tracker.trip?.id == 2)
  }

  @Test("an unknown time is learnt from GPS, and then the schedule rules")
  func learnTheTime() throws {
    var drive = Drive()
    drive.park(8000)
    let day = try TrackerTimeline(drive, rules: ["2025-06-02 06:40-08:00"], isSynchronised: false)
    #expect(day.isPowered)
    day.run(to: 60)
    #expect(!day.isPowered)
    #expect(day.disk.committed.isEmpty, "tracked outside the windows")
    day.run(to: 2401)
    #expect(day.isPowered)
  }

  @Test("a time that cannot be learnt costs 300 s of GPS each try, nine in 28 hours")
  func unlearnable() throws {
    var drive = Drive()
    drive.park(300)
    let day = try TrackerTimeline(drive, rules: ["2025-06-02 06:40-08:00"], isSynchronised: false)
    day.coldStart_s = 1e9
    day.run(to: 299)
    #expect(day.isPowered)
    day.run(to: 100_000)
    #expect(day.gpsOn_s <= 9 * 300)
    #expect(day.powerOns >= 9)
  }

  @Test("a jump while the time is being learnt leaves no position behind")
  func jumpWhileLearning() throws {
    var drive = Drive()
    drive.park(8000)
    let day = try TrackerTimeline(drive, rules: ["2025-06-02 06:40-08:00"], isSynchronised: false)
    day.run(to: 31)
    #expect(day.isPowered)
    day.happen(.gpsReport(.at(31.5, east_m: 90_000)))
    day.run(to: 2000)
    #expect(day.disk.committed.isEmpty)
  }
}
