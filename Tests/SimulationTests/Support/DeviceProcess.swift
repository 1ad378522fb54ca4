import Glibc
import TrackerAgent
import TrackerIO
import TrackerReplay

@testable import TrackerCore
@testable import godwit

/// One life of the agent, with its connections to the world.
final class DeviceProcess {
  let agent: Agent
  /// By server.
  let queues: [QueueStore]
  let schedule: Schedule
  let bootID: Int
  let life = Life()
  let news: Newsstand
  let alarm = Alarm()

  init(world: SimulatedWorld, folder: SimulationFolder) throws {
    bootID = world.bootID
    news = Newsstand(clock: world.clock)
    var settings = world.settings
    settings.queue.path = folder.queue
    let log = Log(level: .error)
    let queues = try Queues(settings, log: log)
    self.queues = queues.all
    schedule = try Schedule(rules: settings.schedule)
    var standing = Standing(world.standing, bootID: "\(world.bootID)", at: world.clock.moment.boot_ms)
    standing.runBegan(at: world.clock.moment.boot_ms)
    let trusted_ms = world.isSynchronised ? world.clock.moment.wall_ms : nil
    world.standing = standing.text(trusted_ms: trusted_ms, at: world.clock.moment.boot_ms)
    world.wishes.processBegan()
    var restored = try queues.restored()
    restored.standing = standing
    let tracker = Tracker(
      settings: settings, schedule: schedule, zone: FixedZone.utc, restored: restored,
      notBefore_ms: Version.released_ms, isSynchronised: world.isSynchronised, at: world.clock.moment)
    let receiver = FaultyReceiver(world: world, life: life)
    let uploads = queues.all.enumerated().map { [life] number, queue in
      SimulatedUploads(world: world, number: number, queue: queue, life: life)
    }
    let host = VirtualHost(
      clock: world.clock, happenings: [receiver, news, alarm] + uploads, seed: world.random.next(),
      end_ms: FaultPlan.day_ms)
    let storage = Storage(queues: queues, settings: settings.queue, log: log)
    agent = Agent(
      tracker: tracker,
      ports: Ports(
        host: host, gps: receiver, power: receiver,
        storage: FaultyStorage(world: world, storage: storage, queues: queues.all, life: life),
        standing: FaultyStanding(world: world, life: life), servers: uploads.map { ServerPorts(upload: $0) },
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
  /// A file of the first queue, by what its name has at the end.
  enum File: String, CaseIterable {
    case database = ""
    case log = "-wal"
    case front = "-front"
  }

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
    for name in SimulationFolder.files {
      SimulationFolder.copy("\(old)/\(name)", to: "\(new)/\(name)")
    }
    removeGeneration()
    generation += 1
  }

  /// - Returns: whether there was anything in it.
  func empty(_ file: File) -> Bool {
    var status = stat()
    guard stat(queue + file.rawValue, &status) == 0, status.st_size > 0 else { return false }
    return truncate(queue + file.rawValue, 0) == 0
  }

  private static let files = ["queue.db", "queue-second.db"].flatMap { [$0, $0 + "-wal", $0 + "-front"] }

  private func removeGeneration() {
    for name in SimulationFolder.files {
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
