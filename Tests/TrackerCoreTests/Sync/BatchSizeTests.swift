import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// What is learnt from 413, and forgotten again.
@Suite("Sync: the batch's size")
struct BatchSizeTests {
  private func timeline(
    most: Int, of setting: Int = 100, refusal: Int = 413
  ) -> (timeline: SyncTimeline, set: (Int) -> Void) {
    final class Limit { var most = 0 }
    let limit = Limit()
    limit.most = most
    let timeline = SyncTimeline(
      changing: { $0.maxBatchSize = setting },
      server: { batch, _ in .of(batch.count > limit.most ? refusal : 200, sent: batch) })
    return (timeline, { limit.most = $0 })
  }

  @Test("where two of three fit, two go", arguments: [(3, 2), (3, 1), (2, 1), (100, 99), (7, 4)])
  func fits(setting: Int, most: Int) {
    var (timeline, _) = timeline(most: most, of: setting)
    timeline.add(1000, at: 0)
    timeline.run(to: 3600)
    #expect(timeline.delivered.count == 1000)
    #expect(timeline.sizes.suffix(200).contains(most))
    let refused = timeline.sizes.count { $0 > most }
    #expect(refused <= timeline.sizes.count / 20 + 8, "\(refused) of \(timeline.sizes.count)")
  }

  @Test("once the server has been put right, batches are whole again within a few requests")
  func grows() {
    var (timeline, set) = timeline(most: 1)
    timeline.add(100, at: 0)
    timeline.run(to: 60)
    #expect(timeline.sizes.suffix(20).allSatisfy { $0 <= 2 })
    set(.max)
    let before = timeline.sizes.count
    timeline.add(5000, at: 3600)
    timeline.run(to: 7200)
    let after = timeline.sizes[before...]
    #expect(timeline.delivered.count == 5100)
    #expect((after.firstIndex(of: 100) ?? .max) - before < 40, "\(after)")
  }

  @Test("nothing is remembered for longer than a day")
  func day() {
    var (timeline, set) = timeline(most: 10)
    timeline.add(100, at: 0)
    timeline.run(to: 60)
    set(.max)
    timeline.add(100, at: 86_500)
    timeline.run(to: 86_510)
    #expect(timeline.sizes.last == 100)
  }

  @Test("a proxy that answers 502 to what is too large gets less, and all is delivered")
  func badGateway() {
    var (timeline, _) = timeline(most: 30, refusal: 502)
    timeline.add(500, at: 0)
    timeline.run(to: 3 * 3600)
    #expect(timeline.delivered.count == 500 && timeline.quarantined.isEmpty)
    #expect(timeline.sizes.suffix(5).contains { $0 > 20 }, "\(timeline.sizes)")
  }

  @Test("a server that is down behind a proxy for a day convicts no record")
  func gatewayDown() {
    var isDown = true
    var timeline = SyncTimeline(server: { batch, _ in .of(isDown ? 502 : 200, sent: batch) })
    timeline.add(2000, at: 0)
    timeline.run(to: 86_400)
    isDown = false
    timeline.run(to: 100_000)
    #expect(timeline.delivered.count == 2000 && timeline.quarantined.isEmpty)
  }
}
