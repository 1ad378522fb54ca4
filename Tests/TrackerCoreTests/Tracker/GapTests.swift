import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Every pause of the track has a record with its cause (N11).
@Suite("Gaps of the track")
struct GapTests {
  /// Causes with their begin and end, in whole seconds of the timeline.
  private func gaps(_ day: TrackerTimeline) -> [String] {
    day.disk.committed.compactMap { record in
      guard case .gap(let gap) = record.content else { return nil }
      return "\(gap.cause.rawValue) \((gap.begin_ms - epoch_ms) / 1000) \((gap.end_ms - epoch_ms) / 1000)"
    }
  }

  private func expectCovered(
    _ day: TrackerTimeline, maxInterval_s: Double = 120, from_s: Double = 0, to_s: Double? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let open = day.tracker.gaps.parts.first.map { TrackGaps.date($0.since, at: day.tracker.time(day.now)) }
    // What is in memory is on its way.
    let records =
      day.disk.committed + day.tracker.dispatch.outbox.pending + day.tracker.saved(at: day.now).tail
    let problems = TrackCoverage(records, maxInterval_s: maxInterval_s).problems(
      from: epoch_ms + milliseconds(from_s), to: epoch_ms + milliseconds(to_s ?? day.now_s),
      openSince_ms: open)
    #expect(problems == [], "\(gaps(day))", sourceLocation: location)
  }

  @Test("a day of trips with a light and a tunnel: parked between them, and no sky where there was none")
  func tunnel() throws {
    let drive = WholeDayTests.tunnelDay()
    let day = try TrackerTimeline(drive, sigma_m: 3)
    day.run(to: Double(drive.length_s))
    expectCovered(day)
    let causes = gaps(day).map { $0.split(separator: " ")[0] }
    #expect(causes.filter { $0 == "no_sky" }.count == 1, "\(gaps(day))")
    let status = day.tracker.status(at: day.now)
    #expect(status.noTrackCause == .parked)
    let arrived_s = Double(try #require(status.noTrackSince_ms) - epoch_ms) / 1000
    #expect(
      abs(arrived_s - drive.trips[0].end_s) < 12, "since the arrival, not since it was known: \(arrived_s)")
  }

  @Test("random days with probes", arguments: 1...4 as ClosedRange<UInt64>)
  func days(seed: UInt64) throws {
    let drive = WholeDayTests.randomDay(seed: seed)
    let day = try TrackerTimeline(drive, seed: seed, sigma_m: 4)
    day.run(to: Double(drive.length_s))
    expectCovered(day)
    // Between two trips the vehicle is parked once, however often the GPS looked.
    #expect(gaps(day).count <= drive.trips.count + 2, "\(gaps(day))")
  }

  @Test("parked over night in a closed window: one record for each cause, not one a minute")
  func night() throws {
    var drive = Drive()
    drive.park(600)
    drive.go(900, speed_mps: 15)
    drive.park(14 * 3600)
    drive.go(900, speed_mps: 15)
    drive.park(600)
    // The timeline begins at six.
    let day = try TrackerTimeline(drive, rules: ["sun-sat 06:00-08:00", "sun-sat 18:00-23:00"])
    day.run(to: Double(drive.length_s))
    expectCovered(day)
    let causes = gaps(day).map { String($0.split(separator: " ")[0]) }
    #expect(causes.filter { $0 == "window_closed" }.count == 1, "\(gaps(day))")
    #expect(causes.count <= 6, "\(gaps(day))")
    #expect(gaps(day).contains("window_closed 7200 43200"), "\(gaps(day))")
  }

  @Test(
    "kills at random instants: what came between two processes is a gap, or too short for one",
    arguments: 1...6 as ClosedRange<UInt64>)
  func kills(seed: UInt64) throws {
    let drive = WholeDayTests.randomDay(seed: seed &+ 100, trips: 2)
    var random = SeededRandom(seed)
    let day = try TrackerTimeline(drive, seed: seed, sigma_m: 4) {
      $0.motion.gpsOffWhenParked = seed % 2 == 0
    }
    while day.now_s < Double(drive.length_s) {
      day.run(to: day.now_s + Double.random(in: 1...900, using: &random))
      day.kill(restartAfter: Double.random(in: 0.5...300, using: &random))
    }
    day.run(to: day.now_s + 600)
    expectCovered(day)
  }

  @Test("what was followed and not kept ends with the process, also while the GPS rests at a halt")
  func saved() {
    func time(_ s: Int64) -> RecordTime {
      RecordTime(boot_ms: s * 1000, time_ms: epoch_ms + s * 1000, source: .gps, fixSource: .gps)
    }
    func saved(_ gaps: TrackGaps, tail: Fix?) -> SavedGap? {
      SavedGap(saved: gaps.saved(bootID: "b", tail: tail, at: time(702)).saved)
    }
    var gaps = TrackGaps(at: 0)
    _ = gaps.followed(epoch_ms + 600_000, after: nil, at: time(600))
    gaps.positionKept(epoch_ms + 600_000, trip: 1, at: time(600))
    for s: Int64 in 601...700 { _ = gaps.followed(epoch_ms + s * 1000, after: nil, at: time(s)) }
    _ = gaps.note(.parked, at: time(701))
    func expect(_ found: SavedGap?, end_s: Int64) {
      let end = TrackGaps.Instant(boot_ms: end_s * 1000, time_ms: epoch_ms + end_s * 1000)
      #expect(found?.trackEnd == end && found?.causes == [TrackGaps.Part(cause: .parked, since: end)])
    }
    expect(saved(gaps, tail: nil), end_s: 600)
    let tail = Fix(
      time_ms: epoch_ms + 650_000, position: Position(latitude_deg: 47, longitude_deg: 8), accuracy_m: 5)
    expect(saved(gaps, tail: tail), end_s: 650)
  }

  @Test("the process did not run: told at the next start, from the last sign of life")
  func process() throws {
    let day = try TrackerTimeline(.parked)
    day.kill()
    day.run(to: 1800)
    day.kill(restartAfter: 600, aliveFor_s: 0)
    day.run(to: 3600)
    expectCovered(day)
    #expect(gaps(day).contains("process_not_running 1800 2400"), "\(gaps(day))")
  }

  @Test("a process that ended before it had stored anything gave a sign of life all the same")
  func nothingStored() throws {
    let day = try TrackerTimeline(.parked)
    day.run(to: 5)
    day.kill(restartAfter: 600, aliveFor_s: 0)
    day.run(to: 1800)
    #expect(gaps(day).first == "process_not_running 5 605", "\(gaps(day))")
  }

  @Test(
    "the board was off: told by another boot id, from what was stored last until it booted",
    arguments: [(20.0, 1240), (100, 1140)])
  func board(startedAfter_s: Double, on_s: Int) throws {
    var drive = Drive()
    drive.park(300)
    drive.go(1200, speed_mps: 20)
    drive.park(3600)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 1000)
    day.reboot(after: 240, isSynchronised: true, bootClock_s: startedAfter_s)
    day.run(to: 3000)
    expectCovered(day)
    let off = try #require(gaps(day).first { $0.hasPrefix("board_off") })
    let begin_s = try #require(Int(off.split(separator: " ")[1]))
    #expect((985...1000).contains(begin_s) && off.hasSuffix(" \(on_s)"), "\(gaps(day))")
  }

  @Test("a boot without the time: the gap gets its true end once that is known")
  func boardWithoutTime() throws {
    var drive = Drive()
    drive.park(300)
    drive.go(3000, speed_mps: 20)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 1000)
    day.wallError_s = -100_000
    day.server = { _, _ in .of(0) }
    day.reboot(after: 240, isSynchronised: false, bootClock_s: 20)
    day.run(to: 2000)
    let records = day.disk.queue
    let off = records.compactMap { record -> TrackGap? in
      if case .gap(let gap) = record.content, gap.cause == .boardOff { gap } else { nil }
    }
    try #require(off.count == 1)
    #expect(off[0].isDated && (985...1000).contains((off[0].begin_ms - epoch_ms) / 1000), "\(off[0])")
    #expect(abs((off[0].end_ms - epoch_ms) / 1000 - 1240) <= 2)
  }

  @Test("an operator's pause, safe mode, gpsd that is gone, a silent module: each by its name")
  func causes() throws {
    var drive = Drive()
    drive.go(6000, speed_mps: 15)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 600)
    day.happen(.intentAsked(.pause(length_ms: 300_000)))
    day.run(to: 1500)
    day.gpsdIsGone = true
    day.happen(.gpsLost("end of file"))
    day.run(to: 2000)
    day.gpsdIsGone = false
    day.run(to: 3000)
    day.onTheWay = { _, _ in [] }
    day.run(to: 3600)
    day.onTheWay = { report, _ in [report] }
    day.run(to: 5400)
    expectCovered(day)
    let causes = gaps(day).map { String($0.split(separator: " ")[0]) }
    #expect(
      causes.contains("paused") && causes.contains("gpsd_lost") && causes.contains("gps_silent"),
      "\(gaps(day))")
  }

  @Test("undervoltage is named instead of the GPS that fails by it")
  func undervoltage() throws {
    var drive = Drive()
    drive.go(3000, speed_mps: 15)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 600)
    day.happen(.undervoltage(true))
    day.onTheWay = { _, _ in [] }
    day.run(to: 900)
    day.happen(.undervoltage(false))
    day.onTheWay = { report, _ in [report] }
    day.run(to: 2400)
    expectCovered(day)
    #expect(gaps(day).contains { $0.hasPrefix("undervoltage 600 ") }, "\(gaps(day))")
  }

  @Test("less than a minute is no gap", arguments: [(50, 0), (75, 1)])
  func short(tunnel_s: Int, expected: Int) throws {
    var drive = Drive()
    drive.park(60)
    drive.go(600, speed_mps: 20)
    drive.go(tunnel_s, speed_mps: 20, hasSky: false)
    drive.go(900, speed_mps: 20)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.run(to: Double(drive.length_s))
    expectCovered(day)
    #expect(gaps(day).filter { $0.hasPrefix("no_sky") }.count == expected, "\(gaps(day))")
  }

  @Test("positions that memory had no room for while storage failed are a gap of storage_failed")
  func storage() throws {
    var drive = Drive()
    drive.go(7200, speed_mps: 15)
    let day = try TrackerTimeline(drive) {
      ($0.motion.gpsOffWhenParked, $0.track.sampling) = (false, .all)
    }
    day.server = { _, _ in .of(0) }
    day.run(to: 300)
    day.storageFails = true
    day.run(to: 6000)
    day.storageFails = false
    day.run(to: 7000)
    expectCovered(day)
    #expect(gaps(day).contains { $0.hasPrefix("storage_failed") }, "\(gaps(day))")
  }
}

extension RecordTime {
  fileprivate init(_ now: Moment) {
    self.init(boot_ms: now.boot_ms, time_ms: now.wall_ms, source: .trustedWallClock, fixSource: .gps)
  }
}
