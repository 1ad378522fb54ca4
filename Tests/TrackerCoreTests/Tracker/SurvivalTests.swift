import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Each property of each part, in the middle of a day on which nearly all of them differ from a new tracker's: what a reload
/// keeps, and what outlives the process.
@Suite("What survives")
struct SurvivalTests {
  /// Properties of a part, and those of its machines, by path; the values as text.
  static func properties(of tracker: Tracker) -> [String: String] {
    var found: [String: String] = [:]
    for part in tracker.parts { add(part, "\(type(of: part))", depth: 2, to: &found) }
    return found
  }

  private static func add(_ value: Any, _ path: String, depth: Int, to found: inout [String: String]) {
    let mirror = Mirror(reflecting: value)
    guard depth > 0, [.struct, .tuple].contains(mirror.displayStyle), !mirror.children.isEmpty else {
      var text = ""
      dump(value, to: &text)
      return found[path] = text
    }
    for child in mirror.children {
      let name = child.label ?? "?"
      // What operators set is read again.
      if ["_settings", "settings"].contains(name) { continue }
      let isMachine = !(child.value is Knowledge)
      add(child.value, "\(path).\(name)", depth: isMachine ? depth - 1 : depth, to: &found)
    }
  }

  /// Drives, halts, tunnels, a line, a battery, a modem, wishes, commands and settings of the server.
  private func day() throws -> TrackerTimeline {
    var drive = Drive()
    for leg in 0..<3 {
      drive.park(900)
      drive.go(300, speed_mps: 15, turn: 0.01)
      drive.stand(90)
      drive.go(200, speed_mps: 31)
      drive.go(30, speed_mps: 20, hasSky: false)
      drive.go(200 + leg, speed_mps: 20, turn: -0.005)
    }
    drive.go(2000, speed_mps: 15)
    let yard = try Geofence(id: "yard", shape: .circle(centre: .origin, radius_m: 100_000))
    let day = try TrackerTimeline(drive, seed: 3, sigma_m: 4, geofences: [yard]) {
      $0.track.speedLimit_mps = 28
      $0.sync.budgetDay_kb = 10_000
      $0.sync.roaming.budgetDay_kb = 10_000
      $0.sync.maxBatchSize = 10
      $0.battery.voltageFile = "/sys/battery"
    }
    day.overlaid = { _ in day.settings }
    day.server = { batch, s in
      var reply = UploadReply.of(200, sent: batch.map(\.sequence), bytesUp: 900)
      if s > 1000 { reply.commands = .of(("a", .sync), ("b", .report(lines: 3))) }
      return reply
    }
    return day
  }

  private func happenings(_ day: TrackerTimeline) {
    day.run(to: 500)
    day.happen(.link([Modem(registration: .roaming, cell: .of(0xABC_DE01))]))
    day.happen(.batteryRead(volts: 12.4))
    day.happen(.intentAsked(.track(length_ms: 36_000_000)))
    day.run(to: 1000.5)
    day.happen(.ignition(on: true))
    day.happen(.undervoltage(true))
    day.run(to: 5000.5)
  }

  /// What becomes as of a new tracker again.
  private func lost(_ day: TrackerTimeline, _ fresh: [String: String], by step: () throws -> Void) rethrows
    -> Set<String>
  {
    let before = SurvivalTests.properties(of: day.tracker)
    try step()
    let after = SurvivalTests.properties(of: day.tracker)
    return Set(before.keys.filter { before[$0] != fresh[$0] && after[$0] == fresh[$0] })
  }

  /// A reload ends the track, which begins again with the next fix; the rest is of one report or of one fix.
  private static let passesWithReload: Set<String> = [
    "Journey.trips.speedWatch", "Journey.trips.track", "Journey.trips.tracked", "Receiver.choice.said",
    "Receiver.epochs.last",
  ]

  /// What the next process finds out by itself, or counts from the start.
  private static let passesWithProcess: Set<String> = [
    // Counts of the status, since the start.
    "Commands.inbox.figures", "Gaps.gaps.kept", "Journey.fenceFigures._events", "Journey.probes._begun",
    "Journey.tripFigures._ended", "Journey.tripFigures._noticedBy", "Journey.tripFigures._noticedWithin_s",
    "Receiver.figures._fixes", "Receiver.figures._reportsWithoutFix", "Receiver.figures._satellites",
    "Receiver.module.on_ms", "Receiver.module.reports", "Receiver.module.sessions",
    // Is read or reported again at once: lines, voltages, modems, the sky, the receiver's pace.
    "Dispatch.spending.isRoaming", "Journey.lines.ignition", "Journey.lines.ignitionChangedAt_ms",
    "Journey.motion.known.view", "Journey.trips.battery_V", "Link.isRoaming", "Link.modems",
    "Receiver.module.lastTTFF_ms", "Receiver.quality.delay", "Receiver.reception.hearsSky",
    "Supply.battery.volts", "Supply.isUndervoltage",
    // Fixes of this process, and what was judged by them.
    "Journey.geofences.ahead_ms", "Journey.geofences.lastSeen", "Journey.geofences.measured",
    "Journey.lastFix", "Receiver.clock.belief", "Receiver.clock.candidate",
    "Receiver.clock.savedAt_ms", "Receiver.clock.session", "Receiver.filter.baseAt_ms",
    "Receiver.filter.base_ms", "Receiver.filter.speeds", "Receiver.filter.unknownAccuracy",
    // What is under way ends with the process.
    "Commands.inbox.taken", "Dispatch.outbox.writingSince_ms",
  ]

  @Test(
    "a reload loses nothing but what is of one report, a kill nothing but what the next process finds out")
  func survival() throws {
    let day = try day()
    let fresh = SurvivalTests.properties(of: day.tracker)
    happenings(day)
    let now = SurvivalTests.properties(of: day.tracker)
    #expect(now.keys.count { now[$0] != fresh[$0] } >= 75, "a day on which little happens shows little")
    #expect(try lost(day, fresh) { try day.reload() } == SurvivalTests.passesWithReload)
    #expect(lost(day, fresh) { day.kill(restartAfter: 0, aliveFor_s: 0) } == SurvivalTests.passesWithProcess)
  }
}
