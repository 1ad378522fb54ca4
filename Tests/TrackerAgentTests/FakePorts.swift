@testable import TrackerAgent
@testable import TrackerBase

/// Ports in memory around one diary: what was asked of the world, in order, as "second words".
final class FakeWorld {
  static let epoch_ms: Int64 = 1_748_844_000_000

  var now_ms: Int64 = 0
  var diary: [String] = []
  var published_ms: [Int64] = []
  /// Events that come at a boot time, all of one time in one turn.
  var script: [(at_ms: Int64, events: [Event])] = []

  func note(_ words: String) { diary.append("\(now_ms / 1000) \(words)") }
}

final class FakeHost: HostPort {
  let world: FakeWorld
  /// How often the loop waited: a measure of busy loops.
  private(set) var waits = 0

  init(_ world: FakeWorld) { self.world = world }

  func now() -> Moment { Moment(boot_ms: world.now_ms, wall_ms: FakeWorld.epoch_ms + world.now_ms) }
  func chance() -> Double { 0.5 }

  /// Virtual time: waiting is jumping to what comes first.
  func wait(for descriptors: [PollDescriptor], until boot_ms: Int64?) -> [Int32] {
    waits += 1
    let next_ms = [boot_ms, world.script.first?.at_ms].compactMap { $0 }.min()
    world.now_ms = max(world.now_ms, next_ms ?? world.now_ms)
    return world.script.first.map { $0.at_ms <= world.now_ms } == true ? [1] : []
  }
}

final class FakeGPS: GPSPort {
  let world: FakeWorld
  var refuses = false
  private var isConnected = false
  var hasMore = false

  init(_ world: FakeWorld) { self.world = world }

  var descriptors: [PollDescriptor] { isConnected ? [PollDescriptor(descriptor: 1)] : [] }

  func receive(ready: [Int32]) -> [Event] {
    guard ready.contains(1), !world.script.isEmpty else { return [] }
    return world.script.removeFirst().events
  }

  func connect() -> Event? {
    world.note("connect")
    isConnected = !refuses
    return refuses ? .gpsLost("refused") : nil
  }

  func disconnect() {
    world.note("disconnect")
    isConnected = false
  }
}

final class FakeShutdown: ShutdownPort {
  let world: FakeWorld
  private(set) var isHeld = false

  init(_ world: FakeWorld) { self.world = world }

  var descriptors: [PollDescriptor] { [] }
  func receive(ready: [Int32]) -> [Event] { [] }

  func hold(_ isWanted: Bool) {
    if isWanted != isHeld { world.note(isWanted ? "hold shutdown" : "allow shutdown") }
    isHeld = isWanted
  }
}

final class FakePower: PowerPort {
  let world: FakeWorld
  private(set) var isOn = false
  var lastProblem: String?

  init(_ world: FakeWorld) { self.world = world }

  func set(_ on: Bool) -> Event? {
    isOn = on
    world.note(on ? "power on" : "power off")
    return nil
  }

  func finish() -> String? { lastProblem }
}

final class FakeStorage: StoragePort {
  let world: FakeWorld
  private(set) var queue: [Record] = []
  private(set) var records: [Record] = []
  private(set) var state: [String: JSONValue] = [:]
  var failsBefore_s: Int64 = 0
  /// The answer never comes.
  var isMute = false

  init(_ world: FakeWorld) { self.world = world }

  func commit(_ commit: Commit) -> [Event] {
    world.note("commit \(commit.records.count)")
    if isMute { return [] }
    if world.now_ms < failsBefore_s * 1000 { return [.commitFailed("I/O error")] }
    queue += commit.records
    records += commit.records
    state.merge(commit.state) { $1 }
    return [.committed(queued: [queue.count])]
  }

  func remove(_ sequences: [Int64], server: Int) -> [Event] {
    world.note("remove \(sequences.count)")
    queue.removeAll { sequences.contains($0.sequence) }
    return [.queueShrank(queued: queue.count)]
  }

  func quarantine(_ sequence: Int64, reason: String, server: Int) -> [Event] {
    world.note("quarantine \(sequence)")
    queue.removeAll { $0.sequence == sequence }
    return [.queueShrank(queued: queue.count)]
  }
}

final class FakeStanding: RunStatePort {
  let world: FakeWorld
  var fails = false

  init(_ world: FakeWorld) { self.world = world }

  func save(_ value: JSONValue) -> Event? {
    world.note("save")
    return fails ? .runStateNotSaved("disk full") : nil
  }
}

/// Answers before `start` has returned, as a refused connection does.
final class FakeUpload: UploadPort {
  let world: FakeWorld
  let storage: FakeStorage
  var status = 200
  /// The answer comes by the script, or never.
  var isMute = false
  var isUnderWay = false
  var timeout_ms: Int?

  init(_ world: FakeWorld, _ storage: FakeStorage) {
    self.world = world
    self.storage = storage
  }

  var descriptors: [PollDescriptor] { [] }

  func receive(ready: [Int32]) -> [Event] { [] }

  func start(_ order: UploadOrder, status document: TrackerStatus?) -> Event? {
    let stored = Array(storage.queue.prefix(order.limit))
    let sent = (stored.isEmpty ? order.picked() : stored).map { $0.sequence }
    world.note("upload \(sent.count)\(document == nil ? "" : " with status")")
    if isMute { return nil }
    return .uploadFinished(UploadReply(status: status, contentType: "application/json", sent: sent))
  }
}

final class FakeOutlook: StatusPort {
  let world: FakeWorld
  private(set) var isStarted = false
  private(set) var isStopping = false
  private(set) var watchedClosely = false
  var notesWatch = false

  init(_ world: FakeWorld) { self.world = world }

  func log(_ level: RunSettings.LogLevel, _ text: String) { world.note("[\(level.rawValue)] \(text)") }
  func publish(_ status: TrackerStatus) { world.published_ms.append(world.now_ms) }
  func started() {
    isStarted = true
    world.note("started")
  }
  func stopping() {
    isStopping = true
    world.note("stopping")
  }
  func alive(at now: Moment, gpsIsOn: Bool) -> Int64? {
    if notesWatch, gpsIsOn != watchedClosely { world.note("watched " + (gpsIsOn ? "closely" : "at leisure")) }
    watchedClosely = gpsIsOn
    return nil
  }

}
