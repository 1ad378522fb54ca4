import Testing

@testable import TrackerCore

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

  @Test("what a server may have keeps its date, acknowledged or not", arguments: [true, false])
  func sent(isAcknowledged: Bool) throws {
    let day = try board(isReached: true)
    if !isAcknowledged { day.server = { _, _ in .of(0, failure: .timeout, bytesUp: 900) } }
    day.run(to: 100)
    day.wallError_s = 0
    day.happen(.clockStepped(isSynchronised: true))
    day.server = { batch, _ in .of(200, sent: batch.map { $0.sequence }) }
    // The timeline itself expects that a record which is sent again is the same.
    day.run(to: 2000)
    let pause = try #require(day.received.values.first { $0.content == .status(.intent(.pause)) })
    #expect(abs(date_s(pause) - Self.behind_s) < 2)
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
    #expect(Redating(from: 4, offset_ms: epoch_ms).applied(to: record.asSent) == nil)
  }
}
