import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// A server whose `ack` names positions alone.
@Suite("Sync: events that are never named")
struct EventNamingTests {
  /// - Parameter namesEvents: from that second on.
  private func timeline(namesEvents from_s: Double, batch size: Int) -> SyncTimeline {
    let isEvent: @Sendable (Int64) -> Bool = { $0 % 5 == 0 }
    var now_s = 0.0
    var timeline = SyncTimeline(
      changing: { $0.maxBatchSize = size },
      server: { batch, _ in
        let named = batch.filter { !isEvent($0) || now_s >= from_s }
        var reply = UploadReply.of(200, sent: batch, echoed: named)
        let events = batch.filter(isEvent)
        reply.namesEvents =
          events.isEmpty || named.isEmpty && events.count < batch.count
          ? nil : events.contains(where: named.contains)
        return reply
      })
    for s in stride(from: 0, to: 6000, by: 20) {
      now_s = Double(s)
      timeline.add(4, at: now_s)
      timeline.add(1, urgent: true, at: now_s)
    }
    timeline.run(to: 8000)
    return timeline
  }

  @Test(
    "positions are delivered all the same, and events are tried alone, ever more rarely", arguments: [5, 100])
  func never(batch: Int) {
    let timeline = timeline(namesEvents: .infinity, batch: batch)
    #expect(timeline.delivered.count == 1200 && timeline.quarantined.isEmpty)
    #expect(timeline.queue.count == 300)
    #expect(timeline.machine.naming.areApart)
    let alone = timeline.requests.filter { $0.pick == .events }
    #expect((10...120).contains(alone.count), "\(alone.count)")
    #expect(timeline.requests.count < 1000, "\(timeline.requests.count)")
  }

  @Test("once it names them they are delivered, and go with the others again", arguments: [5, 100])
  func later(batch: Int) {
    let timeline = timeline(namesEvents: 3000, batch: batch)
    #expect(timeline.delivered.count == 1500 && timeline.queue.isEmpty)
    #expect(!timeline.machine.naming.areApart)
  }
}
