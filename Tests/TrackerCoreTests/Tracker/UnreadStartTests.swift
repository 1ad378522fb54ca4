import Testing

@testable import TrackerCore

@Suite("A start while storage fails")
struct UnreadStartTests {
  /// In mid-trip at 1000 s, killed, and started again with storage that fails until 1600 s.
  private func interrupted(unread: Bool) throws -> TrackerTimeline {
    let day = try TrackerTimeline(WholeDayTests.tunnelDay()) {
      $0.motion.gpsOffWhenParked = false
      $0.sync.url = "https://fleet.example/positions"
    }
    day.run(to: 1000)
    day.storageFails = true
    day.storageIsUnread = unread
    day.kill()
    return day
  }

  @Test("it is reported at once, tracking goes on, and the server hears of it", arguments: [true, false])
  func reported(unread: Bool) throws {
    let day = try interrupted(unread: unread)
    #expect(day.tracker.status(at: day.now).queue.storage == .failed)
    #expect(day.tracker.warnings.entries[.storage]?.count == 1)
    day.run(to: 1600)
    let status = day.tracker.status(at: day.now)
    #expect(status.gps.fixes > 500 && status.queue.storage == .failed)
    #expect(status.queue.inMemory > 0 || !unread)
    #expect(day.requests.contains { $0.s >= 1000 && $0.withStatus })
  }

  @Test(
    "while storage takes nothing the server gets all from memory, under numbers that no process gives again")
  func fromMemory() throws {
    let day = try interrupted(unread: false)
    let (given, before) = (day.disk.lastSequence, day.received.count)
    day.run(to: 1590)
    let unstored = day.received.keys.filter { $0 > given }
    #expect(unstored.count > 5 && day.received.count > before)
    #expect(day.tracker.dispatch.outbox.pending.count < 10, "what the server has leaves memory")
    // Killed: the next process knows nothing of them, and gives other numbers.
    let known = Set(day.received.keys)
    day.kill()
    day.run(to: 2200)
    let later = Set(day.received.keys).subtracting(known)
    #expect(later.count > 5)
    day.storageFails = false
    day.run(to: Double(WholeDayTests.tunnelDay().length_s))
    #expect(day.nothingIsLost())
  }

  @Test("storage that could be read takes everything when it works again, and the trip is one")
  func readable() throws {
    let day = try interrupted(unread: false)
    day.server = { _, _ in .of(503, sent: []) }
    day.run(to: 1600)
    day.storageFails = false
    day.run(to: Double(WholeDayTests.tunnelDay().length_s))
    let sequences = day.disk.committed.map { $0.sequence }
    #expect(sequences == Set(sequences).sorted() && sequences.last == day.disk.lastSequence)
    #expect(day.trips.count == 1 && day.nothingIsLost())
    #expect(day.tracker.status(at: day.now).queue.storage == .ok)
  }

  @Test("what was learned in weeks is not lost where it is read only later", arguments: [false, true])
  func learned(isMoving: Bool) throws {
    var drive = Drive()
    drive.park(isMoving ? 300 : 3000)
    drive.go(1000, speed_mps: 15)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 200)
    day.leave("habits", Habits.daily(days: 50, until_s: epoch_ms / 1000).saved)
    day.leave("cells", "5000 3000")
    day.leave("acceleration", "30 150")
    (day.storageFails, day.storageIsUnread) = (true, true)
    day.kill()
    day.run(to: 600)
    #expect(day.tracker.journey.motion.isMoving == isMoving)
    day.storageFails = false
    day.run(to: 1200)
    let found = day.tracker.journey.motion
    #expect(!found.habits.departures.areFew && found.cells.delay.told == 50)
    #expect(Habits(saved: day.disk.state["habits"] ?? "")?.departures.areFew == false)
    #expect(day.disk.state["cells"]?.hasPrefix("5000 3000") == true)
    #expect(day.disk.state["acceleration"] == "30 150")
  }

  @Test(
    "storage that is read only later: no number, trip or metre twice, and nothing of the time between is lost"
  )
  func unread() throws {
    let day = try interrupted(unread: true)
    let before = day.disk
    let before_m = try #require(SavedState(before.state).metres("odometer_m"))
    #expect(before.lastSequence > 3 && before_m > 500)
    day.run(to: 1600)
    #expect(day.disk.committed == before.committed)
    day.storageFails = false
    day.run(to: 1620)
    #expect(day.disk.committed.map { $0.sequence } == Array(1...day.disk.lastSequence))
    let later = day.disk.committed.dropFirst(before.committed.count)
    // A record has decimetres.
    #expect(later.allSatisfy { $0.odometer_m >= before_m - 0.05 })
    let trips = Set(later.compactMap { $0.tripID })
    #expect(trips == [1, 2])
    day.run(to: Double(WholeDayTests.tunnelDay().length_s))
    #expect(day.nothingIsLost())
    // But for the fix that the kill left open, which is recorded late.
    let odometers = day.disk.committed.map { $0.odometer_m }.filter { abs($0 - before_m) > 0.05 }
    #expect(odometers == odometers.sorted())
    // The trip that the kill cut off has its end, and so has the one that began without knowing of it.
    let ends = day.disk.committed.filter { $0.kind == .trip }
    #expect(ends.map { $0.tripID } == [1, 2])
    #expect(day.summaries.first?.endCause == .processEnded)
    #expect(day.tracker.status(at: day.now).queue.storage == .ok)
  }

  @Test("settings that are read anew before storage could be read: still nothing is sent from memory")
  func unreadAndReloaded() throws {
    let day = try interrupted(unread: true)
    day.run(to: 1300)
    let received = day.received.count
    try day.reload()
    day.run(to: 1600)
    #expect(day.received.count == received && !day.tracker.dispatch.outbox.pending.isEmpty)
    day.storageFails = false
    day.run(to: 1620)
    #expect(day.disk.committed.map { $0.sequence } == Array(1...day.disk.lastSequence))
    day.run(to: Double(WholeDayTests.tunnelDay().length_s))
    #expect(day.nothingIsLost())
  }

  @Test("storage that is read before anything is seen: the trip that was open goes on")
  func unreadAtOnce() throws {
    let day = try TrackerTimeline(WholeDayTests.tunnelDay()) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 1000)
    day.storageIsUnread = true
    day.storageFails = true
    day.kill()
    day.run(to: 1005)
    day.storageFails = false
    day.run(to: Double(WholeDayTests.tunnelDay().length_s))
    #expect(day.trips.count == 1 && day.nothingIsLost())
    #expect(day.disk.committed.map { $0.sequence } == Array(1...day.disk.lastSequence))
  }

  @Test("SIGTERM before storage that works again was read: what memory holds is renumbered and written")
  func unreadAtTheEnd() throws {
    let day = try interrupted(unread: true)
    let before = day.disk.committed.count
    day.run(to: 1600)
    let (held, requests) = (day.tracker.dispatch.outbox.pending.count, day.requests.count)
    day.storageFails = false
    day.happen(.stopping)
    #expect(
      held > 0 && day.disk.committed.count >= before + held && day.tracker.dispatch.outbox.pending.isEmpty)
    #expect(day.disk.committed.map { $0.sequence } == Array(1...day.disk.lastSequence))
    #expect(day.hasExited && day.requests.count == requests, "a request that the end cuts off")
    // What came in the same turn, and later than the signal.
    day.happen(.gpsReport(GPSReport(mode: 1)))
    day.happen(.timer)
    #expect(!day.isPowered)
    day.kill()
    day.run(to: Double(WholeDayTests.tunnelDay().length_s))
    #expect(day.nothingIsLost())
    #expect(day.disk.committed.filter { $0.kind == .trip }.map { $0.tripID } == [1, 2])
  }
}
