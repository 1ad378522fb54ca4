import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Sync: replies")
struct SyncReplyTests {
  @Test(
    "what a reply means",
    arguments: [
      (200, .acknowledged), (201, .acknowledged), (204, .acknowledged), (299, .acknowledged),
      (301, .transient),
      (302, .transient), (304, .transient), (400, .refused), (401, .unauthorised), (403, .unauthorised),
      (404, .transient), (405, .transient), (408, .transient), (409, .refused), (413, .tooLarge),
      (422, .refused),
      (425, .transient), (429, .transient), (500, .transient), (503, .transient), (0, .transient),
      (100, .transient),
    ] as [(Int, UploadReply.Verdict)])
  func verdict(status: Int, verdict: UploadReply.Verdict) {
    #expect(UploadReply.of(status).verdict == verdict)
  }

  @Test(
    "a web page acknowledges nothing: a captive portal answers 200 too",
    arguments: ["text/html", "TEXT/HTML; charset=utf-8", "application/xhtml+xml"])
  func captivePortal(type: String) {
    var timeline = SyncTimeline(server: { batch, _ in .of(200, type: type, sent: batch) })
    timeline.add(5, at: 0)
    timeline.run(to: 1)
    #expect(timeline.delivered.isEmpty && timeline.waits_ms == [5000])
  }

  @Test(
    "a reply that names ids acknowledges those alone, and none of ours nothing",
    arguments: [
      (nil, [.remove([1, 2, 3]), .delivered(records: 3)]),
      ([2, 3], [.remove([2, 3]), .delivered(records: 2)]),
      ([], [.failed(.transient, wait_ms: 5000)]),
    ] as [([Int64]?, [SyncMachine.Action])])
  func echoed(ids: [Int64]?, expected: [SyncMachine.Action]) {
    var machine = SyncMachine(settings: Settings.with().sync, at: 0)
    _ = machine.queueChanged(count: 3, urgent: true, at: 0)
    let reply = UploadReply.of(200, sent: [1, 2, 3], echoed: ids)
    #expect(machine.uploadFinished(reply, at: 100, chance: 0.5) == expected)
  }

  @Test("a reply that broke off is no acknowledgement, whatever its status")
  func brokenOff() {
    #expect(UploadReply.of(200, failure: .dropped).verdict == .transient)
    #expect(UploadReply.of(401, failure: .timeout).verdict == .transient)
  }

  @Test("waits are full jitter of 10 s doubled, capped at 300 s")
  func fullJitter() {
    let backoff = Backoff(base_s: 10, max_s: 300)
    #expect(
      (1...7).map { backoff.wait_ms(failures: $0, chance: 0.5) }
        == [5000, 10_000, 20_000, 40_000, 80_000, 150_000, 150_000])
    #expect(backoff.wait_ms(failures: 3, chance: 0) == 0)
    #expect(backoff.wait_ms(failures: 1_000_000, chance: 0.999) == 299_700)
    #expect(backoff.wait_ms(failures: 0, chance: 0.5) == 5000)
  }

  @Test(
    "in the machine too, with a second at least",
    arguments: [
      (0.5, [5000, 10_000, 20_000, 40_000, 80_000, 150_000, 150_000]),
      (0.0, [1000, 1000, 1000, 1000, 1000, 1000, 1000]),
    ])
  func waits(chance: Double, expected: [Int64]) {
    var timeline = SyncTimeline(server: { batch, _ in .of(503, sent: batch) })
    timeline.chance = chance
    timeline.add(5, at: 0)
    timeline.run(to: 500)
    #expect(Array(timeline.waits_ms.prefix(7)) == expected)
  }

  @Test("a success forgets the failures")
  func forgets() {
    var replies = [503, 503, 200, 503]
    var timeline = SyncTimeline(server: { batch, _ in
      .of(replies.isEmpty ? 200 : replies.removeFirst(), sent: batch)
    })
    timeline.add(5, at: 0)
    timeline.add(5, at: 100)
    timeline.run(to: 200)
    #expect(timeline.waits_ms == [5000, 10_000, 5000])
  }

  @Test(
    "Retry-After, up to a day, comes before the jitter",
    arguments: [
      (3, 8000), (60, 65_000), (86_400, 86_405_000), (9_999_999, 86_405_000), (0, 5000), (-7, 5000),
    ])
  func retryAfter(asked_s: Int, wait_ms: Int64) {
    var timeline = SyncTimeline(server: { batch, _ in .of(429, retryAfter_s: asked_s, sent: batch) })
    timeline.add(5, at: 0)
    timeline.run(to: 1)
    #expect(timeline.waits_ms == [wait_ms])
  }

  @Test(
    "when the network is back a wait for it is cut short, a wait that the server asked for is not",
    arguments: [nil, 120])
  func linkRestored(asked_s: Int?) {
    var timeline = SyncTimeline(server: { batch, _ in .of(503, retryAfter_s: asked_s, sent: batch) })
    timeline.chance = 0.99
    timeline.add(5, at: 0)
    timeline.event(at: 4) { $0.linkRestored(at: $1, chance: 0) }
    timeline.run(to: 6)
    #expect(timeline.times_s == (asked_s == nil ? [0, 5] : [0]))
  }

  @Test("a restored link makes a wait for the network a short one, within the splay, never a longer one")
  func linkRestoredWithinSplay() {
    var machine = SyncMachine(settings: Settings.with { $0.sync.splay_s = 60 }.sync, at: 0)
    _ = machine.queueChanged(count: 5, urgent: true, at: 0)
    for _ in 1...9 {
      _ = machine.uploadFinished(.of(0, failure: .connect), at: 0, chance: 0.9)
      _ = machine.tick(at: 300_000)
    }
    _ = machine.uploadFinished(.of(0, failure: .connect), at: 0, chance: 0.9)
    #expect(machine.deadline_ms == 270_000)
    #expect(machine.linkRestored(at: 500, chance: 0.5) == [])
    #expect(machine.deadline_ms == 31_500)
    #expect(machine.linkRestored(at: 1000, chance: 0.99) == [])
    #expect(machine.deadline_ms == 31_500)
    #expect(machine.linkRestored(at: 2000, chance: 0) == [])
    #expect(machine.deadline_ms == 3000)
  }

  @Test(
    "401 and 403 have a slow lane of their own, which the network does not shorten", arguments: [401, 403])
  func unauthorised(status: Int) {
    var accepted = false
    var timeline = SyncTimeline(server: { batch, _ in .of(accepted ? 200 : status, sent: batch) })
    timeline.add(300, at: 0)
    timeline.event(at: 100) { $0.linkRestored(at: $1, chance: 0) }
    timeline.run(to: 3600)
    #expect(timeline.waits_ms == [900_000, 900_000, 900_000, 900_000])
    #expect(timeline.queue.count == 300)
    accepted = true
    timeline.run(to: 3620)
    #expect(timeline.delivered.count == 300, "all at once: it was no outage")
  }

  @Test("413: half as many, and the largest size that goes is found and remembered")
  func tooLarge() {
    var timeline = SyncTimeline(server: { batch, _ in .of(batch.count > 30 ? 413 : 200, sent: batch) })
    timeline.add(300, at: 0)
    timeline.run(to: 60)
    #expect(timeline.delivered.count == 300)
    #expect(Array(timeline.sizes.prefix(4)) == [100, 50, 25, 37])
    #expect(timeline.sizes.suffix(6).allSatisfy { (26...31).contains($0) || $0 < 26 }, "\(timeline.sizes)")
    #expect(timeline.sizes.filter { $0 > 30 }.count <= 5, "\(timeline.sizes)")
  }

  @Test(
    "a reply that is too long, since it names each record: fewer records, until it is short enough"
  )
  func replyTooLarge() {
    var timeline = SyncTimeline(server: { batch, _ in
      .of(200, failure: batch.count > 60 ? .replyTooLarge : .none, sent: batch)
    })
    timeline.add(300, at: 0)
    timeline.run(to: 3600)
    #expect(timeline.delivered.count == 300 && timeline.quarantined == [])
    #expect(timeline.sizes.filter { $0 > 60 }.count <= 5, "\(timeline.sizes)")
  }

  @Test("a single record that is too large goes to quarantine, and its size is forgotten")
  func tooLargeAlone() {
    var timeline = SyncTimeline(server: { batch, _ in .of(batch.contains(1) ? 413 : 200, sent: batch) })
    timeline.add(200, at: 0)
    timeline.run(to: 60)
    #expect(timeline.quarantined == [1] && timeline.delivered.count == 199)
    // What was sent beside it proved that the server takes others.
    #expect(timeline.sizes.suffix(3) == [1, 100, 98])
  }

  @Test(
    "a status that the server refuses is not sent each second, and costs no record",
    arguments: [400, 413, 422], [0, 5])
  func statusRefused(status: Int, records: Int) {
    var timeline = SyncTimeline(
      status: true, server: { batch, withStatus in .of(withStatus ? status : 200, sent: batch) })
    timeline.add(records, at: 0)
    timeline.run(to: 3600)
    #expect(timeline.requests.count <= 4, "\(timeline.requests.count) requests")
    if records > 0 {
      #expect(
        timeline.requests.prefix(2) == [
          .init(at_s: 0, records: 5, withStatus: true), .init(at_s: 1.1, records: 5, withStatus: false),
        ])
    }
    #expect(timeline.quarantined.isEmpty && timeline.delivered.count == records)
  }

  @Test("a reply that nobody waits for changes nothing")
  func stray() {
    var machine = SyncMachine(settings: Settings.with().sync, at: 0)
    #expect(machine.uploadFinished(.of(200), at: 1, chance: 0).isEmpty)
    #expect(machine.state == .idle(isUrgent: false))
  }

  @Test(
    "random replies: one request at a time, never sooner than allowed, nothing lost",
    arguments: 1...40 as ClosedRange<UInt64>)
  func anything(seed: UInt64) {
    var random = SeededRandom(seed)
    var earliest_s = 0.0
    var tooSoon = 0
    let statuses = [200, 200, 200, 503, 429, 401, 413, 422, 0]
    var serverRandom = SeededRandom(seed &+ 1000)
    var timeline = SyncTimeline(
      status: true,
      server: { batch, _ in
        let asked_s = serverRandom.next() % 4 == 0 ? Int(serverRandom.next() % 100) : nil
        return .of(statuses[Int(serverRandom.next() % 9)], retryAfter_s: asked_s, sent: batch)
      })
    var seen = 0
    for _ in 0..<300 {
      let s = Double(timeline.now_ms) / 1000 + Double.random(in: 0...30, using: &random)
      timeline.chance = random.unit()
      switch Int.random(in: 0...5, using: &random) {
      case 0: timeline.event(at: s) { $0.flush(at: $1) }
      case 1: timeline.event(at: s) { $0.windowOpened(at: $1, chance: 0.2) }
      case 2: timeline.run(to: s)
      default:
        timeline.add(Int.random(in: 1...40, using: &random), urgent: Bool.random(using: &random), at: s)
      }
      for request in timeline.requests.dropFirst(seen) where request.at_s < earliest_s { tooSoon += 1 }
      seen = timeline.requests.count
      if case .backingOff(let until_ms, _, _) = timeline.machine.state {
        earliest_s = Double(until_ms) / 1000
      }
    }
    #expect(tooSoon == 0)
    let total = timeline.queue.count + timeline.delivered.count + timeline.quarantined.count
    timeline.server = { batch, _ in .of(200, sent: batch) }
    timeline.run(to: Double(timeline.now_ms) / 1000 + 100_000)
    #expect(timeline.queue.isEmpty)
    #expect(timeline.delivered.count + timeline.quarantined.count == total)
  }
}
