import TrackerAgent
import TrackerIO

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote
@testable import godwit

/// A fault of the agent, made on purpose: the invariants must find it.
enum Sabotage {
  /// Ids of commands count as noted, and are not.
  case idsForgotten
  /// Settings of the server count as saved, and are not.
  case settingsForgotten
  /// A trial that has failed goes on all the same.
  case trialGoesOn
}

/// The server's settings in the real state file, on a disk that fails now and then; and what the settings
/// file and they make together.
final class FaultyOverlay: OverlayPort, SettingsPort {
  private let world: SimulatedWorld
  private let life: Life
  private let file: OverlayFile
  private let own: Settings
  /// Of the process that is to go on with others.
  var ports: (() -> Ports)?
  private var next: InForce?
  private(set) var now: InForce
  private(set) var schedule: Schedule
  private(set) var exchanges = 0
  let restored: RestoredOverlay

  struct InForce {
    var settings: Settings
    var use: OverlayUse

    /// What an overlay may set on these days.
    init(_ own: Settings, under overlay: Overlay?) {
      (settings, use) = (own, OverlayUse())
      guard let overlay else { return }
      do throws(OverlayProblem) {
        let laid = try overlay.laid(over: [])
        for key in overlay.settings.map({ $0.path.joined(separator: ".") }) {
          switch key {
          case "schedule": settings.schedule = laid.schedule
          case "motion.stop_timeout_s": settings.motion.stopTimeout_s = laid.motion.stopTimeout_s
          case "sync.sync_threshold": settings.sync.threshold = laid.sync.threshold
          default: preconditionFailure("\(key) is in no plan")
          }
        }
        use = OverlayUse(version: overlay.version)
      } catch { use = OverlayUse(problem: "\(error)") }
    }
  }

  /// - Parameter own: of the settings file.
  init(world: SimulatedWorld, own: Settings, life: Life) throws {
    (self.world, self.life, self.own) = (world, life, own)
    file = OverlayFile(queuePath: own.queue.path)
    var restored = file.begin(bootID: "\(world.bootID)", at: world.clock.moment.boot_ms)
    now = InForce(own, under: restored.state.wanted)
    schedule = try Schedule(rules: now.settings.schedule)
    restored.use = now.use
    world.versionInForce = now.use.version
    self.restored = restored
  }

  func check(_ overlay: Overlay) -> Event {
    .overlay(.checked(problem: InForce(own, under: overlay).use.problem))
  }

  func save(_ state: OverlayState) -> Event {
    guard life.effect() else { return .overlay(.saved(problem: "simulated: the process is dead")) }
    if world.meets(.diskFull) { return .overlay(.saved(problem: "simulated: disk full")) }
    if world.sabotage == .settingsForgotten { return .overlay(.saved(problem: nil)) }
    do throws(HostError) { try file.write(state) } catch { return .overlay(.saved(problem: "\(error)")) }
    return .overlay(.saved(problem: nil))
  }

  func use(_ overlay: Overlay?) -> Event {
    let isBack = (overlay?.version ?? 0) < (lastTried?.version ?? 0)
    next = InForce(own, under: world.sabotage == .trialGoesOn && isBack ? lastTried : overlay)
    lastTried = isBack ? lastTried : overlay
    return .settingsRead
  }

  private var lastTried: Overlay?

  func applied() -> (Configuration, Ports)? {
    guard let next, let ports, let schedule = try? Schedule(rules: next.settings.schedule) else { return nil }
    (self.next, self.now, self.schedule) = (nil, next, schedule)
    exchanges += 1
    // From the first request on.
    world.versionInForce = next.use.version
    world.noteMet("settings exchanged")
    let configuration = Configuration(
      settings: next.settings, schedule: schedule, zone: FixedZone.utc, overlay: next.use)
    return (configuration, ports())
  }
}

/// The commands' file on the same disk, and what commands need beside it.
final class FaultyCommands: CommandPort {
  private let world: SimulatedWorld
  private let life: Life
  private let file: CommandsFile
  /// By the clocks of the world.
  let desk: CommandInbox

  init(world: SimulatedWorld, queue: QueueStore, queuePath: String, life: Life) {
    (self.world, self.life) = (world, life)
    file = CommandsFile(queue: queue, queuePath: queuePath)
    let now = world.clock.moment
    desk = CommandInbox(
      (try? StateFile(queuePath: queuePath).read(.commands)) ?? nil, time_ms: now.wall_ms, at: now.boot_ms)
  }

  func note(_ value: JSONValue) -> CommandEvent {
    let isDead = !life.effect()
    if isDead || world.meets(.diskFull) {
      world.remote.noteFailed(value)
      return .noted(problem: "simulated: disk full")
    }
    world.remote.isNoted = true
    return world.sabotage == .idsForgotten ? .noted(problem: nil) : file.note(value)
  }

  func readReport(id: String, lines: Int) -> CommandEvent { .reportRead(id: id, lines: ["simulated"]) }

  func retryQuarantine(id: String) -> [Event] {
    guard life.effect() else { return [] }
    return file.retryQuarantine(id: id)
  }

  func answer(request: Int, _ answer: LocateAnswer) {}
}
