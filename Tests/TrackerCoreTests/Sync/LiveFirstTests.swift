import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Sync: the newest first")
struct LiveFirstTests {
  /// An outage of an hour with a record a minute, or as said.
  private func afterOutage(
    records: Int, _ change: (inout SyncSettings) -> Void = { _ in }
  ) -> SyncTimeline {
    var isUp = false
    var timeline = SyncTimeline(
      changing: {
        $0.order = .liveFirst
        $0.maxBatchSize = 20
        change(&$0)
      }, server: { batch, _ in isUp ? .of(200, sent: batch) : .of(503, sent: batch) })
    timeline.chance = 0
    timeline.run(to: 1)
    for minute in 1...60 { timeline.add(records / 60, at: Double(minute) * 60) }
    isUp = true
    timeline.run(to: 3900)
    return timeline
  }

  @Test("of an old backlog the newest go first, the rest follows in sequence and is marked as backfill")
  func liveFirst() {
    var timeline = SyncTimeline(changing: {
      $0.order = .liveFirst
      $0.maxBatchSize = 20
    })
    // As found at the start: nobody knows for how long.
    timeline.add(63, at: 0)
    timeline.run(to: 60)
    #expect(timeline.order == Array(59...63) + Array(1...58))
    #expect(timeline.backfills == [false, true, true, true])
    timeline.add(5, at: 100)
    #expect(timeline.backfills.last == false && timeline.requests.last?.pick == .oldest)
  }

  @Test("after an hour without network too, and each record once")
  func outage() {
    let timeline = afterOutage(records: 120)
    #expect(timeline.order.prefix(5) == [116, 117, 118, 119, 120])
    #expect(Array(timeline.order.dropFirst(5)) == Array(1...115))
  }

  @Test("in sequence by default, and where the backlog fits into one request or is young")
  func inSequence() {
    #expect(afterOutage(records: 120) { $0.order = .sequence }.order == Array(1...120))
    #expect(afterOutage(records: 120) { $0.maxBatchSize = 200 }.order == Array(1...120))
    var young = SyncTimeline(changing: {
      $0.order = .liveFirst
      $0.maxBatchSize = 20
    })
    young.add(1, urgent: true, at: 0)
    young.run(to: 10)
    young.add(100, at: 10)
    #expect(young.requests.allSatisfy { $0.pick == .oldest })
  }

  @Test("while a long backlog drains, new positions go ahead again, no more often than the sync interval")
  func again() {
    var timeline = SyncTimeline(changing: {
      $0.order = .liveFirst
      $0.maxBatchSize = 10
    })
    timeline.latency_ms = 20_000
    timeline.add(1000, at: 0)
    for s in stride(from: 10.0, to: 1500, by: 10) { timeline.add(1, at: s) }
    let live = timeline.requests.filter { $0.pick == .newest }
    #expect(live.map(\.records) == [5, 5, 5, 5, 5])
    let times = live.map(\.at_s)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 300 })
    #expect(Set(timeline.order).count == timeline.order.count)
  }

  @Test("a refused newest record is searched for in sequence")
  func refused() {
    var timeline = SyncTimeline(
      changing: {
        $0.order = .liveFirst
        $0.maxBatchSize = 20
      }, server: { batch, _ in .of(batch.contains(62) ? 422 : 200, sent: batch) })
    timeline.add(63, at: 0)
    timeline.run(to: 300)
    #expect(timeline.quarantined == [62] && timeline.delivered.count == 62)
    #expect(timeline.requests.prefix(2).map(\.pick) == [.newest, .oldest])
  }

  @Test("a format with one record a request has an old backlog from two records on")
  func oneARequest() {
    var timeline = SyncTimeline(changing: {
      $0.order = .liveFirst
      $0.format = .traccar
    })
    timeline.add(5, at: 0)
    timeline.run(to: 60)
    #expect(timeline.order == [5, 1, 2, 3, 4])
  }
}
