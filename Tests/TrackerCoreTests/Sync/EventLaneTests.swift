import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Events do not wait for a backlog.
@Suite("Sync: the events' lane")
struct EventLaneTests {
  /// 5,000 records wait since an outage, or as said, and the server is back.
  private func backlog(
    records: Int = 5000, _ change: @escaping (inout SyncSettings) -> Void = { _ in },
    refusing: @escaping ([Int64]) -> Int = { _ in 200 }
  ) -> SyncTimeline {
    var timeline = SyncTimeline(changing: change, server: { batch, _ in .of(refusing(batch), sent: batch) })
    timeline.latency_ms = 5000
    timeline.add(records, at: 0)
    return timeline
  }

  @Test("with thousands waiting, the next request carries the event", arguments: [1, 20, 100])
  func next(batch: Int) {
    var timeline = backlog { $0.maxBatchSize = batch }
    // In the middle of the second request.
    timeline.add(1, urgent: true, at: 7)
    timeline.run(to: 16)
    #expect(timeline.batches[2] == [5001], "\(timeline.sizes)")
    #expect(timeline.sizes.suffix(1) == [batch], "and then the backlog goes on")
  }

  @Test("at a start events are looked for first, and where there are none the backlog goes at once")
  func start() {
    var timeline = SyncTimeline()
    timeline.latency_ms = 5000
    timeline.add(3000, at: 0)
    // A restart knows how much waits, and not of what kind.
    timeline.add(1, urgent: true, at: 1)
    var restarted = SyncMachine(settings: timeline.machine.settings, at: 86_400_000)
    let actions = restarted.queueChanged(count: 3001, urgent: false, at: 2000)
    guard case .upload(let order) = actions.first else {
      Issue.record("\(actions)")
      return
    }
    #expect(order.pick == .events)
    let none = restarted.uploadFinished(
      UploadReply(status: 0, failure: .nothingToSend, sent: []), at: 2000, chance: 0)
    #expect(none == [.upload(UploadOrder(limit: 100))])
  }

  @Test("what goes behind an event is older than what the server has, and marked so")
  func backfill() {
    var timeline = backlog(records: 300)
    timeline.add(1, urgent: true, at: 1)
    timeline.run(to: 60)
    #expect(timeline.batches[1] == [301] && timeline.delivered.count == 301)
    #expect(timeline.backfills.prefix(3) == [false, false, true])
  }

  @Test(
    "a bad event is found in the lane, and neither lane loses a record by it", arguments: [400, 413, 422])
  func poison(status: Int) {
    var timeline = backlog(records: 2000, refusing: { $0.contains(2003) ? status : 200 })
    timeline.latency_ms = 100
    for second in 0..<6 { timeline.add(1, urgent: true, at: 0.5 + Double(second) / 100) }
    timeline.run(to: 3600)
    #expect(timeline.quarantined == [2003], "\(timeline.sizes)")
    #expect(timeline.delivered.count == 2005)
  }

  @Test("an event a minute does not disturb the search for a bad record in sequence")
  func searchGoesOn() {
    var timeline = backlog(
      records: 4000, { $0.maxBatchSize = 200 }, refusing: { $0.contains(150) ? 422 : 200 })
    timeline.latency_ms = 30_000
    for minute in 1...60 { timeline.add(1, urgent: true, at: Double(minute) * 60) }
    timeline.run(to: 7200)
    #expect(timeline.quarantined == [150] && timeline.delivered.count == 4059)
    #expect(Set(timeline.order).count == timeline.order.count)
  }

  @Test("a server that refuses everything and is put right brings nothing into quarantine")
  func repaired() {
    var isBroken = true
    var timeline = backlog(records: 1000, refusing: { _ in isBroken ? 422 : 200 })
    timeline.add(1, urgent: true, at: 10)
    timeline.run(to: 7200)
    timeline.add(1, urgent: true, at: 7200)
    isBroken = false
    timeline.run(to: 20_000)
    #expect(timeline.quarantined.isEmpty && timeline.delivered.count == 1002)
  }

  @Test("the whole tracker: an event made while thousands wait goes before them, over a kill too")
  func wholeTracker() throws {
    var drive = Drive()
    drive.go(3000, speed_mps: 15)
    drive.park(900)
    let day = try TrackerTimeline(drive) {
      $0.motion.gpsOffWhenParked = false
      $0.track.sampling = .all
      $0.sync.maxBatchSize = 20
    }
    var isUp = false
    day.server = { batch, _ in .of(isUp ? 200 : 503, sent: batch.map(\.sequence)) }
    day.run(to: 2900)
    day.kill(restartAfter: 0)
    day.run(to: 3600)
    let trip = try #require(day.records(.trip).first)
    #expect(day.disk.queue.count > 2000)
    isUp = true
    let before = day.received.count
    #expect(before == 0)
    while day.received.isEmpty { day.run(to: day.now_s + 1) }
    #expect(day.received[trip.sequence] != nil, "the first request has \(day.received.count) records")
    let hasOnlyEvents = day.received.values.allSatisfy(\.kind.isEvent)
    #expect(hasOnlyEvents)
  }
}
