import Testing

@testable import TrackerCore

@Suite("Sync, as timelines")
struct SyncTimelines {
  private func machine(_ change: (inout SyncSettings) -> Void = { _ in }) -> SyncMachine {
    var settings = SyncSettings()
    settings.url = "https://fleet.example.com/v1/locations"
    settings.splay_s = 0
    change(&settings)
    return SyncMachine(settings: settings, at: 0)
  }

  /// A machine whose request is on its way.
  private func sending(_ count: Int = 5, _ change: (inout SyncSettings) -> Void = { _ in }) -> SyncMachine {
    var sync = machine(change)
    let actions = sync.queueChanged(count: count, urgent: true, at: 1000)
    #expect(actions.count == 1)
    return sync
  }

  private func reply(
    _ status: Int, sent: Int = 5, type: String = "application/json", retryAfter_s: Int? = nil,
    echoed: [Int64]? = nil
  ) -> UploadReply {
    UploadReply(
      status: status, message: "said the server", contentType: type, retryAfter_s: retryAfter_s,
      sent: (0..<sent).map { Int64($0 + 1) }, echoed: echoed)
  }

  @Test("five records start a sync, four wait", arguments: [(4, 0), (5, 1)])
  func threshold(count: Int, requests: Int) {
    var sync = machine()
    #expect(sync.queueChanged(count: count, urgent: false, at: 1000).count == requests)
  }

  @Test("a single record waits 300 s at most")
  func age() {
    var sync = machine { $0.statusInterval_s = 604_800 }
    _ = sync.flush(at: 0)
    _ = sync.queueChanged(count: 5, urgent: false, at: 0)
    _ = sync.uploadFinished(reply(200), at: 100, chance: 0)
    _ = sync.queueChanged(count: 0, urgent: false, at: 100)
    #expect(sync.queueChanged(count: 1, urgent: false, at: 1000) == [])
    #expect(sync.tick(at: 300_999) == [])
    #expect(sync.tick(at: 301_000) == [.upload(limit: 100, withStatus: false)])
  }

  @Test("an event goes at once, and takes the status that is due along")
  func urgent() {
    var sync = machine()
    #expect(sync.queueChanged(count: 1, urgent: true, at: 1000) == [.upload(limit: 100, withStatus: true)])
  }

  @Test("one request in flight: nothing starts another")
  func oneInFlight() {
    var sync = sending()
    #expect(sync.queueChanged(count: 900, urgent: true, at: 2000) == [])
    #expect(sync.flush(at: 2000) == [])
    #expect(sync.tick(at: 900_000) == [])
    #expect(sync.linkRestored(at: 900_000, chance: 0) == [])
    #expect(sync.deadline_ms == nil)
  }

  @Test("2xx removes what was sent, and the rest follows at once")
  func acknowledged() {
    var sync = sending(120)
    let sent = (1...100).map { Int64($0) }
    let done = sync.uploadFinished(reply(204, sent: 100), at: 2000, chance: 0)
    #expect(done == [.remove(sent), .delivered(records: 100)])
    #expect(sync.queueChanged(count: 20, urgent: false, at: 2000) == [.upload(limit: 100, withStatus: false)])
  }

  @Test("a reply that names ids removes those alone")
  func echoed() {
    var sync = sending()
    #expect(sync.uploadFinished(reply(200, echoed: [2, 3]), at: 2000, chance: 0).first == .remove([2, 3]))
  }

  @Test("a web page, or a reply that names nothing of ours, acknowledges nothing")
  func portal() {
    for bad in [reply(200, type: "text/html; charset=utf-8"), reply(200, echoed: []), reply(302)] {
      var sync = sending()
      #expect(sync.uploadFinished(bad, at: 2000, chance: 0.5) == [.failed(.transient, wait_ms: 5000)])
    }
  }

  @Test("failures wait a random share of 10, 20, 40 … up to 300 s, never less than one second")
  func backoff() {
    var sync = sending()
    var now_ms: Int64 = 1000
    for wait_ms: Int64 in [5000, 10_000, 20_000, 40_000, 80_000, 150_000, 150_000] {
      #expect(
        sync.uploadFinished(reply(503), at: now_ms, chance: 0.5) == [.failed(.transient, wait_ms: wait_ms)])
      now_ms += wait_ms
      #expect(sync.deadline_ms == now_ms)
      #expect(sync.queueChanged(count: 50, urgent: true, at: now_ms - 1) == [])
      #expect(sync.tick(at: now_ms - 1) == [])
      #expect(sync.tick(at: now_ms).count == 1)
    }
    #expect(sync.uploadFinished(reply(500), at: now_ms, chance: 0) == [.failed(.transient, wait_ms: 1000)])
  }

  @Test(
    "Retry-After, believed up to a day, comes before the jitter",
    arguments: [(120, 121_000), (9_999_999, 86_401_000)])
  func retryAfter(asked_s: Int, wait_ms: Int) {
    var sync = sending()
    let done = sync.uploadFinished(reply(429, retryAfter_s: asked_s), at: 0, chance: 0.1)
    #expect(done == [.failed(.transient, wait_ms: Int64(wait_ms))])
    #expect(sync.linkRestored(at: 1000, chance: 0) == [])
    #expect(sync.deadline_ms == Int64(wait_ms))
  }

  @Test("a restored link makes a wait for the network a short one, within the splay, never a longer one")
  func linkRestored() {
    var sync = machine { $0.splay_s = 60 }
    _ = sync.queueChanged(count: 5, urgent: true, at: 0)
    for _ in 1...9 {
      _ = sync.uploadFinished(UploadReply(status: 0, failure: .connect, sent: [1]), at: 0, chance: 0.9)
      _ = sync.tick(at: 300_000)
    }
    _ = sync.uploadFinished(UploadReply(status: 0, failure: .connect, sent: [1]), at: 0, chance: 0.9)
    #expect(sync.deadline_ms == 270_000)
    #expect(sync.linkRestored(at: 500, chance: 0.5) == [])
    #expect(sync.deadline_ms == 31_500)
    #expect(sync.linkRestored(at: 1000, chance: 0.99) == [])
    #expect(sync.deadline_ms == 31_500)
    #expect(sync.linkRestored(at: 2000, chance: 0) == [])
    #expect(sync.deadline_ms == 3000)
  }

  @Test("401 and 403 wait in a slow lane", arguments: [401, 403])
  func unauthorised(status: Int) {
    var sync = sending()
    #expect(
      sync.uploadFinished(reply(status), at: 0, chance: 0) == [.failed(.unauthorised, wait_ms: 900_000)])
  }

  /// A machine that is sending without the status, which has been delivered.
  private func sendingPlain(_ count: Int) -> SyncMachine {
    var sync = machine()
    _ = sync.tick(at: 60_000)
    _ = sync.uploadFinished(reply(200, sent: 0), at: 60_000, chance: 0)
    _ = sync.queueChanged(count: count, urgent: true, at: 61_000)
    return sync
  }

  @Test("a refusal leaves the status out first, then looks at the records")
  func statusRefused() {
    var sync = sending(1)
    #expect(
      sync.uploadFinished(reply(422, sent: 1), at: 2000, chance: 0) == [.failed(.refused, wait_ms: 1000)])
    #expect(sync.tick(at: 3000) == [.upload(limit: 100, withStatus: false)])
  }

  @Test("413 halves the batch, and what was too large stays so")
  func tooLarge() {
    var sync = sendingPlain(100)
    _ = sync.uploadFinished(reply(413, sent: 100), at: 62_000, chance: 0)
    #expect(sync.tick(at: 63_000) == [.upload(limit: 50, withStatus: false)])
    _ = sync.uploadFinished(reply(200, sent: 50), at: 64_000, chance: 0)
    #expect(sync.limit == 50)
  }

  @Test("a record that is refused alone goes to quarantine with the server's words")
  func refused() {
    var sync = sendingPlain(1)
    let done = sync.uploadFinished(reply(422, sent: 1), at: 62_000, chance: 0)
    #expect(done == [.failed(.refused, wait_ms: 1000), .quarantine(1, reason: "422 said the server")])
  }

  @Test("without records the status goes alone, once it has waited a minute for company")
  func statusAlone() {
    var sync = machine()
    #expect(sync.deadline_ms == 60_000)
    #expect(sync.tick(at: 59_999) == [])
    #expect(sync.tick(at: 60_000) == [.upload(limit: 100, withStatus: true)])
    _ = sync.uploadFinished(reply(200, sent: 0), at: 61_000, chance: 0)
    #expect(sync.deadline_ms == Int64(3_721_000))
  }

  @Test("the first sync after a window opens waits its share of the splay")
  func splay() {
    var sync = machine { $0.splay_s = 60 }
    _ = sync.windowOpened(at: 0, chance: 0.25)
    #expect(sync.queueChanged(count: 50, urgent: true, at: 14_999) == [])
    #expect(sync.tick(at: 15_000).count == 1)
  }

  @Test("what a window brought goes within the splay after its end, at once without a splay")
  func windowEnd() {
    var sync = machine { $0.splay_s = 60 }
    _ = sync.queueChanged(count: 1, urgent: false, at: 0)
    #expect(sync.windowEnded(at: 1000, chance: 0.25) == [])
    #expect(sync.tick(at: 15_999) == [])
    #expect(sync.tick(at: 16_000).count == 1)
    var prompt = machine { $0.splay_s = 0 }
    _ = prompt.queueChanged(count: 1, urgent: false, at: 0)
    #expect(prompt.windowEnded(at: 1000, chance: 0.25).count == 1)
  }

  @Test("an operator's wish does not wait for splay or pace")
  func flushed() {
    var sync = machine { $0.splay_s = 60 }
    _ = sync.queueChanged(count: 1, urgent: false, at: 0)
    _ = sync.windowOpened(at: 0, chance: 0.9)
    #expect(sync.flush(at: 1000).count == 1)
  }

  @Test("without a url nothing is ever sent")
  func noURL() {
    var sync = machine { $0.url = "" }
    #expect(sync.queueChanged(count: 5000, urgent: true, at: 0) == [])
    #expect(sync.deadline_ms == nil)
  }

  @Test("random replies: never two requests at once, never sooner than promised, never a busy loop")
  func anything() {
    for seed in 1...100 {
      var numbers = SeededNumbers(seed: UInt64(seed))
      var sync = machine()
      var (now_ms, inFlight, notBefore_ms) = (Int64(0), false, Int64(0))
      for _ in 0..<400 {
        now_ms += Int64(numbers.next() % 40_000)
        var actions: [SyncMachine.Action]
        switch numbers.next() % 4 {
        case 0:
          actions = sync.queueChanged(
            count: Int(numbers.next() % 300), urgent: numbers.next() % 3 == 0, at: now_ms)
        case 1 where inFlight:
          let status = [200, 401, 413, 422, 500, 503, 302][Int(numbers.next() % 7)]
          actions = sync.uploadFinished(
            reply(status, sent: 1 + Int(numbers.next() % 100)), at: now_ms, chance: numbers.uniform())
          inFlight = false
        case 2: actions = sync.flush(at: now_ms)
        default: actions = sync.tick(at: now_ms)
        }
        for action in actions {
          if case .failed(_, let wait_ms) = action { notBefore_ms = now_ms + wait_ms }
          guard case .upload = action else { continue }
          #expect(!inFlight && now_ms >= notBefore_ms, "seed \(seed)")
          inFlight = true
        }
        if let deadline_ms = sync.deadline_ms, deadline_ms <= now_ms {
          for case .upload in sync.tick(at: now_ms) { inFlight = true }
          #expect(sync.deadline_ms.map { $0 > now_ms } ?? true, "seed \(seed): a busy loop")
        }
      }
    }
  }
}
