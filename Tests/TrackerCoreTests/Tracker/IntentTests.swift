import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Pause, track, resume, safe mode")
struct IntentTests {
  static let hour_ms: Int64 = 3_600_000

  private func drivingDay(rules: [String] = [], isSynchronised: Bool = true) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(200)
    drive.go(100_000, speed_mps: 12)
    drive.park(30_000)
    return try TrackerTimeline(drive, rules: rules, isSynchronised: isSynchronised) {
      $0.motion.gpsOffWhenParked = false
    }
  }

  private func cause(_ day: TrackerTimeline) -> NoTrackCause? {
    day.tracker.status(at: day.now).noTrackCause
  }

  private func intents(_ day: TrackerTimeline) -> [WishStatus] {
    let intent = day.tracker.status(at: day.now).intent
    return [intent?.first, intent?.then].compactMap { $0 }
  }

  @Test("a pause is saved before the GPS goes off; the trip ends, sync goes on, the gap has its cause")
  func pause() throws {
    let day = try drivingDay()
    day.run(to: 600)
    day.happen(.intentAsked(.pause(length_ms: nil)))
    #expect(day.deeds.suffix(2) == ["600 saved", "600 power off"])
    #expect(!day.isPowered && cause(day) == .paused)
    #expect(day.trips.map { $0.cause } == [.paused])
    #expect(day.records(.status).map(\.content) == [.status(.intent(.pause))])
    let requests = day.requests.count
    day.run(to: 5000)
    #expect(!day.isPowered && day.gpsOn_s == 600)
    #expect(day.requests.count > requests && day.requests.last?.withStatus == true)
    #expect(day.disk.queue.isEmpty && day.nothingIsLost())
    #expect(day.disk.committed.compactMap { $0.fix?.at_s }.allSatisfy { $0 <= 600 })

    day.happen(.intentAsked(.resume))
    #expect(day.isPowered && intents(day).isEmpty)
    day.run(to: 5100)
    #expect(cause(day) == nil)
    #expect(day.records(.status).last?.content == .status(.intent(nil)))
    #expect(day.disk.runState == .object([]))
  }

  @Test("a pause with a length ends by itself, and the wall clock's steps do not change that")
  func length() throws {
    let day = try drivingDay()
    day.run(to: 600)
    day.happen(.intentAsked(.pause(length_ms: Self.hour_ms)))
    #expect(intents(day).map(\.left_s) == [3600])
    #expect(intents(day).map(\.until_ms) == [epoch_ms + 600_000 + Self.hour_ms])
    day.wallError_s = 86_400
    day.happen(.clockStepped(isSynchronised: true))
    day.run(to: 4199)
    #expect(!day.isPowered)
    day.run(to: 4200)
    #expect(day.isPowered && intents(day).isEmpty)
    #expect(day.disk.runState?["pause"] == nil)
  }

  @Test("track opens outside the windows, and afterwards the schedule rules again")
  func track() throws {
    let day = try drivingDay(rules: ["2025-06-02 06:00-06:05"])
    day.run(to: 400)
    #expect(!day.isPowered && cause(day) == .windowClosed)
    day.happen(.intentAsked(.track(length_ms: 100_000)))
    #expect(day.deeds.suffix(2) == ["400 saved", "400 power on"])
    day.run(to: 499)
    #expect(day.isPowered && day.tracker.isWindowOpen)
    day.run(to: 500)
    #expect(!day.isPowered && cause(day) == .windowClosed)
    #expect(day.trips.map { $0.cause } == [.window, .window])
  }

  @Test("a pause goes before a track, which counts when the pause ends first")
  func pauseBeforeTrack() throws {
    let day = try drivingDay(rules: ["2025-06-02 06:00-06:05"])
    day.run(to: 400)
    day.happen(.intentAsked(.pause(length_ms: 60_000)))
    day.happen(.intentAsked(.track(length_ms: 100_000)))
    #expect(!day.isPowered && intents(day).map(\.kind) == [.pause, .track])
    day.run(to: 460)
    #expect(day.isPowered && intents(day).map(\.kind) == [.track])
    day.run(to: 500)
    #expect(!day.isPowered)
  }

  @Test("while paused nothing powers the GPS: ignition, shaking, a window's edge, an unknown time")
  func nothingElse() throws {
    let day = try drivingDay(rules: WindowTests.mornings, isSynchronised: false)
    day.happen(.intentAsked(.pause(length_ms: nil)))
    #expect(!day.isPowered)
    let before = day.powerOns
    for s in stride(from: 100, to: 6000, by: 100) {
      day.run(to: Double(s))
      day.happen(.ignition(on: s % 200 == 0))
      for _ in 0..<5 { day.happen(.vibrationEdge) }
      if s == 1000 { day.happen(.clockStepped(isSynchronised: true)) }
    }
    #expect(day.powerOns == before && !day.isPowered)
  }

  @Test("a pause survives kill -9, reload and reboot, and its length goes on")
  func survives() throws {
    let day = try drivingDay()
    day.run(to: 600)
    day.happen(.intentAsked(.pause(length_ms: Self.hour_ms)))
    day.kill(restartAfter: 10)
    #expect(!day.isPowered && cause(day) == .paused)
    try day.reload()
    #expect(!day.isPowered)
    day.reboot(after: 30, isSynchronised: true)
    #expect(intents(day).map(\.left_s) == [3560])
    day.run(to: 4199)
    #expect(!day.isPowered)
    day.run(to: 4200)
    #expect(day.isPowered)
  }

  @Test("over a reboot with an unknown time what was left counts, until the time is known again")
  func unknownTime() throws {
    let day = try drivingDay()
    day.run(to: 600)
    day.happen(.intentAsked(.pause(length_ms: 2 * Self.hour_ms)))
    // Saved every ten minutes.
    day.run(to: 600 + 1300)
    day.reboot(after: 1000, isSynchronised: false)
    #expect(intents(day).map(\.left_s) == [6000])
    #expect(!day.isPowered)
    day.run(to: 3000)
    day.happen(.clockStepped(isSynchronised: true))
    #expect(intents(day).map(\.left_s) == [4800])
  }

  @Test("a trip that was open when the power went is closed when the start finds a pause")
  func resumedTrip() throws {
    let day = try drivingDay()
    day.run(to: 600)
    var runState = RunState(bootID: "boot-1", at: 0)
    runState.ask(.pause(length_ms: nil), trusted_ms: nil, at: 600_000)
    day.leave(runState.saved(trusted_ms: nil, at: 600_000))
    day.kill()
    #expect(day.tracker.trip == nil)
    day.run(to: 700)
    #expect(day.trips.map { $0.cause } == [.paused])
  }

  @Test("while the disk fails a pause is obeyed, reported, and saved once that works")
  func failing() throws {
    let day = try drivingDay()
    day.run(to: 600)
    day.storageFails = true
    day.happen(.intentAsked(.pause(length_ms: nil)))
    #expect(!day.isPowered)
    #expect(day.tracker.status(at: day.now).intent?.isSaved == false)
    #expect(day.tracker.warnings.entries[.storage] != nil)
    let notSaved = {
      day.log.filter { $0.contains("pauses, tracks and the count of crashes are not saved") }.count
    }
    day.run(to: 900)
    #expect(day.disk.runState == nil && notSaved() == 1)
    day.storageFails = false
    day.run(to: 920)
    #expect(day.disk.runState?["pause"] == .object([]))
    #expect(day.tracker.status(at: day.now).intent?.isSaved != false)
  }

  @Test("five crashes: the GPS stays off and sync goes on for an hour, then it is tried again")
  func safeMode() throws {
    let day = try drivingDay()
    day.kill(isCrash: true)
    for crash in 1...5 {
      day.run(to: Double(crash) * 20)
      day.kill(isCrash: true)
      #expect(day.isPowered == (crash < 5))
    }
    let start_s = day.now_s
    let status = day.tracker.status(at: day.now)
    #expect(status.noTrackCause == .safeMode)
    #expect(status.safeMode == SafeModeStatus(crashes: 5, left_s: 3600))
    #expect(day.tracker.warnings.entries[.safeMode]?.count == 5)
    #expect(day.records(.status).map(\.content) == [.status(.intent(nil, crashes: 5))])
    let on_s = day.gpsOn_s
    day.run(to: start_s + 3599)
    #expect(day.gpsOn_s == on_s && !day.isPowered)
    #expect(day.requests.last?.withStatus == true)
    day.run(to: start_s + 3601)
    #expect(day.isPowered)
    #expect(day.tracker.status(at: day.now).safeMode == nil)
    #expect(day.records(.status).last?.content == .status(.intent(nil)))
    day.kill(isCrash: true)
    #expect(!day.isPowered && day.tracker.warnings.entries[.safeMode]?.count == 6)
  }

  @Test("fewer crashes are reported with their count, and an hour without one forgets them")
  func fewCrashes() throws {
    let day = try drivingDay()
    day.kill(isCrash: true)
    #expect(day.tracker.warnings.entries[.crashed] == nil)
    day.kill(isCrash: true)
    #expect(day.tracker.warnings.entries[.crashed]?.count == 1)
    #expect(day.disk.runState?["crashes_ms"] != nil)
    day.run(to: 3700)
    #expect(day.disk.runState?["crashes_ms"] == nil)
    day.happen(.stopping)
    #expect(day.disk.runState?["running"] == nil)
    #expect(day.hasExited)
  }
}
