import Glibc
import TrackerAgent
import TrackerIO
import TrackerLab

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote
@testable import godwit

/// One life of the agent, with its connections to the world.
final class DeviceProcess {
  let agent: Agent
  let queue: QueueStore
  /// What the settings file says.
  let fileSettings: Settings
  private let overlay: FaultyOverlay
  /// Of the settings in force.
  var schedule: Schedule { overlay.schedule }
  /// How often others have taken their place.
  var exchanges: Int { overlay.exchanges }
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
    let queue = try AgentUser.queue(settings, log: log)
    self.queue = queue
    let moved = queue.noteHost(HostIdentity(machineID: "simulated", board: "\(world.board)"))
    fileSettings = settings
    overlay = try FaultyOverlay(world: world, own: settings, life: life)
    let commands = FaultyCommands(world: world, queue: queue, queuePath: settings.queue.path, life: life)
    var runState = RunState(world.runState, bootID: "\(world.bootID)", at: world.clock.moment.boot_ms)
    runState.runBegan(at: world.clock.moment.boot_ms)
    let trusted_ms = world.isSynchronised ? world.clock.moment.wall_ms : nil
    world.runState = runState.saved(trusted_ms: trusted_ms, at: world.clock.moment.boot_ms)
    world.wishes.processBegan()
    var restored = Tracker.Restored(queue, moved: moved)
    restored.runState = runState
    restored.alive_ms = world.alive_ms
    restored.board = BoardStart(
      rtc_s: (SimulatedWorld.start_ms + world.rtcAhead_ms + world.clock.now_ms) / 1000)
    world.saved = restored.state
    (restored.overlay, restored.commands) = (overlay.restored, commands.desk)
    let tracker = Tracker(
      Configuration(settings: overlay.now.settings, schedule: overlay.schedule, zone: FixedZone.utc),
      restored: restored, notBefore_ms: Version.released_ms, isSynchronised: world.isSynchronised,
      at: world.clock.moment)
    let receiver = FaultyReceiver(world: world, life: life)
    let uploads = world.servers.indices.map { [life] number in
      SimulatedUploads(world: world, number: number, queue: queue, life: life)
    }
    let host = VirtualHost(
      clock: world.clock, happenings: [receiver, news, alarm] + uploads, seed: world.random.next(),
      end_ms: FaultPlan.day_ms)
    let storage = Storage(queue: queue, settings: settings.queue, log: log)
    var ports = Ports(
      host: host, gps: receiver, power: receiver,
      storage: FaultyStorage(world: world, storage: storage, queue: queue, life: life),
      runState: FaultyStanding(world: world, life: life), servers: uploads.map { ServerPorts(upload: $0) },
      statusPort: Journal(world), settings: overlay, overlay: overlay, others: [news])
    ports.commands = commands
    let board = FaultyBoard(
      world: world, life: life, news: news, schedule: { [overlay] in overlay.schedule },
      settings: { [overlay] in overlay.now.settings.host.sleep })
    ports.board = board
    overlay.ports = { ports }
    agent = Agent(tracker: tracker, ports: ports)
    board.tracker = { [weak agent] in agent?.tracker }
  }

  /// The ports know it, and it knows them.
  deinit { overlay.ports = nil }
}

/// Wakes the agent for what the plan has next; a real one is woken by the news itself.
final class Alarm: Happening {
  var at_ms: Int64?
  var nextNews_ms: Int64? { at_ms }
}
