import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Records from before the time was known")
struct RedatingTests {
  static let behind_s = -100 * 86_400.0
  static let pausedAt_s = 1.0

  /// A board without RTC whose clock is a hundred days behind; its server cannot be reached.
  private func board(
    isReached: Bool = false, _ change: (inout Settings) -> Void = { _ in }
  ) throws -> TrackerTimeline {
    let day = try TrackerTimeline(.parked, isSynchronised: false, wallError_s: Self.behind_s, change)
    // From here on it knows which boot it is.
    day.kill()
    if !isReached { day.server = { _, _ in .of(0, failure: .connect) } }
    day.happen(.intentAsked(.pause(length_ms: nil)))
    return day
  }

  private func pause(_ day: TrackerTimeline) throws -> Record {
    try #require(day.disk.queue.first { $0.content == .status(.intent(.pause)) })
  }

  /// When the record says it was made, in seconds of the timeline.
  private func date_s(_ record: Record) -> Double { Double(record.time_ms - epoch_ms) / 1000 }

  @Test("a pause has its true date once GPS gives the time, in the queue, and is the same record")
  func gps() throws {
    let day = try board()
    let before = try pause(day)
    #expect(abs(date_s(before) - Self.behind_s) < 2 && before.timeSource == .untrustedWallClock)
    day.run(to: 100)
    day.happen(.intentAsked(.resume))
    day.run(to: 600)
    let after = try pause(day)
    #expect(date_s(after) == Self.pausedAt_s && after.timeSource == .trustedWallClock)
    #expect(after.sequence == before.sequence && after.content == before.content)
  }

  @Test("a departure by the key, before the time was known, is at the key once it is")
  func key() throws {
    let day = try board()
    day.happen(.intentAsked(.resume))
    day.run(to: 20)
    day.gpsdIsGone = true
    day.happen(.ignition(on: true))
    func departure() throws -> Record {
      try #require(day.disk.queue.first { $0.content == .motion(MotionChange(cause: .ignition)) })
    }
    day.run(to: 25)
    #expect(try departure().timeSource == .untrustedWallClock)
    day.wallError_s = 0
    day.happen(.clockStepped(isSynchronised: true))
    day.run(to: 60)
    #expect(try date_s(departure()) == 20)
  }

  @Test("a kernel whose clock is set dates what was made before")
  func kernel() throws {
    let day = try board()
    day.run(to: 100)
    day.wallError_s = 0
    day.happen(.clockStepped(isSynchronised: true))
    day.run(to: 120)
    #expect(try date_s(pause(day)) == Self.pausedAt_s)
  }

  private static let answers: [(UploadReply?, Bool)] = [
    (.of(503), true), (.of(0, failure: .timeout, bytesUp: 900), true), (.of(0, failure: .connect), true),
    (nil, false),
  ]

  @Test(
    "what a server was sent and did not acknowledge gets its true date; what it acknowledged keeps its date",
    arguments: answers)
  func sent(answer: UploadReply?, isCorrected: Bool) throws {
    let day = try board(isReached: answer == nil) { $0.clock.hold_s = 0 }
    if let answer { day.server = { _, _ in answer } }
    day.run(to: 100)
    #expect(day.requests.contains { $0.records > 0 })
    day.wallError_s = 0
    day.happen(.clockStepped(isSynchronised: true))
    day.server = { batch, _ in .of(200, sent: batch.map { $0.sequence }) }
    day.run(to: 2000)
    let pause = try #require(day.received.values.first { $0.content == .status(.intent(.pause)) })
    #expect(date_s(pause) == Self.pausedAt_s || !isCorrected)
    #expect(pause.timeSource == (isCorrected ? .trustedWallClock : .untrustedWallClock))
  }

  @Test("a record that was tried gets its true date also in another process of the same boot")
  func sentBeforeKill() throws {
    let day = try board { $0.clock.hold_s = 0 }
    day.server = { _, _ in .of(503) }
    day.run(to: 100)
    day.kill()
    day.happen(.intentAsked(.resume))
    day.run(to: 700)
    #expect(try date_s(pause(day)) == Self.pausedAt_s)
  }

  @Test("an undated record waits for clock_hold_s, an alarm does not")
  func hold() throws {
    let day = try board(isReached: true) { $0.clock.hold_s = 120 }
    day.run(to: 20)
    day.happen(.queueDamaged("a page is gone"))
    day.run(to: 100)
    #expect(day.received.values.map(\.kind) == [.warning])
    #expect(day.received.values.allSatisfy { !$0.timeSource.isTrusted })
    day.run(to: 130)
    #expect(day.received.values.contains { $0.content == .status(.intent(.pause)) && $0.isUndated })
    #expect(day.log.contains { $0.contains("the time is still unknown") })
  }

  @Test("once the time is known in the hold, what waited is sent at once and with its true date")
  func holdEnds() throws {
    let day = try board(isReached: true) { $0.clock.hold_s = 120 }
    day.run(to: 50)
    #expect(day.received.isEmpty)
    day.wallError_s = 0
    day.happen(.clockStepped(isSynchronised: true))
    day.run(to: 55)
    #expect(!day.received.isEmpty && day.received.values.allSatisfy { $0.timeSource.isTrusted })
  }

  @Test("a start that knows the time, and clock_hold_s = 0, wait for nothing", arguments: [true, false])
  func noHold(isSynchronised: Bool) throws {
    let day = try TrackerTimeline(
      .parked, isSynchronised: isSynchronised, wallError_s: isSynchronised ? 0 : Self.behind_s
    ) { if !isSynchronised { $0.clock.hold_s = 0 } }
    day.happen(.intentAsked(.pause(length_ms: nil)))
    day.run(to: 10)
    #expect(day.received.values.contains { $0.content == .status(.intent(.pause)) })
  }

  @Test(
    "SIGTERM while fixes wait for the time keeps them, marked, and the next process gives them their true dates"
  )
  func stopWhileHeld() throws {
    var drive = Drive()
    drive.go(900, speed_mps: 14, turn: 0.01)
    drive.park(600)
    let day = try TrackerTimeline(drive, isSynchronised: false, wallError_s: Self.behind_s) {
      $0.clock.confirm_s = 600
    }
    // From here on it knows which boot it is.
    day.kill()
    day.server = { _, _ in .of(0, failure: .connect) }
    // Another date than the true one, which nothing supports.
    day.dateError_s = { _, _ in 50 * 86_400 }
    day.run(to: 400)
    #expect(day.tracker.receiver.held.reports.count > 100)
    #expect(!day.disk.queue.contains { $0.kind == .position })
    let held = day.tracker.receiver.held.reports.count
    day.happen(.stopping)
    let kept = day.disk.queue.filter { $0.kind == .position || $0.kind == .motionChange }
    #expect(kept.count > 2 && kept.allSatisfy(\.isUndated), "\(held) held, \(kept.count) kept")
    #expect(!day.log.contains { $0.contains("lost") })
    day.wallError_s = 0
    day.kill()
    day.happen(.clockStepped(isSynchronised: true))
    day.run(to: 460)
    for record in kept where record.kind == .position {
      let dated = try #require(day.disk.queue.first { $0.sequence == record.sequence })
      #expect(dated.timeSource == .trustedWallClock && dated.fix?.time_ms == dated.time_ms)
      #expect((0...400).contains(date_s(dated)), "\(date_s(dated))")
    }
  }

  @Test("another process in the same boot gives what was made before it its true date")
  func restart() throws {
    let day = try board()
    day.run(to: 100)
    day.kill()
    day.happen(.intentAsked(.resume))
    day.run(to: 700)
    #expect(try date_s(pause(day)) == Self.pausedAt_s)
    #expect(day.tracker.warnings.entries[.undated] == nil)
  }

  @Test("after a reboot nobody knows when it was: the date stays, and that is reported with the number")
  func reboot() throws {
    let day = try board()
    day.run(to: 100)
    day.reboot(after: 60, isSynchronised: true)
    day.run(to: 700)
    #expect(abs(try date_s(pause(day)) - Self.behind_s) < 2)
    #expect(day.tracker.warnings.entries[.undated]?.count == 1)
    #expect(
      day.log.contains {
        $0.contains("1 record of a boot before this one keeps the date of a clock that was not set")
      })
    // Reported once.
    day.kill()
    #expect(day.tracker.warnings.entries[.undated] == nil)
  }

  @Test("storage that fails when the time becomes known has the true dates once it works again")
  func failingStorage() throws {
    let day = try board()
    day.run(to: 100)
    day.storageFails = true
    day.wallError_s = 0
    day.happen(.clockStepped(isSynchronised: true))
    day.run(to: 150)
    day.storageFails = false
    day.run(to: 300)
    #expect(try date_s(pause(day)) == Self.pausedAt_s)
  }

  @Test("status and warnings have the true time, also for a warning from before it was known")
  func status() throws {
    let day = try board()
    day.run(to: 100)
    day.happen(.intentAsked(.resume))
    day.run(to: 700)
    let status = day.tracker.status(at: day.now)
    #expect(status.time_ms == epoch_ms + 700_000)
    #expect(status.warnings.allSatisfy { (epoch_ms...status.time_ms).contains($0.last_ms) })
  }

  @Test("a trip's start and end that an untrusted clock has dated move with the record; a fix keeps its time")
  func trip() {
    var summary = TripSummary(
      id: 3, start_ms: 1000, end_ms: 5000, idle_s: 0, distance_m: 40, topSpeed_mps: 10, endCause: .ignition)
    summary.isDated = false
    let record = Record(
      sequence: 4, content: .trip(summary), time_ms: 5000, timeSource: .untrustedWallClock, boot_ms: 70_000,
      fix: .at(9),
      isMoving: false, tripID: nil, odometer_m: 0)
    let dated = Redating(from: 4, offset_ms: epoch_ms).applied(to: record)
    #expect(dated?.time_ms == epoch_ms + 70_000 && dated?.fix == .at(9))
    (summary.start_ms, summary.end_ms) = (epoch_ms + 66_000, epoch_ms + 70_000)
    summary.isDated = true
    #expect(dated?.content == .trip(summary))
    #expect(Redating(from: 5, offset_ms: epoch_ms).applied(to: record) == nil)
    var ofAnotherBoot = record
    ofAnotherBoot.timeSource = .untrustedForGood
    #expect(Redating(from: 4, offset_ms: epoch_ms).applied(to: ofAnotherBoot) == nil)
  }
}
