import DriveGenerator
import Testing
import TrackerBase
import TrackerLab
import TrackerWire

/// Whole drives through the agent in virtual time.
@Suite struct ReplayTests {
  static let start_ms: Int64 = 1_800_000_000_000

  /// The demo's drive: parked a minute, a trip of 4.5 km, parked 8 min, a trip of 3.2 km, parked 8 min.
  static let drive = Drive(plan: .demo, seed: 1, start_ms: start_ms)

  /// - Parameter isRecorded: of a time; the recorder, or the module, was off at others.
  static func track(
    _ drive: Drive = drive, where isRecorded: (Int64) -> Bool = { _ in true }
  ) throws -> RecordedTrack {
    let reports = drive.epochs.filter { isRecorded($0.time_ms) }.map { epoch in
      GPSReport(
        mode: epoch.hasFix ? 3 : 1, time_ms: epoch.time_ms, latitude_deg: epoch.latitude_deg,
        longitude_deg: epoch.longitude_deg, speed_mps: epoch.speed_mps, course_deg: epoch.course_deg,
        accuracy_m: 5)
    }
    return try #require(RecordedTrack(name: "demo", reports: reports))
  }

  static func replay(
    _ settings: (inout Settings) -> Void = { _ in }, assuming assume: (inout Assumptions) -> Void = { _ in }
  ) throws -> ReplayResult {
    var chosen = Settings()
    chosen.sync.splay_s = 0
    settings(&chosen)
    var assumptions = Assumptions()
    assume(&assumptions)
    return try Replay(track: track(), settings: chosen, assumptions: assumptions).run()
  }

  @Test("with the GPS always on both trips are found where they were, and delivered")
  func whole() throws {
    let result = try Self.replay { $0.motion.gpsOffWhenParked = false }
    try #require(result.trips.count == 2)
    for (found, driven) in zip(result.trips, Self.drive.trips) {
      #expect(abs(found.span.start_ms - driven.start_ms) < 20_000)
      #expect(abs(found.span.end_ms - driven.end_ms) < 20_000)
      #expect(abs(found.distance_m / driven.distance_m - 1) < 0.03)
      #expect(found.endCause == .stayed)
    }
    #expect(result.totals.delivered == result.totals.records - result.totals.queuedAtEnd)
    #expect(result.totals.delivered > 20)
    #expect(result.totals.gpsOn_s > 0.99 * result.span.length_s)
    #expect(result.error.worst_m <= 10.1 && result.error.fixes > 400)
  }

  @Test("parked, the GPS is off but for probes, and the parked time is a named gap")
  func parked() throws {
    let result = try Self.replay()
    #expect(result.totals.gpsOn_s < 0.75 * result.span.length_s)
    #expect(result.totals.probes >= 2)
    let parked_s = result.gaps.filter { $0.name == "parked" }.reduce(0) { $0 + $1.span.length_s }
    #expect(parked_s > 300)
    #expect(result.motion.map(\.name).contains("stationary"))
    let on_s = result.gpsOn.reduce(0) { $0 + $1.length_s }
    #expect(on_s == result.totals.gpsOn_s && result.gpsOn.count == result.totals.gpsSessions)
    #expect(result.stops.count >= 2)
  }

  @Test("the same replay gives the same result")
  func reproducible() throws {
    let (once, again) = (try Self.replay(), try Self.replay())
    #expect(ReplayJSON.text([once]) == ReplayJSON.text([again]))
  }

  @Test("a recording with a point each 94 s says that departures may be missed")
  func sparse() throws {
    let reports = stride(from: Int64(0), through: 5400, by: 94).map {
      GPSReport(
        mode: 2, time_ms: Self.start_ms + $0 * 1000, latitude_deg: 47.4,
        longitude_deg: 8.5 + 0.0002 * Double(max(0, min($0 - 1800, 3600))))
    }
    let track = try #require(RecordedTrack(name: "boat.csv", reports: reports))
    #expect(
      try Replay(track: track, settings: Settings()).hints == [
        "boat.csv has a point each 94 s; the replay takes gaps over 10 s for lost sky, so it may miss departures and trips. Record with a point each 1 to 5 s."
      ])
    #expect(try Replay(track: Self.track(), settings: Settings()).hints.isEmpty)
  }

  @Test("an outage delays what is delivered, and loses nothing")
  func outage() throws {
    let result = try Self.replay(assuming: { $0.network.outages = ["2m for 8m"] })
    let outage = Self.start_ms + 120_000..<Self.start_ms + 600_000
    let inside = result.requests.filter { outage.contains($0.span.start_ms) }
    #expect(!inside.isEmpty && inside.allSatisfy { !$0.isDelivered && $0.status == 0 })
    #expect(result.totals.delivered + result.totals.queuedAtEnd == result.totals.records)
    #expect(result.totals.delivered > 20)
    #expect(try #require(result.requests.map(\.records).max()) > 10)
  }

  @Test("a lost reply costs bytes: the same records go again")
  func lostReplies() throws {
    let smooth = try Self.replay()
    let rough = try Self.replay(assuming: { $0.network.lostReplyRate = 0.5 })
    let (once, again) = (smooth.totals.bytesByFormat["geomony"], rough.totals.bytesByFormat["geomony"])
    #expect(try #require(again) > (try #require(once)))
    #expect(rough.totals.requestsFailed > 0)
  }

  @Test(
    "compact takes at most 12 bytes a record in full batches, events included, and a thirteenth of geomony in fives"
  )
  func compact() throws {
    let plan = DrivePlan.random(trips: 6, seed: 3)
    let result = try Replay(
      track: Self.track(Drive(plan: plan, seed: 3, start_ms: Self.start_ms)), settings: Settings(),
      assumptions: Assumptions()
    ).run()
    let formats = Dictionary(uniqueKeysWithValues: result.totals.formats.map { ($0.format, $0) })
    let (geomony, compact) = (try #require(formats[.geomony]), try #require(formats[.compact]))
    let each = Double(compact.inHundreds) / Double(result.totals.records)
    #expect(result.totals.records > 100)
    #expect(each <= 12, "\(each) bytes")
    #expect(compact.inFives * 13 < geomony.inFives)
    #expect(compact.notCarried == 0 && geomony.notCarried == 0)
  }

  @Test("with one record a request all arrive, but those without a position, which are in quarantine")
  func oneRecord() throws {
    let result = try Self.replay { $0.sync.format = .traccar }
    #expect(result.requests.allSatisfy { $0.records <= 1 })
    let notCarried = try #require(result.totals.formats.first { $0.format == .traccar }).notCarried
    let arrived = result.totals.delivered + result.totals.queuedAtEnd
    #expect(arrived + notCarried == result.totals.records)
    #expect(result.totals.delivered > 20)
  }

  @Test("errors of the server are retried")
  func errors() throws {
    let result = try Self.replay(assuming: { $0.network.errorRate = 0.4 })
    #expect(result.requests.contains { $0.status == 503 })
    #expect(result.totals.warnings["sync_failed"] == result.totals.requestsFailed)
  }

  @Test("the schedule decides: outside its windows nothing is on")
  func schedule() throws {
    // The drive begins at 08:00:00 UTC.
    let result = try Self.replay { $0.schedule = ["mon-sun 08:05-08:10"] }
    let window = Span(start_ms: Self.start_ms + 300_000, end_ms: Self.start_ms + 600_000)
    #expect(result.windows == [window])
    #expect(
      result.gpsOn.allSatisfy { $0.start_ms >= window.start_ms && $0.end_ms <= window.end_ms + 5000 })
    #expect(result.gaps.contains { $0.name == "window_closed" })
  }

  @Test("an ignition line, guessed from the speed, starts the trip with the key")
  func ignition() throws {
    let result = try Self.replay(assuming: { $0.ignition = .fromSpeed })
    #expect(result.trips.count == 2)
    let late_s = result.trips.map { trip in
      Self.drive.trips.map { Double(abs(trip.span.start_ms - $0.start_ms)) / 1000 }.min() ?? .infinity
    }
    #expect(late_s.allSatisfy { $0 < 60 }, "\(late_s)")
  }

  @Test("a trip that is still going on at the recording's end is reported of")
  func open() throws {
    let cut = try #require(
      RecordedTrack(name: "cut", reports: Self.track().entries.prefix(300).map(\.report)))
    let result = try Replay(track: cut, settings: Settings()).run()
    try #require(result.trips.count == 1)
    #expect(result.trips[0].endCause == nil && result.trips[0].distance_m > 500)
    #expect(result.kept.last?.time_ms == result.trips[0].span.end_ms)
  }

  @Test("an outage that cannot be read is an error that says how to write it")
  func malformedOutage() throws {
    #expect(throws: OutageError(text: "soon")) {
      try Self.replay(assuming: { $0.network.outages = ["soon"] })
    }
    #expect(
      OutageError(text: "soon").description
        == "network.outages: \"soon\" is not an outage: write when it begins after the recording's start and "
        + "how long it lasts, such as \"2h for 45m\"")
  }

  @Test("energy is current times time")
  func energy() throws {
    let result = try Self.replay(assuming: {
      $0.current.gps_mA = 36
      $0.current.board_mA = 100
    })
    #expect(abs(result.totals.energy.gps_mAh - result.totals.gpsOn_s / 100) < 0.001)
    #expect(abs(result.totals.energy.board_mAh - result.span.length_s / 36) < 0.001)
    #expect(result.totals.energy.radio_mAh > 0)
    // A modem by its name.
    let stick = try Self.replay(assuming: { ($0.current.modem, $0.current.modem_mA) = (.lteStick, 1) })
    #expect(abs(stick.totals.energy.modem_mAh - 93 * result.span.length_s / 3600) < 0.001)
    #expect(stick.totals.energy.radio_mAh < result.totals.energy.radio_mAh)
  }
}
