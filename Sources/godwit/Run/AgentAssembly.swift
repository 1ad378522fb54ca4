import TrackerAgent
import TrackerCore
import TrackerIO
import TrackerWire

/// Puts the tracker and the real ports together, in the order of boot: lock, queue, clock, hardware.
///
/// It stays for as long as the process and holds what no reload changes: lock, queue, power line, signals and the
/// control socket. Everything else is made anew from the settings, see AgentAssembly+Reload.swift.
final class AgentAssembly {
  /// What settings alone determine, checked as a whole before anything of it is used.
  struct Plan {
    var settings: Settings
    var geofences: [Geofence]
    var zone: SystemZone
    var schedule: Schedule
    var identity: StatusDocument.Identity

    init(_ settings: Settings) throws {
      self.settings = settings
      geofences = try GeofencesFile.read(settings.geofencesFile)
      zone = try attempt(.settings) { try SystemZone(settings.timezone) }
      schedule = try Schedule(rules: settings.schedule)
      identity = try AgentAssembly.identity(of: settings)
    }
  }

  let path: String
  var plan: Plan
  /// Read, found fine, and not yet in force.
  var next: (plan: Plan, ports: Ports)?
  private let queue: QueueStore
  private let storage: Storage
  private let power: PowerSwitch
  private let host: Host
  private let news: HostNews
  private let control: Control
  private weak var agent: Agent?

  /// - Parameter path: of the settings file.
  static func agent(settings: Settings, path: String) throws -> Agent {
    try AgentAssembly(settings: settings, path: path).makeAgent()
  }

  private init(settings: Settings, path: String) throws {
    let log = Log(level: settings.run.logLevel)
    self.path = path
    plan = try Plan(settings)
    let lock = try attempt(.secondInstance) { try ProcessLock(path: settings.queue.path + ".lock") }
    let queue = try AgentAssembly.openQueue(settings.queue, log: log)
    self.queue = queue
    storage = Storage(queue: queue, settings: settings.queue, log: log, lock: lock)
    power = try attempt(.system) { try PowerSwitch(settings.gps.power) }
    control = try attempt(.system) {
      try Control(directory: settings.run.directory, queue: queue, log: log)
    }
    host = try attempt(.system) { try Host(log: log) }
    news = try attempt(.system) { try HostNews() }
  }

  private func makeAgent() throws -> Agent {
    let restored = try attempt(.cannotCreate) { try queue.restore() }
    let tracker = Tracker(
      settings: plan.settings, schedule: plan.schedule, zone: plan.zone,
      restored: Tracker.Restored(
        state: restored.state, tail: restored.tail, lastSequence: restored.lastSequence, queued: queue.count,
        damage: QueueReport.damage(queue.openReport)),
      notBefore_ms: Version.released_ms, isSynchronised: HostClock.isSynchronised(),
      geofences: plan.geofences, at: HostClock.now())
    let agent = Agent(tracker: tracker, ports: try ports(plan))
    self.agent = agent
    control.status = { [unowned self] in
      guard let agent = self.agent else { return "{}" }
      return StatusDocument.json(agent.status(), identity: plan.identity, wall_ms: HostClock.now().wall_ms)
    }
    news.reload = { [unowned self] in reload() }
    return agent
  }

  func ports(_ plan: Plan) throws -> Ports {
    let (settings, log) = (plan.settings, Log(level: plan.settings.run.logLevel))
    let uploads = try attempt(.system) {
      try Uploads(queue: queue, settings: settings.sync, identity: plan.identity)
    }
    uploads.trustedTime_ms = { [weak self] in self?.agent?.tracker.trustedTime_ms(at: HostClock.now()) }
    let lines = try attempt(.system) { try AgentAssembly.lines(settings) }
    return Ports(
      host: host, gps: GPSSource(settings: settings.gps, log: log), power: power, storage: storage,
      upload: uploads, token: TokenCommand(settings.sync.authCommand),
      outlook: Outlook(log: log, settings: settings.run, identity: plan.identity), settings: self,
      others: [news, control, power] + lines + AgentAssembly.voltage()
        + AgentAssembly.link(settings.sync, log: log))
  }

  /// What stays goes on with these settings.
  func adopt(_ plan: Plan) {
    let log = Log(level: plan.settings.run.logLevel)
    self.plan = plan
    storage.apply(plan.settings.queue, log: log)
    control.log = log
  }

  /// Without word from the kernel a sync after an outage only comes later.
  private static func link(_ settings: SyncSettings, log: Log) -> [any Source] {
    if settings.url.isEmpty { return [] }
    do {
      return [try LinkSource(interface: settings.interface, log: log)]
    } catch {
      log.write(.warning, "restored links go unnoticed: \(error)")
      return []
    }
  }

  private static func voltage() -> [any Source] { VoltageSource().map { [$0] } ?? [] }

  private static func lines(_ settings: Settings) throws -> [any Source] {
    let wanted: [(InputLine, InputLineSettings)] = [
      (.ignition, settings.ignition), (.vibration, settings.vibration.input),
    ]
    return try wanted.filter { $0.1.exists }.map { try LineSource($0.0, settings: $0.1) }
  }

  fileprivate static func identity(of settings: Settings) throws -> StatusDocument.Identity {
    let device = settings.deviceID.isEmpty ? HostClock.machineID() : settings.deviceID
    guard let device else {
      throw ExitReason.settings.exit(
        "device_id is not set, and this machine has no /etc/machine-id to take instead")
    }
    return StatusDocument.Identity(
      device: device, version: Version.text,
      settingsHash: SettingsHash.of(settings), bootID: HostClock.bootID())
  }

  private static func openQueue(_ settings: QueueSettings, log: Log) throws -> QueueStore {
    let queue = try attempt(.cannotCreate) { try QueueStore(path: settings.path) }
    if queue.openReport.isFrontDamaged {
      log.write(
        .notice, "a slot of the queue's front was not whole, as after a power cut; the other one holds")
    }
    if queue.openReport.isFrontMended {
      log.write(
        .warning, "a bit of the queue's front had flipped and was set right: the storage is not sound")
    }
    return queue
  }
}

private func attempt<Value>(_ failure: ExitReason, _ work: () throws -> Value) throws -> Value {
  do { return try work() } catch { throw failure.exit("\(error)") }
}
