import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A vehicle with input lines")
struct LinesTests {
  private static func parkedDay(
    rules: [String] = [], _ change: (inout Settings) -> Void = { _ in }
  ) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(20_000)
    return try TrackerTimeline(drive, rules: rules, change)
  }

  private func warnings(_ day: TrackerTimeline, _ name: WarningName) -> Int {
    day.tracker.warnings.entries[name]?.count ?? 0
  }

  private func status(_ day: TrackerTimeline) -> TrackerStatus { day.tracker.status(at: day.now) }

  @Test("an edge that lasts 500 ms begins a trip, one of 499 ms does not", arguments: [499, 500])
  func debounced(length_ms: Int) throws {
    let day = try LinesTests.parkedDay()
    day.run(to: 200)
    day.happen(.ignitionEdge(level: true))
    day.run(to: 200 + Double(length_ms) / 1000)
    day.happen(.ignitionEdge(level: false))
    day.run(to: 210)
    #expect((day.tracker.trip != nil) == (length_ms == 500))
    #expect(day.isPowered == (length_ms == 500))
    #expect(day.tracker.trip.map { $0.start_ms } == (length_ms == 500 ? epoch_ms + 200_500 : nil))
  }

  @Test("an ignition that is on when the agent starts begins a trip, in UNKNOWN too")
  func onAtStart() throws {
    let day = try LinesTests.parkedDay()
    day.happen(.ignitionEdge(level: true))
    day.run(to: 1)
    #expect(day.tracker.motionName == "moving")
    #expect(status(day).lines?.ignition == true)
  }

  @Test("a reload keeps the ignition's level and what bounces, unless the line is another")
  func reload() throws {
    let day = try LinesTests.parkedDay()
    day.happen(.ignitionEdge(level: true))
    day.run(to: 10)
    try day.reload { $0.sync.interval_s += 1 }
    day.run(to: 10.1)
    #expect(status(day).lines?.ignition == true && day.tracker.motionName == "moving")
    day.happen(.ignitionEdge(level: true))
    day.run(to: 20)
    #expect(status(day).lines?.ignition == true && day.records(.trip).isEmpty)
    try day.reload { $0.ignition.activeLow.toggle() }
    day.run(to: 20.1)
    #expect(status(day).lines?.ignition == nil)
  }

  @Test("a reload while it is parked with the engine running is no key that is turned")
  func reloadIdling() throws {
    let day = try LinesTests.parkedDay()
    day.happen(.ignitionEdge(level: true))
    day.run(to: 1000)
    #expect(day.trips.map { $0.cause } == [.stayed] && day.tracker.motionName == "stationary")
    let before = day.records(.motionChange).count
    for _ in 1...2 {
      try day.reload { $0.sync.interval_s += 1 }
      day.happen(.ignitionEdge(level: true))
      day.run(to: day.now_s + 100)
    }
    #expect(day.tracker.trip == nil && day.tracker.motionName == "stationary")
    #expect(day.records(.motionChange).count == before)
    day.happen(.ignitionEdge(level: false))
    day.run(to: day.now_s + 10)
    day.happen(.ignitionEdge(level: true))
    day.run(to: day.now_s + 10)
    #expect(day.tracker.trip != nil)
  }

  @Test("an ignition that is on when the next window opens counts, though there was a reload in the last one")
  func reloadOverWindows() throws {
    let day = try LinesTests.parkedDay(rules: WindowTests.mornings)
    day.happen(.ignitionEdge(level: true))
    day.run(to: 1000)
    try day.reload { $0.sync.interval_s += 1 }
    day.run(to: 2399)
    #expect(day.tracker.trip == nil)
    day.run(to: 2401)
    #expect(day.tracker.trip != nil)
  }

  @Test(
    "where a server's format has a place for it, positions have ignition and voltage as at their own time",
    arguments: [SyncSettings.Format.traccar, .owntracks, .geomony])
  func details(format: SyncSettings.Format) throws {
    var drive = Drive()
    drive.park(100)
    drive.go(600, speed_mps: 12)
    drive.park(600)
    let day = try TrackerTimeline(drive) { $0.sync.format = format }
    day.happen(.batteryRead(volts: 12.64))
    day.run(to: 90)
    day.happen(.ignitionEdge(level: true))
    day.run(to: 300)
    day.happen(.batteryRead(volts: 13.9))
    day.run(to: 715)
    day.happen(.ignitionEdge(level: false))
    day.run(to: 1300)
    let details = day.records(.position).map { record -> (time_ms: Int64, details: PositionDetails?) in
      guard case .position(_, let details) = record.content else { return (0, nil) }
      return (record.time_ms - epoch_ms, details)
    }
    #expect(details.count > 3)
    let events = (day.records(.motionChange) + day.records(.trip)).filter { $0.time_ms > epoch_ms + 100_000 }
    #expect(events.count > 1)
    for event in events {
      #expect((event.details?.battery_V != nil) == (format != .geomony), "\(event)")
      #expect((event.details?.ignitionIsOn != nil) == (format != .geomony), "\(event)")
    }
    guard format != .geomony else { return #expect(details.allSatisfy { $0.details == nil }) }
    for (time_ms, details) in details {
      #expect(details?.ignitionIsOn == (time_ms < 715_000) && details?.geofences == [])
      #expect(details?.battery_V == (time_ms <= 300_000 ? 12.6 : 13.9), "\(time_ms)")
    }
  }

  @Test("an ignition that was switched on outside the windows counts when one opens")
  func remembered() throws {
    let day = try LinesTests.parkedDay(rules: WindowTests.mornings)
    day.run(to: 1500)
    day.happen(.ignitionEdge(level: true))
    day.run(to: 2399)
    #expect(day.tracker.trip == nil && !day.isPowered)
    #expect(status(day).lines?.ignition == true)
    day.run(to: 2401)
    #expect(day.tracker.trip != nil && day.isPowered)
    #expect(day.tracker.trip?.start_ms == epoch_ms + 2_400_000)
  }

  @Test("a trip that begins so in UNKNOWN is dated by the window, not by what was seen before it closed")
  func unknownOverWindows() throws {
    var drive = Drive()
    drive.park(1170)
    drive.go(1600, speed_mps: 12)
    drive.park(9000)
    let day = try TrackerTimeline(drive, rules: WindowTests.mornings) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 1500)
    #expect(day.tracker.motionName == "unknown")
    day.happen(.ignitionEdge(level: true))
    day.run(to: 2500)
    #expect(day.tracker.trip?.start_ms == epoch_ms + 2_400_000)
    day.run(to: 5000)
    #expect(day.trips.map { $0.cause } == [.window, .stayed])
  }

  @Test("one that went off again before the window opened does not")
  func offAgain() throws {
    let day = try LinesTests.parkedDay(rules: WindowTests.mornings)
    day.run(to: 1500)
    day.happen(.ignitionEdge(level: true))
    day.run(to: 1600)
    day.happen(.ignitionEdge(level: false))
    day.run(to: 2500)
    #expect(day.tracker.trip == nil)
  }

  @Test("parked with the ignition off, the GPS looks each 25 minutes")
  func heartbeat() throws {
    let day = try LinesTests.parkedDay()
    day.happen(.ignitionEdge(level: false))
    day.run(to: 61 + 1500 * 3 + 200)
    #expect(day.powerOns == 1 + 3)
  }

  @Test("parked with the engine running, probes come as without a line, and see the vehicle leave")
  func idling() throws {
    var drive = Drive()
    drive.park(1000)
    drive.go(600, speed_mps: 10)
    drive.park(600)
    let day = try TrackerTimeline(drive)
    day.run(to: 100)
    day.happen(.ignitionEdge(level: true))
    day.run(to: 990)
    #expect(day.trips.map { $0.cause } == [.stayed])
    day.run(to: 1450)
    #expect(day.tracker.trip != nil, "the vehicle has left without another edge")
  }

  @Test("shaking makes the GPS look at once; the trip begins when the fixes show it")
  func shaken() throws {
    var drive = Drive()
    drive.park(2000)
    drive.go(600, speed_mps: 5)
    drive.park(1200)
    let day = try TrackerTimeline(drive) {
      $0.motion.parkedHeartbeat_s = 3600
      $0.vibration.chip = "gpiochip0"
      $0.vibration.line = "22"
    }
    day.run(to: 1990)
    #expect(!day.isPowered && day.powerOns == 1, "only the heartbeat")
    for second in 0..<5 {
      day.run(to: 1990 + Double(second))
      #expect(!day.isPowered)
      day.happen(.vibrationEdge)
    }
    #expect(day.isPowered)
    #expect(day.tracker.trip == nil)
    for second in 1995..<2100 {
      day.run(to: Double(second))
      day.happen(.vibrationEdge)
    }
    #expect(day.tracker.trip != nil)
    day.run(to: 3500)
    #expect(day.trips.map { $0.cause } == [.stayed])
  }

  @Test("shaking outside the windows is counted and does nothing")
  func shakenOutside() throws {
    let day = try LinesTests.parkedDay(rules: WindowTests.mornings) { $0.vibration.line = "17" }
    for second in 1500..<1600 {
      day.run(to: Double(second))
      day.happen(.vibrationEdge)
    }
    #expect(!day.isPowered)
    #expect(status(day).lines?.vibrationEdges == 100)
  }

  @Test("a storm of a thousand edges a second ends no trip, and is warned of once an hour")
  func storm() throws {
    let day = try LinesTests.parkedDay()
    day.run(to: 100)
    for edge in 0..<10_000 {
      day.run(to: 100 + Double(edge) / 1000)
      day.happen(.ignitionEdge(level: edge % 2 == 0))
    }
    #expect(day.tracker.trip == nil && warnings(day, .lineBounces) == 1)
    for edge in 0..<35_800 {
      day.run(to: 110 + Double(edge) / 10)
      day.happen(.ignitionEdge(level: edge % 2 == 0))
    }
    #expect(day.tracker.trip == nil && warnings(day, .lineBounces) == 1)
    day.run(to: 3720)
    for edge in 0..<60 { day.happen(.ignitionEdge(level: edge % 2 == 0)) }
    #expect(warnings(day, .lineBounces) == 2)
    #expect(status(day).lines?.storms == 2)
    #expect(status(day).lines?.bounces ?? 0 > 45_000)
  }

  @Test("a line that fails is warned of, its ignition is unknown, and the probes come as without it")
  func fails() throws {
    let day = try LinesTests.parkedDay()
    day.happen(.ignitionEdge(level: false))
    day.run(to: 4000)
    day.happen(.lineFailed(.ignition, "no such device"))
    #expect(warnings(day, .inputLine) == 1)
    #expect(day.log.last == "4000 ignition line: no such device")
    #expect(status(day).lines?.ignition == nil)
    let before = day.powerOns
    day.run(to: 9000)
    #expect(day.powerOns > before + 2)
  }

  @Test("one that fails in the pause that relied on it: the next look comes as without it")
  func failsInAPause() throws {
    let day = try LinesTests.parkedDay()
    day.happen(.ignitionEdge(level: false))
    day.run(to: 400)
    let before = day.powerOns
    #expect(!day.isPowered)
    day.happen(.lineFailed(.ignition, "no such device"))
    day.run(to: 400 + MotionSettings().probeInterval_s)
    #expect(day.powerOns > before)
  }
}

@Suite("A vehicle that is towed")
struct TowTests {
  private static func tow(parked_s: Int = 600) -> Drive {
    var drive = Drive()
    drive.park(parked_s)
    drive.go(900, speed_mps: 12)
    drive.park(1200)
    return drive
  }

  @Test("it moves with its ignition off: one warning, and the trip says so")
  func towed() throws {
    let day = try TrackerTimeline(TowTests.tow()) { $0.motion.gpsOffWhenParked = false }
    day.happen(.ignitionEdge(level: false))
    day.run(to: 1400)
    #expect(day.tracker.warnings.entries[.towed]?.count == 1)
    day.run(to: 2600)
    #expect(day.summaries.map(\.isTowed) == [true])
    #expect(day.tracker.warnings.entries[.towed]?.count == 1)
  }

  @Test("the ignition must have been off for more than 60 s", arguments: [60, 60.001])
  func boundary(off_s: Double) throws {
    let day = try TrackerTimeline(TowTests.tow(parked_s: 70)) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 66)
    day.happen(.ignition(on: false))
    day.run(to: 66 + 59.5)
    #expect(day.tracker.trip != nil)
    day.run(to: 66 + off_s)
    let time_ms = epoch_ms + milliseconds(66 + off_s)
    day.happen(.gpsReport(.at(66 + off_s, east_m: 660, speed_mps: 12).with { $0.time_ms = time_ms }))
    #expect((day.tracker.warnings.entries[.towed] != nil) == (off_s > 60))
  }

  @Test("a trip that the ignition began, or that it was switched on in, is no tow")
  func driven() throws {
    let day = try TrackerTimeline(TowTests.tow()) { $0.motion.gpsOffWhenParked = false }
    day.happen(.ignitionEdge(level: false))
    day.run(to: 590)
    day.happen(.ignitionEdge(level: true))
    day.run(to: 700)
    day.happen(.ignitionEdge(level: false))
    day.run(to: 2600)
    let late = try TrackerTimeline(TowTests.tow()) { $0.motion.gpsOffWhenParked = false }
    late.run(to: 580)
    late.happen(.ignition(on: false))
    late.run(to: 625)
    #expect(late.tracker.trip != nil)
    late.happen(.ignition(on: true))
    late.run(to: 700)
    late.happen(.ignition(on: false))
    late.run(to: 2600)
    for day in [day, late] {
      #expect(day.summaries.map(\.isTowed) == [false])
      #expect(day.tracker.warnings.entries[.towed] == nil)
    }
  }

  @Test("a kill in mid-tow does not make it a drive")
  func killed() throws {
    let day = try TrackerTimeline(TowTests.tow()) { $0.motion.gpsOffWhenParked = false }
    day.happen(.ignitionEdge(level: false))
    day.run(to: 900)
    day.kill()
    day.run(to: 2600)
    #expect(day.summaries.map(\.isTowed) == [true])
  }
}
