import TrackerAgent
import TrackerCore
import TrackerIO
import TrackerWire

/// Puts the tracker and the real ports together, in the order of boot: lock, queue, clock, hardware.
enum AgentAssembly {
  static func agent(settings: Settings, log: Log) throws -> Agent {
    let geofences = try GeofencesFile.read(settings.geofencesFile)
    let lock = try holdLock(beside: settings.queue.path)
    let queue = try openQueue(settings.queue, log: log)
    let zone = try systemZone(settings)
    let schedule = try Schedule(rules: settings.schedule)
    let power = try openPower(settings.gps.power)

    let identity = try identity(of: settings)
    let now = HostClock.now()
    let restored = try attempt(.cannotCreate) { try queue.restore() }
    let tracker = Tracker(
      settings: settings, schedule: schedule, zone: zone,
      restored: Tracker.Restored(
        state: restored.state, tail: restored.tail, lastSequence: restored.lastSequence, queued: queue.count,
        damage: QueueReport.damage(queue.openReport)),
      notBefore_ms: Version.released_ms, isSynchronised: HostClock.isSynchronised(), geofences: geofences,
      at: now)
    return try agent(
      tracker, settings: settings, queue: queue, power: power, identity: identity, lock: lock, log: log)
  }

  private static func agent(
    _ tracker: Tracker, settings: Settings, queue: QueueStore, power: (any PowerLine)?,
    identity: StatusDocument.Identity, lock: ProcessLock, log: Log
  ) throws -> Agent {
    let control = try attempt(.system) {
      try Control(directory: settings.run.directory, queue: queue, log: log)
    }
    let uploads = try attempt(.system) {
      try Uploads(queue: queue, settings: settings.sync, identity: identity)
    }
    let ports = try attempt(.system) {
      Ports(
        host: try Host(log: log), gps: GPSSource(settings: settings.gps, log: log),
        power: PowerSwitch(line: power),
        storage: Storage(queue: queue, settings: settings.queue, log: log, lock: lock), upload: uploads,
        token: TokenCommand(settings.sync.authCommand),
        outlook: Outlook(log: log, settings: settings.run, identity: identity),
        others: [try HostNews(log: log), control] + (try lines(settings)) + voltage()
          + link(settings.sync, log: log))
    }
    let agent = Agent(tracker: tracker, ports: ports)
    control.status = { [weak agent] in
      guard let agent else { return "{}" }
      return StatusDocument.json(agent.status(), identity: identity, wall_ms: HostClock.now().wall_ms)
    }
    uploads.trustedTime_ms = { [weak agent] in agent?.tracker.trustedTime_ms(at: HostClock.now()) }
    return agent
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

  private static func identity(of settings: Settings) throws -> StatusDocument.Identity {
    let device = settings.deviceID.isEmpty ? HostClock.machineID() : settings.deviceID
    guard let device else {
      throw ExitReason.settings.exit(
        "device_id is not set, and this machine has no /etc/machine-id to take instead")
    }
    return StatusDocument.Identity(
      device: device, version: Version.text,
      settingsHash: SettingsHash.of(settings), bootID: HostClock.bootID())
  }

  private static func holdLock(beside path: String) throws -> ProcessLock {
    try attempt(.secondInstance) { try ProcessLock(path: path + ".lock") }
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

  private static func systemZone(_ settings: Settings) throws -> SystemZone {
    try attempt(.settings) { try SystemZone(settings.timezone) }
  }

  private static func openPower(_ settings: GPSPowerSettings) throws -> (any PowerLine)? {
    try attempt(.system) { try PowerLines.open(settings: settings) }
  }

  private static func attempt<Value>(_ failure: ExitReason, _ work: () throws -> Value) throws -> Value {
    do { return try work() } catch { throw failure.exit("\(error)") }
  }
}
