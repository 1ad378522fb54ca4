import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Several servers")
struct SeveralServersTests {
  /// A tracker that syncs with two servers; the second's settings are its own.
  private func tracker() throws -> Tracker {
    var settings = Settings()
    settings.sync.url = "https://first.example/"
    settings.sync.splay_s = 0
    var second = settings.sync
    second.url = "https://second.example/"
    second.threshold = 50
    settings.others = [OtherServer(name: "second", sync: second)]
    var tracker = Tracker(
      Configuration(
        settings: settings, schedule: try Schedule(rules: ["2020-01-01 00:00-00:00"]), zone: FixedZone.utc),
      restored: Tracker.Restored(queued: [10, 60]), notBefore_ms: 0, isSynchronised: true, at: .at(0))
    starting = tracker.handle(.started, at: .at(0), chance: 0.5)
    return tracker
  }

  private var starting: [Action] {
    get { box.actions }
    nonmutating set { box.actions = newValue }
  }
  private let box = Box()
  private final class Box { var actions: [Action] = [] }

  private func uploads(_ actions: [Action]) -> [Int] {
    actions.compactMap { if case .upload(_, let server) = $0 { server } else { nil } }
  }

  private func reply(_ status: Int, _ sent: [Int64]) -> UploadReply {
    UploadReply(status: status, contentType: "application/json", sent: sent)
  }

  @Test("both are asked at once, each by its own settings")
  func both() throws {
    _ = try tracker()
    #expect(uploads(starting) == [0, 1])
  }

  @Test("what one acknowledges leaves its queue alone, and the other's failure holds nothing up")
  func independent() throws {
    var tracker = try tracker()
    let failed = tracker.handle(.uploadFinished(reply(500, [1, 2])), at: .at(1), chance: 0.5)
    #expect(!failed.contains { if case .remove = $0 { true } else { false } })
    let taken = tracker.handle(.uploadFinished(reply(200, [1, 2]), server: 1), at: .at(2), chance: 0.5)
    #expect(taken.contains(.remove([1, 2], server: 1)))
    let next = tracker.handle(.queueShrank(queued: 58, server: 1), at: .at(2), chance: 0.5)
    #expect(uploads(next) == [1])
    let status = tracker.status(at: .at(3))
    #expect(status.sync.state == .backingOff && status.sync.problem == .serverError)
    #expect(status.queue.records == 10)
    #expect(status.others.map(\.name) == ["second"] && status.others.map(\.queued) == [58])
    #expect(status.others[0].sync.delivered == 2 && status.others[0].sync.problem == nil)
  }

  @Test("a warning names the server that it is about; the first has no name")
  func named() throws {
    var tracker = try tracker()
    let first = tracker.handle(.uploadFinished(reply(500, [1])), at: .at(1), chance: 0.5)
    let second = tracker.handle(.uploadFinished(reply(401, [1]), server: 1), at: .at(1), chance: 0.5)
    #expect(first.contains(where: { logged($0)?.hasPrefix("sync failed: server_error 500") == true }))
    #expect(
      second.contains(where: { logged($0)?.hasPrefix("server second: sync failed: unauthorised 401") == true }
      ))
  }

  @Test("a commit is reported to all, each with its own count")
  func committed() throws {
    var tracker = try tracker()
    for server in 0...1 {
      _ = tracker.handle(.uploadFinished(reply(200, [1]), server: server), at: .at(1), chance: 0.5)
      _ = tracker.handle(.queueShrank(queued: 0, server: server), at: .at(1), chance: 0.5)
    }
    let actions = tracker.handle(.committed(queued: [5, 49]), at: .at(2), chance: 0.5)
    #expect(uploads(actions) == [0])
    #expect(uploads(tracker.handle(.queueShrank(queued: 50, server: 1), at: .at(3), chance: 0.5)) == [1])
  }

  @Test("the byte budget is one for all of them")
  func budget() throws {
    var settings = Settings()
    settings.sync.url = "https://first.example/"
    settings.sync.budgetDay_kb = 1
    settings.others = [OtherServer(name: "second", sync: settings.sync)]
    var tracker = Tracker(
      Configuration(settings: settings, schedule: try Schedule(rules: []), zone: FixedZone.utc),
      restored: Tracker.Restored(queued: [0, 5]), notBefore_ms: 0, isSynchronised: true, at: .at(0))
    _ = tracker.handle(.started, at: .at(0), chance: 0)
    #expect(uploads(tracker.handle(.timer, at: .at(0), chance: 0)) == [1])
    var costly = reply(200, [1])
    costly.bytesUp = 2000
    _ = tracker.handle(.uploadFinished(costly, server: 1), at: .at(1), chance: 0)
    #expect(tracker.dispatch.servers.map(\.sync.allowance.level) == [.none, .none])
  }

  @Test("a budget that is taken away by a reload holds no server back, and the loop not awake")
  func budgetGone() throws {
    var settings = Settings()
    settings.sync.url = "https://first.example/"
    settings.others = [OtherServer(name: "second", sync: settings.sync)]
    settings.sync.budgetDay_kb = 1
    var tracker = Tracker(
      Configuration(settings: settings, schedule: try Schedule(rules: []), zone: FixedZone.utc),
      restored: Tracker.Restored(queued: [0, 5]), notBefore_ms: 0, isSynchronised: true, at: .at(0))
    _ = tracker.handle(.started, at: .at(0), chance: 0)
    _ = tracker.handle(.timer, at: .at(0), chance: 0)
    var costly = reply(200, [1])
    costly.bytesUp = 2000
    _ = tracker.handle(.uploadFinished(costly, server: 1), at: .at(1), chance: 0)
    #expect(tracker.dispatch.servers.map(\.sync.allowance.level) == [.none, .none])
    settings.sync.budgetDay_kb = 0
    tracker.adopt(
      Configuration(settings: settings, schedule: try Schedule(rules: []), zone: FixedZone.utc), at: .at(2))
    #expect(tracker.dispatch.servers.map(\.sync.allowance) == [Allowance(), Allowance()])
  }

  @Test("an event whose request a reload goes over is still looked for first if that request fails")
  func eventsAfterReload() throws {
    var sync = SyncMachine(settings: Settings.with { $0.sync.url = "https://first.example/" }.sync, at: 0)
    let first = sync.queueChanged(count: 500, urgent: true, at: 0)
    let order = UploadOrder(pick: .events, limit: sync.limit(of: .events, at: 0))
    #expect(first == [.upload(order)])
    var next = SyncMachine(settings: sync.settings, at: 10)
    next.goOn(from: sync, at: 10)
    #expect(next.tick(at: 2000) == [])
    _ = next.uploadFinished(.of(0, failure: .dropped), at: 2000, chance: 0)
    #expect(next.tick(at: 3000) == first)
  }

  @Test("each server's bytes of today and this month are in the status, and survive a restart")
  func bytes() throws {
    var tracker = try tracker()
    var (first, second) = (reply(200, [1]), reply(500, []))
    (first.bytesUp, first.bytesDown, second.bytesUp, second.bytesDown) = (900, 80, 70, 6)
    _ = tracker.handle(.uploadFinished(first), at: .at(1), chance: 0.5)
    _ = tracker.handle(.uploadFinished(second, server: 1), at: .at(2), chance: 0.5)
    func figures(_ tracker: Tracker) -> [[Int64]] {
      let status = tracker.status(at: .at(3))
      return ([status.sync] + status.others.map(\.sync)).map {
        [$0.todayUp_bytes, $0.todayDown_bytes, $0.monthUp_bytes, $0.monthDown_bytes]
      }
    }
    #expect(figures(tracker) == [[900, 80, 900, 80], [70, 6, 70, 6]])
    var restored = Tracker.Restored(queued: [10, 60])
    restored.state = tracker.saved(at: .at(3)).state
    let next = Tracker(
      Configuration(settings: tracker.settings, schedule: try Schedule(rules: []), zone: FixedZone.utc),
      restored: restored, notBefore_ms: 0, isSynchronised: true, at: .at(3))
    #expect(figures(next) == figures(tracker))
  }

  private func logged(_ action: Action) -> String? {
    if case .log(_, let text) = action { text } else { nil }
  }
}
