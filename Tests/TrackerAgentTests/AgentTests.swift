import Testing
import TrackerAgent
import TrackerCore

@Suite("The loop")
struct AgentTests {
  /// All ports at once, in memory and in virtual time: waiting jumps to the deadline.
  final class World: HostPort, GPSPort, PowerPort, StoragePort, UploadPort, OutlookPort {
    var boot_ms: Int64 = 0
    /// What the script does when the loop waits for the nth time.
    var script: [Int: [Event]] = [:]
    var done: [String] = []
    var published: [Int64] = []
    private var waits = 0
    private var news: [Event] = []
    private var stored = 0

    func now() -> Moment { Moment(boot_ms: boot_ms, wall_ms: 1_800_000_000_000 + boot_ms) }
    func chance() -> Double { 0.5 }

    func wait(for descriptors: [PollDescriptor], until boot_ms: Int64?) -> [Int32] {
      waits += 1
      if let planned = script[waits] {
        news = planned
      } else if waits > 200 {
        news = [.stopping]
      } else if let boot_ms {
        self.boot_ms = max(self.boot_ms, boot_ms)
      }
      return []
    }

    var descriptors: [PollDescriptor] { [] }
    func receive(ready: [Int32]) -> [Event] {
      defer { news = [] }
      return news
    }

    func connect() -> Event? {
      done.append("connect")
      return nil
    }
    func disconnect() { done.append("disconnect") }

    func set(_ on: Bool) -> Event? {
      done.append(on ? "power on" : "power off")
      return nil
    }

    func commit(_ commit: Commit) -> [Event] {
      done.append("commit \(commit.records.count)")
      stored += commit.records.count
      return [.committed(queued: stored)]
    }
    func remove(_ sequences: [Int64]) -> Event {
      stored -= sequences.count
      return .queueShrank(queued: stored)
    }
    func quarantine(_ sequence: Int64, reason: String) -> Event { remove([sequence]) }

    var timeout_ms: Int? { nil }
    func start(limit: Int, status: TrackerStatus?) -> Event? {
      done.append("upload")
      return .uploadFinished(UploadReply(status: 0, failure: .connect, sent: []))
    }

    func log(_ level: RunSettings.LogLevel, _ text: String) {}
    func publish(_ status: TrackerStatus) { published.append(boot_ms) }
    func started() { done.append("ready") }
    func stopping() { done.append("stopping") }
    func alive(at now: Moment) -> Int64? { nil }
  }

  private func run(_ world: World) throws {
    var settings = Settings()
    settings.gps.power.mode = .level
    settings.sync.url = "https://fleet.example.com/"
    let tracker = Tracker(
      settings: settings, schedule: try Schedule(rules: []), zone: FixedZone.utc, restored: .init(),
      notBefore_ms: 0, isSynchronised: true, at: world.now())
    let ports = Ports(
      host: world, gps: world, power: world, storage: world, upload: world, outlook: world, others: [])
    Agent(tracker: tracker, ports: ports).run()
  }

  @Test("starts with ready and power, and connects once the module has settled")
  func starts() throws {
    let world = World()
    world.script = [3: [.stopping]]
    try run(world)
    #expect(world.done.prefix(3) == ["ready", "power on", "connect"])
  }

  @Test("ends with everything committed and the power off")
  func ends() throws {
    let world = World()
    world.script = [4: [.stopping]]
    try run(world)
    let last = world.done.suffix(4)
    #expect(last.contains("power off") && last.contains("commit 0"))
    #expect(world.done.last == "stopping")
    #expect(world.published.last == world.boot_ms)
  }

  @Test("a sync asked for with an empty queue sends nothing")
  func emptySync() throws {
    let world = World()
    world.script = [2: [.syncAsked], 3: [.stopping]]
    try run(world)
    #expect(!world.done.contains("upload"))
  }

  @Test("left alone it only ever waits for deadlines: hours pass in a few hundred turns")
  func idle() throws {
    let world = World()
    try run(world)
    #expect(world.boot_ms > 3 * 3_600_000, "\(world.boot_ms)")
    #expect(world.published.count <= 202)
  }
}
