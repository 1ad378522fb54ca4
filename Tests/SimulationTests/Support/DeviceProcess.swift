import Glibc
import TrackerAgent
import TrackerIO
import TrackerReplay

@testable import TrackerCore
@testable import godwit

/// One life of the agent, with its connections to the world.
final class DeviceProcess {
  let agent: Agent
  let queue: QueueStore
  let schedule: Schedule
  let bootID: Int
  let life = Life()
  let news: Newsstand
  let alarm = Alarm()

  init(world: SimulatedWorld, folder: SimulationFolder) throws {
    bootID = world.bootID
    news = Newsstand(clock: world.clock)
    queue = try QueueStore(path: folder.queue)
    schedule = try Schedule(rules: world.settings.schedule)
    let restored = try queue.restore()
    var standing = Standing(world.standing, bootID: "\(world.bootID)", at: world.clock.moment.boot_ms)
    standing.runBegan(at: world.clock.moment.boot_ms)
    let trusted_ms = world.isSynchronised ? world.clock.moment.wall_ms : nil
    world.standing = standing.text(trusted_ms: trusted_ms, at: world.clock.moment.boot_ms)
    world.wishes.processBegan()
    let tracker = Tracker(
      settings: world.settings, schedule: schedule, zone: FixedZone.utc,
      restored: Tracker.Restored(
        state: restored.state, tail: restored.tail, lastSequence: restored.lastSequence, queued: queue.count,
        standing: standing),
      notBefore_ms: Version.released_ms, isSynchronised: world.isSynchronised, at: world.clock.moment)
    let receiver = FaultyReceiver(world: world, life: life)
    let uploads = SimulatedUploads(world: world, queue: queue, life: life)
    let host = VirtualHost(
      clock: world.clock, happenings: [receiver, uploads, news, alarm], seed: world.random.next(),
      end_ms: FaultPlan.day_ms)
    let storage = Storage(queue: queue, settings: world.settings.queue, log: Log(level: .error))
    agent = Agent(
      tracker: tracker,
      ports: Ports(
        host: host, gps: receiver, power: receiver,
        storage: FaultyStorage(world: world, storage: storage, queue: queue, life: life),
        standing: FaultyStanding(world: world, life: life), upload: uploads,
        outlook: Journal(world), others: [news]))
  }
}

/// Wakes the agent for what the plan has next; a real one is woken by the news itself.
final class Alarm: Happening {
  var at_ms: Int64?
  var nextNews_ms: Int64? { at_ms }
}

/// Where the queue file lives; in memory where the machine has such a place.
final class SimulationFolder {
  private let path: String
  private var generation = 0
  var queue: String { "\(path)/\(generation)/queue.db" }

  init() {
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/godwit-simulation-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    mkdir("\(path)/0", 0o700)
  }

  deinit {
    removeGeneration()
    rmdir(path)
  }

  /// The files as a killed process leaves them: before the connection can tidy up.
  func keepAsKilled() {
    let old = "\(path)/\(generation)"
    let new = "\(path)/\(generation + 1)"
    mkdir(new, 0o700)
    for name in ["queue.db", "queue.db-wal", "queue.db-front"] {
      SimulationFolder.copy("\(old)/\(name)", to: "\(new)/\(name)")
    }
    removeGeneration()
    generation += 1
  }

  private func removeGeneration() {
    for name in ["queue.db", "queue.db-wal", "queue.db-shm", "queue.db-front"] {
      unlink("\(path)/\(generation)/\(name)")
    }
    rmdir("\(path)/\(generation)")
  }

  private static func copy(_ from: String, to: String) {
    guard let source = fopen(from, "r") else { return }
    defer { fclose(source) }
    guard let target = fopen(to, "w") else { return }
    defer { fclose(target) }
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, source)
      if count == 0 { return }
      fwrite(chunk, 1, count, target)
    }
  }
}
