import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Records that the server cannot take, and servers and networks that take none.
@Suite("Sync: poison")
struct PoisonTests {
  /// ⌊2·log₂ n + 1⌋, in whole numbers: the greatest k with 2ᵏ⁻¹ ≤ n².
  private func mostRequests(_ n: Int) -> Int {
    var most = 1
    while 1 << most <= n * n { most += 1 }
    return most
  }

  @Test(
    "the bound, where it can be looked up", arguments: [(1, 1), (2, 3), (3, 4), (4, 5), (100, 14), (200, 16)])
  func bound(n: Int, requests: Int) {
    #expect(mostRequests(n) == requests)
  }

  @Test(
    "one refused record among n, at every place: all others delivered within 2·log₂ n + 1 requests",
    arguments: 2...200)
  func everyPlace(n: Int) {
    for bad in 1...Int64(n) {
      var timeline = SyncTimeline(
        changing: { $0.maxBatchSize = 200 },
        server: { batch, _ in .of(batch.contains(bad) ? 422 : 200, sent: batch) })
      timeline.add(n, at: 0)
      timeline.event(at: 0) { $0.flush(at: $1) }
      timeline.run(to: 250)
      guard timeline.quarantined == [bad], timeline.delivered.count == n - 1 else {
        Issue.record(
          "\(bad) of \(n): \(timeline.quarantined) in quarantine, \(timeline.delivered.count) delivered")
        return
      }
      // Of two, the bad one is first asked about once more after the other was taken.
      if timeline.requests.count > max(4, mostRequests(n)) {
        Issue.record("\(bad) of \(n): \(timeline.requests.count) requests, \(timeline.sizes)")
      }
    }
  }

  @Test("the server's words stand beside the record", arguments: [400, 409, 422])
  func words(status: Int) {
    var timeline = SyncTimeline(server: { batch, _ in .of(batch.contains(37) ? status : 200, sent: batch) })
    timeline.add(100, at: 0)
    timeline.run(to: 120)
    #expect(timeline.quarantined == [37] && timeline.reasons == ["\(status) words"])
  }

  @Test("several refused records are found, one after the other")
  func several() {
    let bad: Set<Int64> = [3, 4, 60, 150]
    var timeline = SyncTimeline(server: { batch, _ in
      .of(bad.isDisjoint(with: batch) ? 200 : 422, sent: batch)
    })
    timeline.add(200, at: 0)
    timeline.run(to: 900)
    #expect(timeline.quarantined == [3, 4, 60, 150] && timeline.delivered.count == 196)
    #expect(timeline.requests.count < 60)
  }

  @Test(
    "a server that refuses everything for a day gets nothing into quarantine, and then has everything",
    arguments: [400, 404, 413, 422])
  func everythingRefused(status: Int) {
    var isBroken = true
    var timeline = SyncTimeline(server: { batch, _ in .of(isBroken ? status : 200, sent: batch) })
    timeline.add(1000, at: 0)
    timeline.run(to: 86_400)
    #expect(timeline.quarantined.isEmpty)
    #expect(timeline.requests.count < 700, "\(timeline.requests.count) requests")
    isBroken = false
    timeline.run(to: 100_000)
    #expect(timeline.delivered.count == 1000 && timeline.quarantined.isEmpty)
    #expect(timeline.sizes.suffix(5).contains(100), "a batch has its size again")
  }

  @Test(
    "whenever a server that refused everything is repaired, no good record goes into quarantine, and a bad one does"
  )
  func repaired() {
    for repaired_s in stride(from: 3600, to: 5400, by: 20) {
      var isBroken = true
      var timeline = SyncTimeline(server: { batch, _ in
        .of(isBroken ? 400 : batch.contains(700) ? 422 : 200, sent: batch)
      })
      timeline.add(1000, at: 0)
      timeline.run(to: Double(repaired_s))
      isBroken = false
      timeline.run(to: 20_000)
      #expect(
        timeline.quarantined == [700] && timeline.delivered.count == 999, "repaired after \(repaired_s) s")
    }
  }

  @Test(
    "a server that refuses everything just until a record is alone convicts none", arguments: 1...12)
  func repairedSoon(refusals: Int) {
    var replies = 0
    var timeline = SyncTimeline(server: { batch, _ in
      replies += 1
      return .of(replies <= refusals ? 400 : 200, sent: batch)
    })
    timeline.add(100, at: 0)
    timeline.run(to: 7200)
    #expect(timeline.quarantined == [] && timeline.delivered.count == 100)
  }

  @Test("what was taken while connections broke is no proof against a record that is refused later")
  func otherTrouble() {
    var replies = 0
    var timeline = SyncTimeline(server: { batch, _ in
      replies += 1
      // A search for what breaks connections, in which half is taken; then nothing is taken any more.
      if replies <= 5 { return .of(0, failure: .dropped, sent: batch, bytesUp: 400) }
      return .of(replies == 6 ? 200 : 422, sent: batch)
    })
    timeline.add(100, at: 0)
    timeline.run(to: 3600)
    #expect(timeline.delivered.count == 50 && timeline.quarantined.isEmpty)
  }

  @Test("a refused record that waits alone stays until the server takes another, or a status")
  func alone() {
    var timeline = SyncTimeline(
      changing: { $0.format = .traccar },
      server: { batch, _ in .of(batch.contains(1) ? 409 : 200, sent: batch) })
    timeline.add(1, urgent: true, at: 0)
    timeline.run(to: 3600)
    #expect(timeline.quarantined.isEmpty && timeline.queue == [1])
    timeline.add(1, urgent: true, at: 3600)
    timeline.run(to: 4200)
    #expect(timeline.quarantined == [1] && timeline.delivered == [2])

    var withStatus = SyncTimeline(server: { batch, _ in .of(batch.isEmpty ? 200 : 422, sent: batch) })
    withStatus.machine = SyncMachine(settings: Settings.with().sync, at: 0)
    withStatus.add(1, urgent: true, at: 0)
    withStatus.run(to: 7200)
    #expect(withStatus.quarantined == [1])
  }

  @Test(
    "bad records at both ends, and several side by side, of a queue to which nothing comes",
    arguments: [[1, 100], [1, 2, 3, 98, 99, 100], [1, 2, 3, 4, 5, 6, 7, 8, 100]] as [[Int64]])
  func bothEnds(bad: [Int64]) {
    for isSilent in [false, true] {
      var timeline = SyncTimeline(server: { batch, _ in
        if Set(bad).isDisjoint(with: batch) { return .of(200, sent: batch) }
        return isSilent ? .of(0, failure: .dropped, sent: batch, bytesUp: 400) : .of(422, sent: batch)
      })
      timeline.add(100, at: 0)
      timeline.run(to: 12 * 3600)
      // At the very end nothing is left that could be taken: it waits for what comes.
      let waiting = Set(timeline.queue)
      #expect(timeline.delivered.count == 100 - bad.count)
      #expect(waiting.isSubset(of: bad) && waiting.count <= 3, "\(waiting)")
      for _ in 1...10 { timeline.add(20, at: Double(timeline.now_ms) / 1000 + 1800) }
      timeline.run(to: 24 * 3600)
      #expect(timeline.quarantined.sorted() == bad && timeline.delivered.count == 300 - bad.count)
    }
  }

  /// As after `quarantine retry`, before the server has been repaired.
  @Test("where every record that waits is bad, a status alone is the proof", arguments: [false, true])
  func noneIsGood(isSilent: Bool) {
    var timeline = SyncTimeline(server: { batch, _ in
      if batch.isEmpty { return .of(200, sent: batch) }
      return isSilent ? .of(0, failure: .dropped, sent: batch, bytesUp: 400) : .of(422, sent: batch)
    })
    timeline.machine = SyncMachine(settings: Settings.with().sync, at: 0)
    timeline.add(5, urgent: true, at: 0)
    timeline.run(to: 24 * 3600)
    #expect(timeline.quarantined.sorted() == [1, 2, 3, 4, 5] && timeline.delivered.isEmpty)
  }

  @Test("a status that breaks connections like all else proves nothing, and is not asked for each time")
  func statusBreaks() {
    var timeline = SyncTimeline(server: { batch, _ in .of(0, failure: .dropped, sent: batch, bytesUp: 400) })
    timeline.machine = SyncMachine(settings: Settings.with().sync, at: 0)
    timeline.add(5, urgent: true, at: 0)
    timeline.run(to: 24 * 3600)
    let alone = timeline.sizes.count { $0 == 0 }
    #expect(timeline.quarantined.isEmpty && timeline.queue.count == 5)
    #expect(alone > 0 && alone * 4 < timeline.sizes.count, "\(alone) of \(timeline.sizes.count)")
  }

  // MARK: connections that break

  @Test("a record that breaks each connection is found after five times, and its neighbours are delivered")
  func dropping() {
    for bad in [1, 2, 50, 99, 100] as [Int64] {
      var timeline = SyncTimeline(server: { batch, _ in
        batch.contains(bad) ? .of(0, failure: .dropped, sent: batch, bytesUp: 400) : .of(200, sent: batch)
      })
      timeline.add(100, at: 0)
      // The vehicle goes on: without others nothing could be proved.
      for s in 1...10 { timeline.add(5, at: 600 * Double(s)) }
      timeline.run(to: 4 * 3600)
      #expect(timeline.sizes.prefix(6) == [100, 100, 100, 100, 100, 50])
      #expect(timeline.quarantined == [bad] && timeline.delivered.count == 149)
      #expect(timeline.requests.count < 60, "\(timeline.sizes)")
      #expect(timeline.reasons == ["the connection breaks with this record alone, and not with others"])
    }
  }

  @Test("four broken connections suspect nobody")
  func fourDrops() {
    var drops = 4
    var timeline = SyncTimeline(server: { batch, _ in
      drops -= 1
      return drops >= 0 ? .of(0, failure: .dropped, sent: batch, bytesUp: 400) : .of(200, sent: batch)
    })
    timeline.add(100, at: 0)
    timeline.run(to: 600)
    #expect(timeline.sizes == [100, 100, 100, 100, 100])
  }

  @Test(
    "a network that is dead for a day, or never gets far enough to send, convicts no record",
    arguments: [(.dropped, 400), (.timeout, 400), (.dropped, 0), (.connect, 0), (.resolve, 0)]
      as [(UploadReply.NoReply, Int64)])
  func deadNetwork(failure: UploadReply.NoReply, bytesUp: Int64) {
    var isDead = true
    var timeline = SyncTimeline(server: { batch, _ in
      isDead ? .of(0, failure: failure, sent: batch, bytesUp: bytesUp) : .of(200, sent: batch)
    })
    timeline.add(500, at: 0)
    timeline.run(to: 86_400)
    isDead = false
    timeline.run(to: 100_000)
    #expect(timeline.quarantined.isEmpty && timeline.delivered.count == 500)
  }

  @Test(
    "a network that breaks every second or third connection convicts no record",
    arguments: 1...30 as ClosedRange<UInt64>)
  func lossyNetwork(seed: UInt64) {
    var random = SeededRandom(seed)
    var timeline = SyncTimeline(server: { batch, _ in
      random.unit() < 0.4 ? .of(0, failure: .dropped, sent: batch, bytesUp: 400) : .of(200, sent: batch)
    })
    timeline.add(1000, at: 0)
    timeline.run(to: 86_400)
    #expect(timeline.quarantined.isEmpty && timeline.delivered.count == 1000)
  }

  @Test("a link that breaks with large requests alone carries everything in smaller ones")
  func largeRequestsBreak() {
    var timeline = SyncTimeline(server: { batch, _ in
      batch.count > 20 ? .of(0, failure: .timeout, sent: batch, bytesUp: 9000) : .of(200, sent: batch)
    })
    timeline.add(300, at: 0)
    timeline.run(to: 7200)
    #expect(timeline.quarantined.isEmpty && timeline.delivered.count == 300)
  }
}
