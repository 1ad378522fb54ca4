import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Whole days with everything at once: noise, lights, tunnels, a server that comes and goes, kills.
@Suite("Whole days")
struct WholeDayTests {
  /// Parked, a trip with a light of four minutes and a tunnel of three, parked.
  static func tunnelDay() -> Drive {
    var drive = Drive()
    drive.park(900)
    drive.go(300, speed_mps: 15, turn: 0.01)
    drive.stand(240)
    drive.go(200, speed_mps: 20)
    drive.go(180, speed_mps: 20, hasSky: false)
    drive.go(400, speed_mps: 20, turn: -0.005)
    drive.park(3600)
    return drive
  }

  static func randomDay(seed: UInt64, trips: Int = 3) -> Drive {
    var random = SeededRandom(seed)
    var drive = Drive()
    drive.park(Int.random(in: 100...600, using: &random))
    for _ in 0..<trips {
      drive.wander(legs: Int.random(in: 10...16, using: &random), random: &random)
      drive.park(Int.random(in: 900...2400, using: &random))
    }
    return drive
  }

  @Test("lights and a tunnel do not cut a trip", arguments: 1...4 as ClosedRange<UInt64>)
  func tunnel(seed: UInt64) throws {
    let drive = WholeDayTests.tunnelDay()
    let day = try TrackerTimeline(drive, seed: seed, sigma_m: 3) { $0.motion.gpsOffWhenParked = false }
    day.run(to: Double(drive.length_s))
    try #require(day.trips.count == 1, "\(day.trips)")
    #expect(abs(day.trips[0].start_s - 900) < 12 && abs(day.trips[0].end_s - drive.trips[0].end_s) < 12)
    #expect(abs(day.trips[0].distance_m / drive.trips[0].distance_m - 1) < 0.02)
    #expect(day.nothingIsLost())
    let inTunnel = day.records(.position).filter { $0.fix!.at_s > 1645 && $0.fix!.at_s < 1815 }
    #expect(inTunnel.isEmpty, "points were invented")
  }

  @Test(
    "random days with probes: every trip is found, the GPS rests while parked, all is delivered in order",
    arguments: 1...6 as ClosedRange<UInt64>)
  func days(seed: UInt64) throws {
    let drive = WholeDayTests.randomDay(seed: seed)
    let day = try TrackerTimeline(drive, seed: seed, sigma_m: 4)
    day.run(to: Double(drive.length_s))
    day.happen(.syncAsked)
    day.run(to: Double(drive.length_s) + 400)
    #expect(day.trips.count == drive.trips.count)
    for (found, truth) in zip(day.trips, drive.trips) {
      #expect(abs(found.end_s - truth.end_s) < 15)
      #expect(found.distance_m < truth.distance_m * 1.02)
    }
    let driving_s = drive.trips.reduce(0) { $0 + $1.end_s - $1.start_s }
    // The stop time-out, and probes each 90 s with a module that takes 30 s for each.
    #expect(day.gpsOn_s < driving_s + Double(drive.trips.count) * 900, "\(day.gpsOn_s) of \(driving_s)")
    #expect(day.received.count == day.disk.committed.count && day.nothingIsLost())
    #expect(day.disk.committed.map { $0.sequence } == Array(1...day.disk.lastSequence))
    #expect(day.tracker.status(at: day.now).motion.state == .stationary)
    // Parked: one position, no track.
    #expect(day.records(.position).allSatisfy { $0.tripID != nil })
  }

  @Test(
    "kill -9 at random instants, a server that comes and goes: nothing committed is lost or changed",
    arguments: 1...12 as ClosedRange<UInt64>)
  func kills(seed: UInt64) throws {
    let drive = WholeDayTests.randomDay(seed: seed &+ 100, trips: 2)
    var random = SeededRandom(seed)
    var serverRandom = SeededRandom(seed &+ 5)
    let day = try TrackerTimeline(drive, seed: seed, sigma_m: 4) {
      $0.motion.gpsOffWhenParked = seed % 2 == 0
    }
    day.server = { batch, _ in
      .of([200, 200, 503, 0, 401][Int(serverRandom.next() % 5)], sent: batch.map { $0.sequence })
    }
    while day.now_s < Double(drive.length_s) {
      day.run(to: day.now_s + Double.random(in: 1...900, using: &random))
      let odometer_m = day.disk.state["odometer_m"]?.number ?? 0
      let trip = day.disk.state["trip"] ?? .null
      day.kill(restartAfter: Double.random(in: 0.5...40, using: &random))
      #expect(day.tracker.journey.odometer_m == odometer_m)
      #expect((day.tracker.trip == nil) == (trip == .null))
    }
    day.server = { batch, _ in .of(200, sent: batch.map { $0.sequence }) }
    day.run(to: Double(drive.length_s) + 3000)
    #expect(day.nothingIsLost() && day.disk.queue.isEmpty)
    #expect(day.received.count == day.disk.committed.count)
    #expect(day.trips.count == drive.trips.count, "\(day.trips)")
    #expect(Set(day.summaries.map(\.id)).count == day.trips.count)
  }

  @Test("a kill costs at most ten seconds of the track", arguments: 1...10 as ClosedRange<UInt64>)
  func tail(seed: UInt64) throws {
    var drive = Drive()
    drive.park(100)
    drive.go(1200, speed_mps: 20)
    let day = try TrackerTimeline(drive, seed: seed) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 400 + Double(seed) * 37.3)
    let killedAt_s = day.now_s
    day.kill()
    day.run(to: killedAt_s + 15)
    let newest_s = day.records(.position).map { $0.fix!.at_s }.filter { $0 <= killedAt_s }.max() ?? 0
    #expect(killedAt_s - newest_s <= 11, "lost \(killedAt_s - newest_s) s")
  }

  @Test(
    "after an absence longer than the lost-trip time-out the old trip is closed at its last fix",
    arguments: [(1700.0, 1), (2000, 2)])
  func longAbsence(away_s: Double, trips: Int) throws {
    var drive = Drive()
    drive.park(100)
    drive.go(4000, speed_mps: 20)
    drive.park(900)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 600)
    day.kill(restartAfter: away_s)
    day.run(to: 5000)
    #expect(day.trips.count == trips)
    if trips == 2 { #expect(day.trips[0].end_s <= 600 && day.trips[0].end_s > 585) }
  }

  @Test(
    "while what was delivered cannot leave the queue it is sent again at growing waits, not as fast as it goes"
  )
  func removalFails() throws {
    let day = try TrackerTimeline(WholeDayTests.tunnelDay()) {
      $0.motion.gpsOffWhenParked = false
      $0.sync.url = "https://fleet.example/positions"
    }
    day.run(to: 1000)
    let before = day.tracker.status(at: day.now).sync.requests
    day.happen(.queueShrank(queued: day.disk.queue.count + 500))
    (day.storageFails, day.storageStillReads) = (true, true)
    day.run(to: 4600)
    let requests = day.tracker.status(at: day.now).sync.requests - before
    #expect(requests > 3 && requests < 60)
    day.storageFails = false
    day.run(to: 6000)
    #expect(day.disk.queue.count < 50)
    #expect(day.tracker.status(at: day.now).queue.storage == .ok)
  }

  @Test("what has become of the queue's files is a warning by name, and damage a record as well")
  func queueNews() throws {
    let day = try TrackerTimeline(WholeDayTests.tunnelDay())
    day.happen(.queueDamaged("set aside"))
    day.happen(.queueFailed("removing: I/O error"))
    day.run(to: 30)
    let warnings = day.tracker.warnings.entries
    #expect([.queueDamaged, .storage].allSatisfy { warnings[$0]?.count == 1 })
    let reported = day.disk.committed.filter { $0.kind == .warning }
    #expect(reported.map(\.content) == [.warning(.queueDamaged("set aside"))])
  }

  @Test("troubles of the host are warnings; lost lines are counted, and make no further line")
  func hostTroubles() throws {
    let day = try TrackerTimeline(WholeDayTests.tunnelDay())
    let lines = day.log.count
    day.happen(.hostProblem(.logLost(lines: 300)))
    day.happen(.hostProblem(.logLost(lines: 20)))
    #expect(day.log.count == lines)
    day.happen(.hostProblem(.runFolder("full")))
    day.happen(.hostProblem(.fewDescriptors("few")))
    #expect(day.log.suffix(2).map { $0.contains("full") || $0.contains("few") } == [true, true])
    let warnings = day.tracker.warnings.entries
    #expect(warnings[.logLost]?.count == 320)
    #expect(warnings[.runFolder]?.count == 1 && warnings[.fewDescriptors]?.count == 1)
  }

  @Test("storage fails for an hour: sampling goes on, and all is written afterwards")
  func storage() throws {
    let drive = WholeDayTests.tunnelDay()
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.server = { _, _ in .of(503, sent: []) }
    day.run(to: 1000)
    day.storageFails = true
    day.run(to: 4600)
    let failing = day.tracker.status(at: day.now)
    #expect(failing.gps.fixes > 3000)
    #expect(failing.queue.storage == .failed && failing.queue.inMemory > 0)
    #expect(day.log.filter { $0.contains("disk full") }.count < 400)
    day.storageFails = false
    day.run(to: 5000)
    let healed = day.tracker.status(at: day.now)
    #expect(healed.queue.storage == .ok && healed.queue.inMemory == 0)
    let sequences = day.disk.committed.map { $0.sequence }
    #expect(sequences == Set(sequences).sorted() && sequences.last == day.disk.lastSequence)
    #expect(day.trips.count == 1)
    #expect(day.tracker.warnings.entries[.storage] != nil)
  }

  @Test("a long outage: few requests, then the backlog drains in paced batches")
  func outage() throws {
    let drive = WholeDayTests.tunnelDay()
    let day = try TrackerTimeline(drive) {
      $0.motion.gpsOffWhenParked = false
      $0.track.sampling = .all
    }
    day.server = { batch, _ in .of(503, sent: batch.map { $0.sequence }) }
    day.run(to: 5000)
    #expect(day.requests.count < 60 && day.disk.queue.count > 1000)
    day.server = { batch, _ in .of(200, sent: batch.map { $0.sequence }) }
    day.run(to: 8000)
    #expect(day.disk.queue.isEmpty && day.nothingIsLost())
  }

  @Test("gpsd away for 25 minutes of a trip: tried again, warned of, and no journal full of it")
  func gpsdGone() throws {
    var drive = Drive()
    drive.park(100)
    drive.go(4500, speed_mps: 15)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 500)
    day.gpsdIsGone = true
    day.happen(.gpsLost("end of file"))
    day.run(to: 2000)
    day.gpsdIsGone = false
    day.run(to: 2060)
    #expect(day.tracker.status(at: day.now).noTrackCause == nil, "not back within a minute")
    #expect(day.log.filter { $0.contains("refused") }.count < 400)
    #expect(day.trips.isEmpty)
  }

  @Test(
    "SIGTERM writes all and switches off, whatever was going on", arguments: 1...10 as ClosedRange<UInt64>)
  func stopping(seed: UInt64) throws {
    let drive = WholeDayTests.randomDay(seed: 3, trips: 1)
    let day = try TrackerTimeline(drive, seed: seed) { $0.motion.gpsOffWhenParked = false }
    day.run(to: Double(seed) * 173.3)
    day.happen(.stopping)
    #expect(day.hasExited && !day.isPowered)
    #expect(day.tracker.dispatch.outbox.pending.isEmpty)
  }
}
