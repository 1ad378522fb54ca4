import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

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
    "while storage takes nothing the server gets all from memory, under an id that no process gives again")
  func fromMemory() throws {
    let day = try interrupted(unread: false)
    let before = Set(day.identities.keys)
    day.run(to: 1590)
    let unstored = Set(day.identities.keys).subtracting(before)
    #expect(unstored.count > 5 && unstored.allSatisfy { $0.queueID != 0 })
    #expect(day.tracker.dispatch.outbox.pending.count < 10, "what the server has leaves memory")
    // Killed: the next process knows nothing of them, and gives the same numbers under another id.
    let known = Set(day.identities.keys)
    day.kill()
    day.run(to: 2200)
    let later = Set(day.identities.keys).subtracting(known)
    #expect(later.count > 5 && Set(later.map(\.queueID)).isDisjoint(with: known.map(\.queueID)))
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

  @Test(
    "storage that opens late gets all that was made meanwhile, and the agent starts anew from what it holds")
  func unread() throws {
    let day = try interrupted(unread: true)
    day.server = { _, _ in .of(503, sent: []) }
    let before = day.disk
    let before_m = try #require(before.state["odometer_m"]?.number)
    day.run(to: 1600)
    let held = day.tracker.dispatch.outbox.pending
    #expect(day.disk.committed == before.committed && held.count > 5)
    #expect(Set(held.map(\.queueID)).count == 1 && held[0].queueID != 0)
    day.storageFails = false
    day.run(to: 1650)
    #expect(day.hasExited && day.disk.committed.count >= before.committed.count + held.count)
    #expect(day.disk.state["odometer_m"] == before.state["odometer_m"], "the state was not known, and stays")
    day.kill()
    day.server = { batch, _ in .of(200, sent: batch.map { $0.sequence }) }
    day.run(to: Double(WholeDayTests.tunnelDay().length_s))
    #expect(day.nothingIsLost())
    // But for the fix that the kill left open, which is recorded late.
    let own = day.disk.committed.filter { $0.queueID == 0 }.map(\.odometer_m).filter {
      abs($0 - before_m) > 0.05
    }
    #expect(own == own.sorted() && own.last ?? 0 > before_m)
    #expect(Set(day.disk.committed.map(\.sequence)).count == day.disk.committed.count)
    #expect(day.tracker.status(at: day.now).queue.storage == .ok)
  }

  @Test("SIGTERM before storage that opens late was tried again: what memory holds is written")
  func unreadAtTheEnd() throws {
    let day = try interrupted(unread: true)
    day.server = { _, _ in .of(503, sent: []) }
    let before = day.disk
    day.run(to: 1600)
    let held = day.tracker.dispatch.outbox.pending.count
    day.storageFails = false
    day.happen(.stopping)
    #expect(day.hasExited && held > 0 && day.disk.committed.count >= before.committed.count + held)
    #expect(day.disk.state == before.state && day.tracker.dispatch.outbox.pending.isEmpty)
  }
}
