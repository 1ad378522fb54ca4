import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// A server that has another box's records under the identities of ours.
@Suite("Sync: records with the identity of another box's")
struct IdentityConflictTests {
  @Test(
    "beside others that it took they get another queue id and come again at once; nothing goes into quarantine"
  )
  func amongOthers() {
    var timeline = SyncTimeline()
    timeline.isTaken = { $1 == 1 && [2, 3, 7].contains($0) }
    timeline.add(8, at: 0)
    timeline.run(to: 5)
    #expect(timeline.batches == [[1, 2, 3, 4, 5, 6, 7, 8], [2, 3, 7]])
    #expect(timeline.quarantined.isEmpty && timeline.queue.isEmpty && timeline.waits_ms.isEmpty)
    #expect(timeline.delivered == Set(1...8))
    #expect(timeline.deliveredIDs.filter { $0.value == 2 }.keys.sorted() == [2, 3, 7])
    #expect(timeline.idRenewals_s.count == 1)
  }

  @Test("a long backlog of them: one new id, and each record is renumbered once")
  func backlog() {
    var timeline = SyncTimeline()
    timeline.isTaken = { $1 == 1 && $0 <= 950 }
    timeline.add(1000, at: 0)
    timeline.run(to: 600)
    #expect(timeline.queue.isEmpty && timeline.quarantined.isEmpty)
    #expect(timeline.idRenewals_s.count == 1)
    #expect(timeline.renumberings.count == 950 && timeline.renumberings.values.allSatisfy { $0 == 1 })
    #expect(timeline.requests.count <= 21, "\(timeline.sizes)")
  }

  @Test("new records have the new id, and those that the server never refused keep the old one")
  func others() {
    var timeline = SyncTimeline()
    timeline.isTaken = { $1 == 1 && $0 <= 3 }
    timeline.add(6, at: 0)
    timeline.run(to: 5)
    timeline.add(6, at: 10)
    timeline.run(to: 400)
    #expect(
      timeline.deliveredIDs == [1: 2, 2: 2, 3: 2, 4: 1, 5: 1, 6: 1, 7: 2, 8: 2, 9: 2, 10: 2, 11: 2, 12: 2])
  }

  @Test("a server that says so of everything: one new id an hour, eight in all, and no record is lost")
  func everything() {
    var timeline = SyncTimeline()
    timeline.isTaken = { _, _ in true }
    timeline.add(30, at: 0)
    timeline.run(to: 24 * 3600)
    #expect(timeline.idRenewals_s.count == RenewalLimit.most)
    #expect(zip(timeline.idRenewals_s, timeline.idRenewals_s.dropFirst()).allSatisfy { $1 - $0 >= 3600 })
    #expect(timeline.queue.count == 30 && timeline.quarantined.isEmpty)
    // The back-off's mean is 150 s.
    #expect(timeline.requests.count < 700, "\(timeline.requests.count)")
  }

  @Test("one that says so of the same records for ever, and takes others, gets them into quarantine")
  func forEver() {
    var timeline = SyncTimeline()
    timeline.isTaken = { sequence, _ in sequence <= 3 }
    timeline.add(30, at: 0)
    // The proof that it takes others.
    timeline.add(5, at: 60)
    timeline.run(to: 600)
    #expect(timeline.quarantined.sorted() == [1, 2, 3] && timeline.idRenewals_s.count == 1)
    #expect(timeline.delivered == Set(4...35) && timeline.queue.isEmpty)
  }

  @Test("what an ack names is stored, whatever else is said of it")
  func contradiction() {
    var timeline = SyncTimeline(server: { batch, _ in
      var reply = UploadReply.of(200, sent: batch, echoed: batch, refused: [batch[0]: "no"])
      reply.conflicts = [batch[0]]
      return reply
    })
    timeline.add(5, at: 0)
    timeline.run(to: 5)
    #expect(timeline.delivered == [1, 2, 3, 4, 5] && timeline.idRenewals_s.isEmpty)
  }

  @Test("events that come again under another id are still asked for")
  func events() {
    var timeline = SyncTimeline(changing: { $0.maxBatchSize = 4 })
    timeline.isTaken = { $1 == 1 && $0 == 9 }
    timeline.add(9, urgent: true, at: 0)
    timeline.run(to: 60)
    #expect(timeline.delivered == Set(1...9) && timeline.quarantined.isEmpty)
    #expect(timeline.batches.prefix(2) == [[9], [9]])
  }

  @Test("once an hour, and eight times in all")
  func limit() {
    var limit = RenewalLimit()
    var taken: [Int64] = []
    for minute in 0..<Int64(24 * 60) where limit.take(at: minute * 60_000) { taken.append(minute) }
    #expect(taken == (0..<8).map { $0 * 60 })
  }

  @Test("the dispatch warns with their number, and has storage renumber them")
  func dispatch() {
    var dispatch = Dispatch(
      settings: .with(), found: Tracker.Restored().found, lastSequence: 0, isUnread: false,
      idChanges: QueueIDChanges(), at: 0)
    _ = dispatch.queueChanged(to: 9, urgent: true, of: 0, at: 0)
    var reply = UploadReply.of(200, sent: [1, 2, 3], echoed: [1], refused: [2: "x", 3: "x"])
    reply.conflicts = [2, 3]
    let now = Moment(boot_ms: 100, wall_ms: 100)
    let wants = dispatch.handle(.uploadFinished(reply), Facts(), at: now) ?? []
    let words =
      "the server has other records under the identities of 2 of ours, as when two boxes run from one copied card: "
      + "they are sent again under another queue id"
    #expect(wants.contains { if case .warn(.identityConflict, words, 2, _) = $0 { true } else { false } })
    let order = wants.compactMap { if case .perform(let action) = $0 { action } else { nil } }
    #expect(order.first == .renumber([2, 3], renews: true) && order.contains(.remove([1])))
    _ = dispatch.handle(.queueIDChanged(QueueIDChanges(count: 1, last_ms: 5)), Facts(), at: now)
    var status = TrackerStatus()
    dispatch.describe(&status, Facts(), at: now)
    #expect(status.queue.idChanges == 1 && status.queue.idChanged_ms == 5)
  }
}
