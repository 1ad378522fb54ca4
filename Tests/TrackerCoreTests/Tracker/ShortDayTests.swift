import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// One day without noise, so that figures can be exact: parked for ten minutes, a drive of ten minutes with a
/// light, parked.
@Suite("A short day")
struct ShortDayTests {
  @Test("a disk that fails for hours: memory holds what it can, and the ledger counts the rest exactly")
  func longFailure() throws {
    var drive = Drive()
    drive.go(7000, speed_mps: 15)
    let day = try TrackerTimeline(drive) {
      $0.motion.gpsOffWhenParked = false
      $0.track.sampling = .all
    }
    day.server = { _, _ in .of(503, sent: []) }
    day.run(to: 100)
    day.storageFails = true
    day.run(to: 6000)
    let (given, made) = (day.tracker.dispatch.outbox.lastSequence, day.tracker.dispatch.outbox.made)
    day.storageFails = false
    day.run(to: 6050)
    let lost = try #require(day.disk.ledger["memory_full"])
    #expect(lost > 500 && lost == day.tracker.status(at: day.now).queue.droppedFromMemory)
    #expect(day.disk.committed.filter { $0.sequence <= given }.count + lost == made)
    #expect(day.tracker.warnings.entries[.dropped]?.count == lost)
  }

  /// At 160 s, with each fix kept.
  private func aMinuteOfFailure() throws -> TrackerTimeline {
    var drive = Drive()
    drive.go(600, speed_mps: 15)
    let day = try TrackerTimeline(drive) { $0.track.sampling = .all }
    day.server = { _, _ in .of(503, sent: []) }
    day.run(to: 100)
    day.storageFails = true
    day.run(to: 160)
    return day
  }

  @Test(
    "SIGTERM right after storage has failed: it is tried once more, and nothing is lost where it works again")
  func stopAfterFailure() throws {
    let day = try aMinuteOfFailure()
    let made = day.tracker.dispatch.outbox.made
    #expect(made > day.disk.committed.count)
    day.storageFails = false
    day.happen(.stopping)
    #expect(day.disk.committed.count >= made && day.tracker.dispatch.outbox.pending.isEmpty)
  }

  @Test("what the last commit costs others is reported, too; a failure that loses nothing is no error")
  func reportedAtTheEnd() throws {
    let day = try TrackerTimeline(Drive())
    day.happen(.stopping)
    var tracker = day.tracker
    let reported = [Event.dropped(cause: "disk_full_positions", records: 3), .commitFailed("disk full")]
      .flatMap {
        tracker.handle($0, at: day.now, chance: 0.5)
      }
    #expect(
      reported == [.log(.warning, "3 records dropped: disk_full_positions"), .log(.warning, "disk full")])
  }

  @Test("SIGTERM while storage fails: the log says how many records end with the process")
  func stopWhileFailing() throws {
    let day = try aMinuteOfFailure()
    day.happen(.stopping)
    let lost = day.tracker.dispatch.outbox.pending.count
    #expect(lost >= 60 && day.hasExited && !day.isPowered)
    #expect(day.log.contains("160 \(lost) records in memory are not on storage, and end with the process"))
  }

  @Test("when the supply runs low, what is in memory is on storage at once, and the server is informed")
  func undervoltage() throws {
    var drive = Drive()
    drive.go(600, speed_mps: 15)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 203)
    let tailBefore = day.disk.tail
    day.happen(.undervoltage(true))
    #expect(day.disk.tail != tailBefore && day.disk.tail.last?.fix?.at_s == 203)
    #expect(day.tracker.status(at: day.now).undervoltage)
    #expect(day.tracker.warnings.entries[.undervoltage]?.count == 1)
    day.happen(.undervoltage(false))
    #expect(!day.tracker.status(at: day.now).undervoltage)
  }

  static let drive: Drive = {
    var drive = Drive()
    drive.park(600)
    drive.go(250, speed_mps: 15)
    drive.stand(50)
    drive.go(300, speed_mps: 15)
    drive.park(3000)
    return drive
  }()
  static var length_m: Double { drive.trips[0].distance_m }

  private func day(
    rules: [String] = [], alwaysOn: Bool = true, _ change: (inout Settings) -> Void = { _ in }
  ) throws -> TrackerTimeline {
    let day = try TrackerTimeline(ShortDayTests.drive, rules: rules) {
      $0.motion.gpsOffWhenParked = !alwaysOn
      change(&$0)
    }
    day.coldStart_s = 5
    return day
  }

  private func warnings(_ day: TrackerTimeline) -> [String] {
    day.tracker.status(at: day.now).warnings.map { $0.name }
  }

  @Test("a probe finds the vehicle gone some minutes into the drive, and the rest is measured")
  func probes() throws {
    let day = try day(alwaysOn: false)
    day.run(to: 3600)
    #expect(day.trips.count == 1)
    #expect(
      day.tracker.journey.odometer_m > 5000 && day.tracker.journey.odometer_m < ShortDayTests.length_m + 80)
    #expect(day.gpsOn_s < 1300)
    #expect(!day.isPowered || day.tracker.status(at: day.now).gps.probes.begun > 0)
  }

  @Test("a record that the format cannot carry goes into quarantine, and is warned of; the others arrive")
  func notCarried() throws {
    let day = try day()
    day.server = { batch, _ in
      let sequences = batch.map(\.sequence)
      let faults = sequences.contains(2) ? [Int64(2): "no position"] : [:]
      var reply = UploadReply.of(200, sent: sequences.filter { $0 != 2 })
      if reply.sent.isEmpty { reply = .of(0, failure: .notCarried) }
      reply.notCarried = faults
      return reply
    }
    day.run(to: 5000)
    #expect(day.disk.quarantined == [2])
    #expect(warnings(day).contains("records_refused"))
    #expect(day.received[1] != nil && day.received[3] != nil)
  }

  @Test("with the GPS always on the trip is exact, and begins with the last fix at rest")
  func exact() throws {
    let day = try day()
    day.run(to: 3600)
    try #require(day.trips.count == 1)
    #expect((599...600).contains(day.trips[0].start_s))
    #expect(abs(day.tracker.journey.odometer_m - ShortDayTests.length_m) < 80)
    #expect(day.records(.position).allSatisfy { $0.fix!.at_s <= 1201 }, "a track of noise while parked")
  }

  @Test(
    "eight kills at any moment: the trip and its odometer go on", arguments: 1...40 as ClosedRange<UInt64>)
  func kills(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let day = try day()
    for _ in 0..<8 {
      day.run(to: day.now_s + Double.random(in: 1...400, using: &random))
      let odometer_m = day.disk.state["odometer_m"]?.number ?? 0
      day.kill(restartAfter: 0)
      #expect(day.tracker.journey.odometer_m >= odometer_m)
    }
    day.run(to: day.now_s + 3600)
    #expect(day.trips.count == 1 && day.nothingIsLost())
    #expect(abs(day.tracker.journey.odometer_m - ShortDayTests.length_m) < 400)
  }

  @Test("the server is away for an hour: few requests, a warning, then everything arrives")
  func outage() throws {
    let day = try day()
    day.server = { batch, _ in .of(0, failure: .connect, sent: batch.map { $0.sequence }) }
    day.run(to: 3600)
    #expect(day.requests.count < 60)
    #expect(day.disk.queue.count > 10)
    day.server = { batch, _ in .of(200, sent: batch.map { $0.sequence }) }
    day.run(to: 4300)
    #expect(day.disk.queue.isEmpty)
    #expect(warnings(day).contains("sync_failed"))
  }

  @Test("SIGTERM in a trip: the track is written up to now, and the trip goes on at the next start")
  func stopping() throws {
    let day = try day()
    day.run(to: 760)
    day.happen(.stopping)
    #expect(!day.isPowered)
    #expect(day.disk.committed.last?.time_ms == epoch_ms + 760_000)
    #expect(day.disk.state["trip"]?["id"] == 1)
  }

  @Test("a power line that refuses to go off is tried again every 4 s")
  func powerRetry() throws {
    let day = try day(rules: ["2025-06-02 06:00-06:05"])
    day.run(to: 299)
    day.powerIsStuck = true
    day.run(to: 303)
    #expect(day.isPowered)
    day.powerIsStuck = false
    day.run(to: 303.999)
    #expect(day.isPowered)
    day.run(to: 304)
    #expect(!day.isPowered)
    #expect(warnings(day).contains("gps_power_line"))
  }

  @Test("no coordinate in any log line")
  func privacy() throws {
    let day = try day(alwaysOn: false) { $0.run.logLevel = .debug }
    day.run(to: 3600)
    #expect(day.log.count > 5)
    #expect(!day.log.contains { $0.contains(/\b(47|8)\.[0-9]{3}/) })
  }

  @Test("a garage for a whole window: growing pauses, the cause in the status, off at the end")
  func garage() throws {
    let day = try day(rules: ["2025-06-02 06:00-08:00"], alwaysOn: false)
    day.coldStart_s = 1e9
    day.run(to: 7190)
    #expect(day.tracker.status(at: day.now).noTrackCause == .noSky)
    #expect(day.gpsOn_s < 4000)
    day.run(to: 7210)
    #expect(!day.isPowered)
  }
}
