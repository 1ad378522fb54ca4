import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Sync: when")
struct SyncTriggerTests {
  @Test("four records wait, five go", arguments: [(4, 0), (5, 1)])
  func threshold(records: Int, requests: Int) {
    var timeline = SyncTimeline()
    timeline.add(records, at: 1)
    timeline.run(to: 10)
    #expect(timeline.requests.count == requests)
  }

  @Test("a lone record goes when it is 300 s old", arguments: [(300.9, 0), (301, 1)])
  func age(until_s: Double, requests: Int) {
    var timeline = SyncTimeline()
    timeline.add(1, at: 1)
    timeline.run(to: until_s)
    #expect(timeline.requests.count == requests)
  }

  @Test("later records do not make the first one wait longer")
  func ageOfOldest() {
    var timeline = SyncTimeline()
    timeline.add(1, at: 0)
    timeline.add(1, at: 200)
    timeline.run(to: 1000)
    #expect(timeline.times_s == [300])
  }

  @Test("an event goes at once")
  func urgent() {
    var timeline = SyncTimeline()
    timeline.add(1, at: 0)
    timeline.add(1, urgent: true, at: 7)
    #expect(timeline.times_s == [7] && timeline.sizes == [2])
  }

  @Test("one request at a time: what comes meanwhile goes when its turn comes")
  func oneAtATime() {
    var timeline = SyncTimeline()
    timeline.latency_ms = 60_000
    timeline.add(5, at: 0)
    for s in 1...50 { timeline.add(1, urgent: true, at: Double(s)) }
    timeline.event(at: 51) { $0.flush(at: $1) }
    timeline.event(at: 52) { $0.linkRestored(at: $1, chance: 0) }
    timeline.event(at: 53) { $0.tick(at: $1) }
    #expect(timeline.machine.deadline_ms == nil)
    timeline.run(to: 59)
    #expect(timeline.requests.count == 1)
    timeline.run(to: 61)
    #expect(timeline.times_s == [0, 60] && timeline.sizes == [5, 50])
  }

  @Test(
    "a request that is under way when settings are read anew ends, and counts once", arguments: [false, true])
  func underWay(isOther: Bool) {
    var timeline = SyncTimeline()
    timeline.latency_ms = 5000
    timeline.add(100, at: 0)
    timeline.event(at: 2) { machine, now_ms in
      let old = machine
      machine = SyncMachine(settings: Settings.with { $0.sync.threshold = isOther ? 7 : 5 }.sync, at: now_ms)
      if isOther { machine.wait(as: old, at: now_ms) } else { machine.goOn(from: old, at: now_ms) }
      return machine.queueChanged(count: 100, urgent: false, at: now_ms)
    }
    timeline.run(to: 60)
    #expect(timeline.sizes == [100] && timeline.delivered.count == 100)
  }

  @Test(
    "with other settings for the same server a second passes after a failure, and what the server asked for",
    arguments: [(nil, 1000), (600, 600_000)] as [(Int?, Int64)])
  func otherSettings(retryAfter_s: Int?, wait_ms: Int64) {
    var timeline = SyncTimeline(server: { batch, _ in .of(503, retryAfter_s: retryAfter_s, sent: batch) })
    timeline.add(5, at: 0)
    timeline.run(to: 0.5)
    var other = SyncMachine(settings: Settings.with { $0.sync.threshold = 1 }.sync, at: 500)
    other.wait(as: timeline.machine, at: 500)
    _ = other.queueChanged(count: 5, urgent: true, at: 500)
    // The reply came at 0 s, and its Retry-After counts from there.
    #expect(other.nextAttempt_ms ?? 0 >= wait_ms, "\(other.state)")
  }

  /// As `godwit sync` does.
  private func ask(_ machine: inout SyncMachine, at now_ms: Int64) -> [SyncMachine.Action] {
    machine.statusAtOnce(at: now_ms)
    return machine.flush(at: now_ms)
  }

  @Test("an operator's sync asks the server at once, with the status where nothing waits")
  func askedWithoutRecords() {
    var timeline = SyncTimeline(status: true)
    #expect(SyncHold(of: timeline.machine, at: 0) == nil)
    timeline.event(at: 5, ask)
    #expect(timeline.requests == [.init(at_s: 5, records: 0, withStatus: true)])
    // Another one while it is under way asks no less.
    #expect(SyncHold(of: timeline.machine, at: 5050) == nil)
    timeline.run(to: 10)
    timeline.add(1, at: 11)
    timeline.event(at: 12, ask)
    #expect(timeline.requests.last == .init(at_s: 12, records: 1, withStatus: true))
    timeline.run(to: 60)
    #expect(timeline.times_s == [5, 12])
  }

  @Test("why an operator's sync sends nothing, in words")
  func holds() {
    func words(at s: Double = 0, _ timeline: SyncTimeline, _ settings: SyncSettings) -> String? {
      let server = Server(name: "", settings: settings, at: 0)
      return SyncHold(of: timeline.machine, at: milliseconds(s)).map { server.words(for: $0) }
    }
    var settings = Settings.with().sync
    settings.format = .owntracks
    let mute = SyncTimeline(changing: { $0.format = .owntracks })
    #expect(
      words(mute, settings)
        == "no record waits, and sync.format \"owntracks\" has no place for a status: there is nothing to send"
    )
    // A server that takes no status is not asked with one again before the next is due.
    var refusing = SyncTimeline(server: { batch, withStatus in .of(withStatus ? 400 : 200, sent: batch) })
    refusing.event(at: 5, ask)
    refusing.run(to: 1000)
    let refused = words(at: 1000, refusing, Settings.with().sync)
    #expect(
      refused?.hasPrefix("no record waits, and the server refused the last status; the next one goes in ")
        == true,
      "\(refused ?? "nothing")")
    var full = SyncTimeline(changing: { $0.format = .owntracks })
    full.add(1, at: 1)
    #expect(words(at: 1, full, settings) == nil)
  }

  @Test("a backlog drains at once, in full batches, one after the other")
  func drain() {
    var timeline = SyncTimeline()
    timeline.add(950, at: 0)
    timeline.run(to: 2)
    #expect(timeline.sizes == Array(repeating: 100, count: 9) + [50])
    #expect(timeline.delivered.count == 950)
  }

  @Test("after a long outage a backlog is paced, ever faster; after a short one it drains at once")
  func pacedDrain() {
    var isUp = false
    var timeline = SyncTimeline(server: { batch, _ in .of(isUp ? 200 : 503, sent: batch) })
    timeline.add(2000, at: 0)
    timeline.run(to: 7200)
    isUp = true
    let before = timeline.times_s.count
    timeline.run(to: 14_400)
    #expect(timeline.delivered.count == 2000)
    let times = timeline.times_s[before...]
    let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
    // Half of 300 s, of 270 s …: with the chance of 0.5 that the timeline draws.
    #expect(abs(pauses[0] - 150.1) < 0.01 && abs(pauses[1] - 135.1) < 0.01)
    #expect(pauses == pauses.sorted(by: >))
  }

  @Test("after a short outage a backlog drains at once")
  func unpacedDrain() {
    func drain_s(_ failure: UploadReply.NoReply?, outage_s: Double) -> Double {
      var isUp = false
      var timeline = SyncTimeline(server: { batch, _ in
        isUp ? .of(200, sent: batch) : .of(failure == nil ? 503 : 0, failure: failure, sent: batch)
      })
      timeline.add(2000, at: 0)
      timeline.run(to: outage_s)
      isUp = true
      timeline.run(to: outage_s + 14_400)
      #expect(timeline.delivered.count == 2000)
      let times = timeline.times_s.filter { $0 >= outage_s }
      return times[times.count - 1] - times[0]
    }
    #expect(drain_s(nil, outage_s: 60) < 3)
    #expect(drain_s(.resolve, outage_s: 60) < 3)
    #expect(drain_s(.connect, outage_s: 7200) > 600, "a fleet comes back with it")
  }

  @Test("an event does not wait for the pace of a backlog")
  func eventInPacedDrain() {
    var isUp = false
    var timeline = SyncTimeline(server: { batch, _ in .of(isUp ? 200 : 503, sent: batch) })
    timeline.add(1000, at: 0)
    timeline.run(to: 7200)
    isUp = true
    timeline.run(to: 7500)
    guard case .pacing = timeline.machine.state else {
      Issue.record("\(timeline.machine.state)")
      return
    }
    let before = timeline.times_s.count
    timeline.add(1, urgent: true, at: 7501)
    #expect(timeline.times_s.count == before + 1)
  }

  @Test("without a url nothing is ever sent")
  func disabled() {
    var timeline = SyncTimeline(status: true, changing: { $0.url = "" })
    timeline.add(500, urgent: true, at: 0)
    timeline.event(at: 1) { $0.flush(at: $1) }
    timeline.event(at: 2) { $0.linkRestored(at: $1, chance: 0) }
    timeline.event(at: 3) { $0.windowOpened(at: $1, chance: 0.5) }
    #expect(timeline.requests.isEmpty && timeline.machine.deadline_ms == nil)
  }

  @Test(
    "the first sync of a window waits the device's share of the splay",
    arguments: [(0.0, 0.0), (0.25, 15), (0.999, 59.94)])
  func splay(chance: Double, at_s: Double) {
    var timeline = SyncTimeline(changing: { $0.splay_s = 60 })
    timeline.event(at: 0) { $0.windowOpened(at: $1, chance: chance) }
    timeline.add(20, urgent: true, at: 0)
    timeline.run(to: 100)
    #expect(timeline.times_s == [at_s])
  }

  @Test("what a window brought goes within the splay after its end", arguments: [(60.0, 16.0), (0, 1)])
  func windowEnd(splay_s: Double, at_s: Double) {
    var timeline = SyncTimeline(changing: { $0.splay_s = splay_s })
    timeline.add(1, at: 0)
    timeline.event(at: 1) { $0.windowEnded(at: $1, chance: 0.25) }
    timeline.run(to: 100)
    #expect(timeline.times_s == [at_s])
  }

  @Test("an operator's wish does not wait for the splay")
  func flushInSplay() {
    var timeline = SyncTimeline(changing: { $0.splay_s = 60 })
    timeline.add(1, at: 0)
    timeline.event(at: 0) { $0.windowOpened(at: $1, chance: 0.9) }
    timeline.event(at: 1) { $0.flush(at: $1) }
    #expect(timeline.times_s == [1])
  }

  @Test("the status rides with the next request")
  func statusRides() {
    var timeline = SyncTimeline(status: true)
    timeline.add(5, at: 10)
    timeline.run(to: 3000)
    #expect(timeline.requests == [.init(at_s: 10, records: 5, withStatus: true)])
    timeline.add(5, at: 3009)
    timeline.add(5, at: 3650)
    #expect(timeline.requests.map { $0.withStatus } == [true, false, true])
  }

  @Test("a status that is due goes alone after a minute, and then each hour")
  func statusAlone() {
    var timeline = SyncTimeline(status: true)
    timeline.run(to: 7500)
    #expect(timeline.times_s == [60, 3720.1, 7380.2])
    #expect(timeline.requests.allSatisfy { $0.withStatus && $0.records == 0 })
  }

  @Test(
    "a status alone keeps its interval, also one shorter than that of the records",
    arguments: [20.0, 60, 300])
  func statusInterval(interval_s: Double) {
    var timeline = SyncTimeline(status: true, changing: { $0.statusInterval_s = interval_s })
    timeline.run(to: 3600)
    let pauses = zip(timeline.times_s, timeline.times_s.dropFirst()).map { $1 - $0 }
    #expect(pauses.allSatisfy { $0 <= interval_s * 1.05 + 0.2 }, "\(pauses)")
    #expect(!pauses.isEmpty)
  }

  @Test("a format without a status sends none, alone or along, and sets no deadline for it")
  func noStatus() {
    var timeline = SyncTimeline(status: true, changing: { $0.format = .traccar })
    #expect(timeline.machine.deadline_ms == nil)
    timeline.add(5, at: 10)
    timeline.run(to: 7200)
    #expect(timeline.requests.count == 5 && timeline.requests.allSatisfy { !$0.withStatus })
    #expect(timeline.machine.deadline_ms == nil)
  }

  @Test("a warning brings the status forward")
  func statusWanted() {
    var timeline = SyncTimeline(status: true)
    timeline.run(to: 100)
    timeline.event(at: 400) {
      $0.status.wanted(at: $1)
      return []
    }
    timeline.run(to: 470)
    #expect(timeline.times_s == [60, 460])
  }

  @Test("a warning that repeats all night makes no request a minute")
  func repeatedWarnings() {
    var timeline = SyncTimeline(status: true)
    for s in stride(from: 8.0, to: 3600, by: 8) {
      timeline.event(at: s) {
        $0.status.wanted(at: $1)
        return []
      }
    }
    #expect(timeline.requests.count <= 13, "\(timeline.requests.count)")
  }

  @Test("an operator's wish leaves the slow lane of a token once, unless the server asked for time")
  func flushInSlowLane() {
    for retryAfter_s in [nil, 600] as [Int?] {
      var timeline = SyncTimeline(server: { batch, _ in
        .of(401, retryAfter_s: retryAfter_s, sent: batch)
      })
      timeline.add(1, urgent: true, at: 0)
      timeline.event(at: 100) { $0.flush(at: $1) }
      timeline.run(to: 110)
      #expect(timeline.times_s == (retryAfter_s == nil ? [0, 101] : [0]))
    }
  }

  @Test("an operator's wish empties the queue, but does not break a wait")
  func flush() {
    var timeline = SyncTimeline(server: { batch, _ in .of(503, sent: batch) })
    timeline.add(1, at: 0)
    timeline.event(at: 1) { $0.flush(at: $1) }
    #expect(timeline.times_s == [1])
    timeline.event(at: 2) { $0.flush(at: $1) }
    #expect(timeline.times_s == [1])
  }
}
