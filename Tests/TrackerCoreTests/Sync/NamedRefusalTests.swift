import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// A server that names what it will never store: no search, and the neighbours are delivered meanwhile.
@Suite("Sync: records that the server refuses by name")
struct NamedRefusalTests {
  private func reply(_ batch: [Int64], bad: Set<Int64>, status: Int = 409) -> UploadReply {
    let taken = batch.filter { !bad.contains($0) }
    let refused = Dictionary(
      uniqueKeysWithValues: batch.filter(bad.contains).map { ($0, "another one is there") })
    return .of(taken.isEmpty && !batch.isEmpty ? status : 200, sent: batch, echoed: taken, refused: refused)
  }

  @Test("beside others that it took they go into quarantine at once, with its words")
  func amongOthers() {
    var timeline = SyncTimeline(server: { batch, _ in reply(batch, bad: [2, 3, 7]) })
    timeline.add(8, at: 0)
    timeline.run(to: 5)
    #expect(timeline.requests.count == 1)
    #expect(timeline.delivered == [1, 4, 5, 6, 8] && timeline.queue.isEmpty)
    #expect(timeline.quarantined == [2, 3, 7])
    #expect(timeline.reasons.allSatisfy { $0 == "200 another one is there" })
    #expect(timeline.waits_ms.isEmpty)
  }

  @Test("a whole batch of them waits until the server has taken something else, and then goes at once")
  func alone() {
    let bad = Set<Int64>(1...150)
    var timeline = SyncTimeline(server: { batch, _ in reply(batch, bad: bad) })
    timeline.add(160, at: 0)
    timeline.run(to: 60)
    #expect(Set(timeline.quarantined) == bad && timeline.queue.isEmpty)
    #expect(timeline.delivered == Set(151...160))
    #expect(timeline.requests.count <= 6, "\(timeline.sizes)")
  }

  @Test(
    "when it refuses everything nothing goes into quarantine, however often it is asked",
    arguments: [200, 409])
  func everything(status: Int) {
    var timeline = SyncTimeline(server: { batch, _ in
      var answer = reply(batch, bad: Set(batch), status: status)
      answer.status = status
      return answer
    })
    timeline.add(30, at: 0)
    timeline.run(to: 3600)
    #expect(timeline.quarantined.isEmpty && timeline.queue.count == 30)
    #expect(timeline.requests.count < 60)
  }

  @Test("a refusal that names others alone is a failure of the reply: the batch stays whole")
  func strangers() {
    var isBroken = true
    var timeline = SyncTimeline(server: { batch, _ in
      var answer = UploadReply.of(isBroken ? 409 : 200, sent: batch)
      answer.refusesOthers = isBroken
      return answer
    })
    timeline.add(30, at: 0)
    timeline.run(to: 3600)
    #expect(timeline.quarantined.isEmpty && !timeline.sizes.contains(15), "\(timeline.sizes)")
    isBroken = false
    timeline.run(to: 7200)
    #expect(timeline.delivered.count == 30 && timeline.queue.isEmpty)
  }

  @Test("what an ack names is stored, whatever else is said of it")
  func contradiction() {
    var timeline = SyncTimeline(server: { batch, _ in
      .of(200, sent: batch, echoed: batch, refused: [batch[0]: "no"])
    })
    timeline.add(5, at: 0)
    timeline.run(to: 5)
    #expect(timeline.delivered == [1, 2, 3, 4, 5] && timeline.quarantined.isEmpty)
  }
}
