import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// One of several backends lacks the route, or cannot read a body: what it answers says nothing of a record.
@Suite("Sync: refusals without a word")
struct BareRefusalTests {
  private static func bare(_ status: Int, _ batch: [Int64]) -> UploadReply {
    var reply = UploadReply.of(status, sent: batch)
    if status != 200 { reply.message = "" }
    return reply
  }

  /// 400 records, of a server that answers so to a share of the requests for half an hour.
  private func flapping(_ status: Int, share: Double, seed: UInt64, format: SyncSettings.Format)
    -> SyncTimeline
  {
    var random = SeededRandom(seed)
    var isBroken = true
    var timeline = SyncTimeline(
      changing: { ($0.format, $0.retryBase_s, $0.retryMax_s) = (format, 1, 3) },
      server: { batch, _ in Self.bare(isBroken && random.unit() < share ? status : 200, batch) })
    timeline.chances = SeededRandom(seed &+ 100)
    for s in stride(from: 0, to: 1800, by: 9) { timeline.add(2, at: Double(s)) }
    isBroken = false
    timeline.run(to: 40_000)
    return timeline
  }

  @Test(
    "a 404 from some of the requests costs no record", arguments: [0.2, 0.5, 0.8],
    [SyncSettings.Format.geomony, .traccar])
  func notFound(share: Double, format: SyncSettings.Format) {
    for seed in 1...10 as ClosedRange<UInt64> {
      let timeline = flapping(404, share: share, seed: seed, format: format)
      #expect(timeline.quarantined.isEmpty && timeline.delivered.count == 400)
    }
  }

  @Test(
    "nor does a bare 400, but for one record in a thousand", arguments: [0.2, 0.5, 0.8],
    [SyncSettings.Format.geomony, .traccar])
  func badRequest(share: Double, format: SyncSettings.Format) {
    var lost = 0
    for seed in 1...10 as ClosedRange<UInt64> {
      let timeline = flapping(400, share: share, seed: seed, format: format)
      lost += timeline.quarantined.count
      #expect(timeline.delivered.count + timeline.quarantined.count == 400)
    }
    #expect(lost <= 4, "\(lost) of 4000")
  }

  @Test("a record that is refused each time without a word is found all the same, and only that one")
  func poison() {
    var timeline = SyncTimeline(server: { batch, _ in Self.bare(batch.contains(37) ? 400 : 200, batch) })
    timeline.add(100, at: 0)
    timeline.run(to: 3600)
    #expect(timeline.quarantined == [37] && timeline.delivered.count == 99)
    #expect(timeline.requests.count < 40, "\(timeline.sizes)")
  }

  @Test("a proxy's page with 400 is no word about a record")
  func page() {
    var reply = UploadReply.of(400, type: "text/html")
    reply.message = "400 Bad Request"
    #expect(reply.isBare)
    reply = .of(400)
    #expect(!reply.isBare, "it has words")
  }
}
