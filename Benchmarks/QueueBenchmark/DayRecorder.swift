import TrackerAgent
import TrackerBase
import TrackerCore
import TrackerLab

/// What a day asks of the queue, in order: the agent has lived it in virtual time, with a good network.
struct DayStep {
  enum Effect {
    case commit(Commit)
    case remove([Int64])
  }

  var at_ms: Int64
  var effect: Effect
}

enum DayRecorder {
  static func steps(of track: RecordedTrack) throws -> [DayStep] {
    let offset_ms = track.start_ms - 1000
    let clock = VirtualClock(wall_ms: offset_ms)
    let receiver = VirtualReceiver(
      track: track, assumptions: Assumptions(), clock: clock, offset_ms: offset_ms)
    let storage = NotedStorage(clock: clock)
    let uploads = GoodNetwork(storage: storage, clock: clock)
    let end_ms = track.end_ms - offset_ms
    let host = VirtualHost(clock: clock, happenings: [receiver, uploads], seed: 1, end_ms: end_ms)
    var settings = Settings()
    settings.sync.url = "https://benchmark.invalid/"
    let tracker = Tracker(
      Configuration(settings: settings, schedule: try Schedule(rules: []), zone: FixedZone.utc),
      restored: Tracker.Restored(), notBefore_ms: track.start_ms - 86_400_000, isSynchronised: true,
      at: clock.moment)
    let agent = Agent(
      tracker: tracker,
      ports: Ports(
        host: host, gps: receiver, power: receiver, storage: storage,
        servers: [ServerPorts(upload: uploads)], statusPort: NoStatusPort(), others: []))
    agent.start()
    while clock.now_ms < end_ms { agent.step() }
    return storage.steps
  }
}

private final class NotedStorage: StoragePort {
  var steps: [DayStep] = []
  var waiting: [Int64] = []
  private let clock: VirtualClock

  init(clock: VirtualClock) { self.clock = clock }

  func commit(_ commit: Commit) -> [Event] {
    steps.append(DayStep(at_ms: clock.now_ms, effect: .commit(commit)))
    waiting += commit.records.map(\.sequence)
    return [.committed(queued: [waiting.count])]
  }

  func remove(_ sequences: [Int64], server: Int) -> [Event] {
    steps.append(DayStep(at_ms: clock.now_ms, effect: .remove(sequences)))
    waiting.removeAll { sequences.contains($0) }
    return [.queueShrank(queued: waiting.count)]
  }

  func quarantine(_ sequence: Int64, reason: String, server: Int) -> [Event] {
    remove([sequence], server: server)
  }
}

/// Takes everything, 0.8 s after it was sent.
private final class GoodNetwork: UploadPort, Happening {
  private let storage: NotedStorage
  private let clock: VirtualClock
  private var underWay: (sent: [Int64], at_ms: Int64)?

  init(storage: NotedStorage, clock: VirtualClock) {
    self.storage = storage
    self.clock = clock
  }

  var descriptors: [PollDescriptor] { [] }
  var timeout_ms: Int? { nil }
  var isUnderWay: Bool { underWay != nil }
  var nextNews_ms: Int64? { underWay?.at_ms }

  func start(_ order: UploadOrder, status: TrackerStatus?) -> Event? {
    underWay = (Array(storage.waiting.prefix(order.limit)), clock.now_ms + 800)
    return nil
  }

  func receive(ready: [Int32]) -> [Event] {
    guard let underWay, underWay.at_ms <= clock.now_ms else { return [] }
    self.underWay = nil
    return [
      .uploadFinished(UploadReply(status: 200, contentType: "application/json", sent: underWay.sent))
    ]
  }
}

private final class NoStatusPort: StatusPort {
  func log(_ level: RunSettings.LogLevel, _ text: String) {}
  func publish(_ status: TrackerStatus) {}
  func started() {}
  func stopping() {}
  func alive(at now: Moment, gpsIsOn: Bool) -> Int64? { nil }
}
