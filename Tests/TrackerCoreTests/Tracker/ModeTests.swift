import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Modes of motion, activity, and what is reported beside the track")
struct ModeTests {
  private func day() -> Drive {
    var drive = Drive()
    drive.park(600)
    drive.go(900, speed_mps: 12)
    drive.stand(60)
    drive.go(600, speed_mps: 12)
    drive.park(4000)
    return drive
  }

  @Test("probe_only: a position now and then, no trip, no metre, the GPS off between")
  func probeOnly() throws {
    let day = try TrackerTimeline(day()) {
      $0.motion.mode = .probeOnly
      $0.motion.probeIntervalMax_s = 600
    }
    day.run(to: 599)
    #expect(!day.isPowered && day.tracker.status(at: day.now).noTrackCause == .probeOnly)
    day.happen(.ignition(on: true))
    day.run(to: 6000)
    let positions = day.records(.position)
    #expect(positions.count >= 9 && positions.count <= 10)
    #expect(zip(positions, positions.dropFirst()).allSatisfy { $1.fix!.at_s - $0.fix!.at_s >= 600 })
    #expect(positions.allSatisfy { $0.tripID == nil && !$0.isMoving })
    #expect(day.trips.isEmpty && day.records(.motionChange).isEmpty)
    #expect(day.tracker.journey.odometer_m == 0 && day.gpsOn_s < 600)
  }

  @Test("probe_only closes the trip that another mode left open")
  func probeOnlyAfterTrip() throws {
    let day = try TrackerTimeline(day())
    day.run(to: 1200)
    #expect(day.tracker.trip != nil)
    try day.reload { $0.motion.mode = .probeOnly }
    day.run(to: 1300)
    #expect(day.trips.map(\.cause) == [.modeChanged] && day.tracker.trip == nil)
  }

  @Test("probe_only forgets nothing that was learned, over restarts too")
  func probeOnlyRemembers() throws {
    let day = try TrackerTimeline(day())
    day.run(to: 400)
    day.leave("habits", Habits.daily(days: 50, until_s: epoch_ms / 1000).saved.saved)
    day.leave("cells", ["told": 50, "waited_s": 3000])
    day.kill()
    try day.reload { $0.motion.mode = .probeOnly }
    for s in [2000.0, 3000] {
      day.run(to: s)
      day.kill()
    }
    day.run(to: 4000)
    try day.reload { $0.motion.mode = .full }
    let motion = day.tracker.journey.motion
    #expect(!motion.known.habits.departures.areFew && motion.known.cells.delay.told == 50)
  }

  @Test("wire_only: no GPS at all without the ignition, and the whole trip with it")
  func wireOnly() throws {
    let day = try TrackerTimeline(day()) { $0.motion.mode = .wireOnly }
    day.happen(.ignition(on: false))
    day.run(to: 590)
    #expect(day.gpsOn_s == 0 && !day.isPowered)
    #expect(day.tracker.status(at: day.now).noTrackCause == .ignitionOff)
    day.happen(.ignition(on: true))
    day.run(to: 2190)
    #expect(day.tracker.trip != nil)
    day.happen(.ignition(on: false))
    day.run(to: 2400)
    let on_s = day.gpsOn_s
    #expect(day.trips.count == 1 && abs(day.trips[0].distance_m - 17_500) < 500)
    day.run(to: 6000)
    #expect(day.gpsOn_s == on_s)
  }

  @Test("wire_only with a line that has failed works as without one")
  func wireOnlyFailed() throws {
    let day = try TrackerTimeline(day()) { $0.motion.mode = .wireOnly }
    day.run(to: 100)
    #expect(day.gpsOn_s == 0)
    day.happen(.lineFailed(.ignition, "gone"))
    day.run(to: 4000)
    #expect(day.trips.count == 1)
  }

  @Test("activity_events: each change that lasts is one record, with what was before")
  func activity() throws {
    let day = try TrackerTimeline(day()) { $0.motion.activityEvents = true }
    day.run(to: 4000)
    let changes: [Record.Content] = [
      .activity(.parked, from: nil), .activity(.driving, from: .parked), .activity(.idling, from: .driving),
      .activity(.driving, from: .idling), .activity(.idling, from: .driving),
      .activity(.parked, from: .idling),
    ]
    #expect(day.records(.activity).map(\.content) == changes)
    let light = day.records(.activity)[2]
    #expect(abs(light.fix!.at_s - 1500) < 3 && light.time_ms == light.fix!.time_ms)
    #expect(try TrackerTimeline(self.day()).records(.activity).isEmpty)
  }

  @Test("windows are reported as they open and close, each with when that ends")
  func windows() throws {
    let day = try TrackerTimeline(day(), rules: ["2025-06-02 06:10-06:20"])
    day.run(to: 2000)
    #expect(
      day.records(.status).map(\.content) == [
        .status(.windowOpened(until_ms: epoch_ms + 1_200_000)),
        .status(.windowClosed(cause: .window, until_ms: nil)),
      ])
    let always = try TrackerTimeline(self.day())
    always.run(to: 100)
    #expect(always.records(.status).isEmpty)
  }

  @Test("GPS back stands beside each GPS lost, once an outage")
  func outage() throws {
    var drive = Drive()
    drive.park(600)
    drive.go(300, speed_mps: 12)
    drive.go(900, speed_mps: 12, hasSky: false)
    drive.go(900, speed_mps: 12)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 2600)
    day.happen(.syncAsked)
    #expect(day.records(.warning).map(\.content) == [.warning(.gpsLost(cause: .noSky))])
    let back_s = day.records(.status).compactMap {
      if case .status(.gpsBack(.noSky, let lost_s)) = $0.content { lost_s } else { nil }
    }
    #expect(back_s.count == 1 && back_s[0] > 300)
    #expect(day.log.filter { $0.contains("GPS back after") }.count == 1)
  }

  @Test("a receiver that stays at 2D is reported once; three dimensions in between begin it anew")
  func flat() {
    var watch = FlatFixes()
    var reported = (0...299).filter { watch.add(mode: 2, at: Int64($0) * 1000) }
    #expect(reported.isEmpty)
    let isToldOf3D = watch.add(mode: 3, at: 299_500)
    #expect(!isToldOf3D)
    reported = (300...1200).filter { watch.add(mode: 2, at: Int64($0) * 1000) }
    #expect(reported == [600])
  }

  @Test("the warning of a receiver at 2D reaches the status")
  func flatWarning() throws {
    let day = try TrackerTimeline(day())
    day.onTheWay = { report, _ in [report.with { $0.mode = 2 }] }
    day.run(to: 2200)
    #expect(day.tracker.status(at: day.now).warnings.contains { $0.name == "gps_2d_only" && $0.count == 1 })
  }

  @Test("a low battery makes looks rarer, after it has lasted and until well above; both are reported")
  func battery() throws {
    let day = try TrackerTimeline(.parked) {
      $0.battery.voltageFile = "/v"
      $0.motion.probeShare = 0
      $0.sync.threshold = 5
    }
    day.run(to: 400)
    day.happen(.batteryRead(volts: 10))
    day.run(to: 405)
    day.happen(.batteryRead(volts: 12.6))
    #expect(!day.tracker.battery.isLow, "a starter")
    day.happen(.batteryRead(volts: 11.9))
    day.run(to: 470)
    day.happen(.batteryRead(volts: 11.9))
    #expect(day.tracker.battery.isLow && day.tracker.journey.motion.known.settings.probeInterval_s == 360)
    #expect(day.tracker.dispatch.servers[0].sync.settings.threshold == 20)
    let status = day.tracker.status(at: day.now)
    #expect(status.battery == BatteryStatus(volts: 11.9, isLow: true, factor: 4))
    #expect(status.warnings.contains { $0.name == "battery_low" })
    let before = day.powerOns
    day.run(to: 1900)
    #expect((2...5).contains(day.powerOns - before))
    day.happen(.batteryRead(volts: 12.3))
    day.run(to: 2000)
    day.happen(.batteryRead(volts: 12.3))
    #expect(day.tracker.battery.isLow, "not yet 0.4 V above")
    day.happen(.batteryRead(volts: 12.4))
    day.run(to: 2070)
    day.happen(.batteryRead(volts: 12.4))
    #expect(!day.tracker.battery.isLow && day.tracker.journey.motion.known.settings.probeInterval_s == 90)
    day.run(to: 2100)
    #expect(
      (day.records(.warning) + day.records(.status)).map(\.content) == [
        .warning(.batteryLow(volts: 11.9, factor: 4)), .status(.batteryGood(volts: 12.4, factor: 1)),
      ])
  }

  @Test("a battery that was low before a restart is not reported again, but its recovery is")
  func lowOverRestart() throws {
    let day = try TrackerTimeline(.parked) { $0.battery.voltageFile = "/v" }
    let usual_s = day.tracker.journey.motion.known.settings.probeInterval_s
    for s in [100.0, 170] {
      day.run(to: s)
      day.happen(.batteryRead(volts: 11.5))
    }
    day.run(to: 200)
    #expect(day.tracker.battery.isLow)
    day.kill()
    #expect(day.tracker.journey.motion.known.settings.probeInterval_s > usual_s)
    for (s, volts) in [(300.0, 11.5), (400, 11.5), (500, 13), (600, 13)] {
      day.run(to: s)
      day.happen(.batteryRead(volts: volts))
    }
    day.run(to: 700)
    #expect(!day.tracker.battery.isLow)
    #expect(day.tracker.journey.motion.known.settings.probeInterval_s == usual_s)
    #expect((day.records(.warning) + day.records(.status)).map(\.kind) == [.warning, .status])
  }

  @Test("a supply that is cut is reported at once and written at once, and its return from well above on")
  func supply() throws {
    let day = try TrackerTimeline(.parked) {
      $0.battery.voltageFile = "/v"
      $0.battery.lostBelow_v = 4
    }
    day.run(to: 400)
    for volts in [12.6, 6.2, 4] { day.happen(.batteryRead(volts: volts)) }
    #expect(!day.tracker.supply.external.isLost, "a starter")
    let commits = day.disk.commits
    day.happen(.batteryRead(volts: 0.04))
    #expect(day.disk.commits == commits + 1)
    #expect(day.disk.committed.last?.content == .warning(.powerLost(volts: 0)))
    func course() -> (count: Int, isOver: Bool)? {
      let warning = day.tracker.status(at: day.now).warnings.first { $0.name == "power_lost" }
      return warning.map { ($0.count, $0.until_ms != nil) }
    }
    #expect(course().map { $0 == (1, false) } ?? false)
    for volts in [0, 4.3] { day.happen(.batteryRead(volts: volts)) }
    #expect(day.tracker.supply.external.isLost, "not yet 0.4 V above")
    try day.reload { $0.battery.settle_s = 300 }
    #expect(day.tracker.supply.external.isLost)
    day.happen(.batteryRead(volts: 4.4))
    #expect(course().map { $0 == (1, true) } ?? false)
    day.run(to: 500)
    #expect(
      (day.records(.warning) + day.records(.status)).map(\.content) == [
        .warning(.powerLost(volts: 0)), .status(.powerBack(volts: 4.4)),
      ])
  }

  @Test("without lost_below_v no voltage is a lost supply, and what cannot be read is none")
  func supplyUnwatched() throws {
    let day = try TrackerTimeline(.parked) { $0.battery.voltageFile = "/v" }
    day.run(to: 400)
    day.happen(.batteryRead(volts: -0.1))
    #expect(!day.tracker.supply.external.isLost && day.records(.warning).isEmpty)
    let other = try TrackerTimeline(.parked) {
      $0.battery.voltageFile = "/v"
      $0.battery.lostBelow_v = 4
    }
    other.run(to: 400)
    other.happen(.batteryRead(volts: 0))
    other.happen(.batteryFailed("unplugged"))
    #expect(!other.tracker.supply.external.isLost)
  }

  @Test("a low battery survives a reload, and a voltage that cannot be read is no low one")
  func batteryReload() throws {
    let day = try TrackerTimeline(.parked) {
      $0.battery.voltageFile = "/v"
      $0.battery.settle_s = 0
    }
    day.happen(.batteryRead(volts: 11))
    try day.reload { $0.battery.lowFactor = 10 }
    #expect(day.tracker.journey.motion.known.settings.probeInterval_s == 900)
    day.happen(.batteryFailed("gone"))
    #expect(day.tracker.journey.motion.known.settings.probeInterval_s == 90)
    #expect(day.tracker.status(at: day.now).warnings.contains { $0.name == "battery_unreadable" })
  }
}
