import Glibc
import TrackerAgent
import TrackerBase
import TrackerBoard
import TrackerCore
import TrackerIO
import TrackerRemote
import TrackerWire

/// Puts the tracker and the real ports together, in the order of boot: lock, GPS off, what stands, queue, crash count,
/// control socket, clock, input lines.
///
/// It stays for as long as the process and holds what no reload changes: lock, queue, power line, signals and the
/// control socket. Everything else is made anew from the settings, see AgentReload.swift.
final class AgentAssembly {
  let path: String
  /// As read last and found fine.
  var file: SettingsFile
  var plan: Plan
  /// Read, found fine, and not yet in force.
  var next: (plan: Plan, ports: Ports)?
  private let runState: RunStateFile
  private let queue: QueueStore
  /// See `QueueStore.noteHost`.
  private let moved: String?
  private let storage: Storage
  private let power: PowerSwitch
  private let host: Host
  private let news: HostNews
  private let control: ControlSource
  private let commands: CommandsFile
  private let troubles: HostProblems
  private let shutdown: ShutdownHold
  private let alarmProgram = AlarmProgram()
  private let runFolder: RunFolder
  private(set) weak var agent: Agent?
  /// In force, by server. What they do ends also when settings are read anew.
  private var uploads: [(upload: Uploads, token: TokenCommand)] = []
  /// Why the settings are those of the last run, and what of the file was tried since.
  var settingsProblem: String?
  var triedSettings: LastGoodSettings?
  /// What the server has set; it lies over the file, if it fits.
  var overlay: Overlay?
  let overlayFile: OverlayFile
  private let restoredOverlay: RestoredOverlay
  /// Files of tokens, passwords and keys that are waited for.
  var unfitSecrets: [SettingsProblem]

  /// - Parameter path: of the settings file.
  static func agent(_ loaded: SettingsLocation.Loaded, path: String) throws -> Agent {
    let assembly = try AgentAssembly(loaded, path: path)
    assembly.settingsProblem = loaded.problem
    do {
      let agent = try assembly.makeAgent()
      assembly.keep(loaded.toKeep)
      return agent
    } catch {
      assembly.runState.startFailed()
      throw error
    }
  }

  private init(_ loaded: SettingsLocation.Loaded, path: String) throws {
    let settings = loaded.settings
    let log = Log(settings)
    (self.path, file, unfitSecrets) = (path, loaded.file, loaded.unfitSecrets)
    let lock = try AgentAssembly.lock(settings.queue, log: log)
    // Before the hardware: an agent with another queue may have this folder, and the GPS.
    try AgentAssembly.refuseSecond(settings)
    // Before all that may take long on a bad card: a killed agent has left the module as it was.
    power = PowerSwitch(trying: settings.gps.power)
    power.finishStart()
    overlayFile = OverlayFile(queuePath: settings.queue.path)
    var restoredOverlay = overlayFile.begin(bootID: HostClock.bootID(), at: HostClock.now().boot_ms)
    overlay = restoredOverlay.state.wanted
    let overlaid = Overlaid(file, under: overlay)
    restoredOverlay.use = overlaid.use
    self.restoredOverlay = restoredOverlay
    plan = try Plan(overlaid)
    troubles = HostProblems(log: .standardError)
    shutdown = ShutdownHold(log: log)
    if let note = plan.deviceNote { log.write(.warning, note) }
    AgentAssembly.raiseLimits(troubles)
    runState = RunStateFile(queuePath: settings.queue.path)
    let queue = try ExitReason.cannotCreate.attempt { try AgentUser.queue(settings, log: log) }
    self.queue = queue
    let suffix = queue.boardSuffix
    // What cannot be read is not known to have come from anywhere.
    moved = queue.isUnread ? nil : queue.noteHost(.read(queuePath: queue.path))
    plan.name(by: queue)
    if let words = plan.nameNote(of: queue, after: suffix) { log.write(.warning, words) }
    commands = CommandsFile(queue: queue, queuePath: settings.queue.path)
    storage = Storage(queue: queue, settings: settings.queue, log: log, lock: lock)
    // From here on SIGTERM waits for the loop: a start that it ended would look like a crash.
    news = try ExitReason.system.attempt { try HostNews() }
    runState.runBegan()
    do {
      control = try AgentAssembly.control(settings, queue: queue, log: log)
      runFolder = RunFolder(settings, control: control, troubles: troubles, log: log)
      runFolder.begin()
      host = try ExitReason.system.attempt { try Host(queuePath: settings.queue.path, log: log) }
    } catch {
      // An end with a reason is no crash.
      runState.startFailed()
      throw error
    }
  }

  private func makeAgent() throws -> Agent {
    reportIdleRules(plan)
    let tracker = Tracker(
      plan.configuration, restored: restored(), notBefore_ms: Version.released_ms,
      isSynchronised: HostClock.isSynchronised(),
      at: HostClock.now())
    let ports = try ports(plan)
    use(ports.servers, plan)
    let agent = Agent(tracker: tracker, ports: ports)
    self.agent = agent
    control.assembly = self
    commands.answered = { [unowned self] in control.answer(request: $0, $1) }
    news.reload = { [unowned self] in reload() }
    return agent
  }

  /// The live status as JSON.
  func status() -> String {
    agent.map { StatusDocument.json($0.status(), identity: plan.identity) } ?? "{}"
  }

  private func restored() -> Tracker.Restored {
    var restored = Tracker.Restored(queue, moved: moved)
    (restored.runState, restored.runStateProblem) = (runState.runState, runState.problem)
    restored.overlay = restoredOverlay
    (restored.commands, restored.commandsProblem) = (commands.inbox, commands.problem)
    restored.board = BoardStart(plan.settings, after: restored.state)
    restored.alive_ms = RunFolder.lastAlive_ms(
      in: plan.settings.run.directory, bootID: HostClock.bootID())
    return restored
  }

  func ports(_ plan: Plan) throws -> Ports {
    let (settings, log) = (plan.settings, Log(plan.settings))
    let (touch, sensors) = try ExitReason.system.attempt {
      (try GPSDTouch(settings: settings.gps), try AgentAssembly.sensors(settings, log: log))
    }
    var ports = Ports(
      host: host,
      gps: GPSSource(
        settings: settings.gps, touch: touch, log: log),
      power: power,
      storage: storage,
      runState: runState, servers: try servers(plan, log: log),
      statusPort: StatusPublisher(log: log, folder: runFolder, identity: plan.identity), settings: self,
      overlay: self,
      others: [news, control, power, touch, troubles, alarmProgram, try retry(of: plan)] + sensors
        + AgentAssembly.link(settings, log: log))
    (ports.commands, ports.shutdown) = (commands, shutdown)
    if settings.host.sleep.isOn {
      ports.board = BoardSource(settings.host.sleep, program: alarmProgram, log: log)
    }
    if settings.accelerometer.exists {
      ports.accelerometer = try ExitReason.system.attempt { try AccelerometerSource(settings.accelerometer) }
    }
    return ports
  }

  private func servers(_ plan: Plan, log: Log) throws -> [ServerPorts] {
    try plan.settings.servers.map(\.sync).enumerated().map { server, settings in
      let old = uploads.indices.contains(server) ? uploads[server] : nil
      let token =
        old.flatMap { $0.token.command == settings.authCommand ? $0.token : nil }
        ?? TokenCommand(server: server, settings.authCommand)
      if let kept = old?.upload, kept.goesOn(with: settings) {
        return ServerPorts(upload: kept, token: token)
      }
      let uploads = try ExitReason.system.attempt {
        try Uploads(server: server, queue: queue, settings: settings, identity: plan.identity, log: log)
      }
      uploads.trustedTime_ms = { [weak self] in self?.agent?.tracker.trustedTime_ms(at: HostClock.now()) }
      return ServerPorts(upload: uploads, token: token)
    }
  }

  /// In place of the plan in force.
  func planned(_ overlaid: Overlaid) throws -> Plan {
    var plan = try Plan(overlaid, insteadOf: plan)
    plan.name(by: queue)
    return plan
  }

  private func use(_ servers: [ServerPorts], _ plan: Plan) {
    uploads = servers.compactMap { server in
      guard let upload = server.upload as? Uploads, let token = server.token as? TokenCommand else {
        return nil
      }
      return (upload, token)
    }
    for (server, settings) in zip(uploads, plan.settings.servers) {
      server.upload.adopt(settings.sync, plan.identity, log: Log(plan.settings))
    }
  }

  /// What stays goes on with these settings.
  func adopt(_ plan: Plan, _ ports: Ports) {
    use(ports.servers, plan)
    let log = Log(plan.settings)
    let (name, before) = (plan.identity.device, self.plan.identity.device)
    if name != before { log.write(.notice, Plan.named(name, insteadOf: before)) }
    if let note = plan.deviceNote, note != self.plan.deviceNote { log.write(.warning, note) }
    self.plan = plan
    storage.apply(plan.settings.queue, log: log)
    control.log = log
  }

  /// Without word from the kernel a sync after an outage only comes later.
  private static func link(_ settings: Settings, log: Log) -> [any Source] {
    let used = settings.servers.map(\.sync).filter { !$0.url.isEmpty }
    let wantsCells = settings.motion.cells && settings.motion.mode == .full
    let modems = ModemSource(wantsCells: wantsCells, log: log)
    guard let first = used.first else { return wantsCells ? [modems] : [] }
    let interface = used.allSatisfy { $0.interface == first.interface } ? first.interface : ""
    do {
      return [try LinkSource(interface: interface, log: log), modems]
    } catch {
      log.write(.warning, "restored links go unnoticed: \(error)")
      return [modems]
    }
  }

  private static func sensors(_ settings: Settings, log: Log) throws -> [any Source] {
    var sensors: [any Source] = []
    for (line, input) in settings.inputLines where input.exists {
      sensors.append(try LineSource(line, settings: input))
    }
    if settings.battery.exists { sensors.append(try BatterySource(settings.battery)) }
    // Not every board has such an alarm.
    if let sensor = UndervoltageSensor() { sensors.append(VoltageSource(sensor, log: log)) }
    return sensors
  }

  /// Too few descriptors are no reason not to begin: what then fails is tried again.
  private static func raiseLimits(_ troubles: HostProblems) {
    let limit = ProcessLimits.raiseDescriptorLimit()
    guard limit < ProcessLimits.enoughDescriptors else { return }
    troubles.report(
      .fewDescriptors(
        "only \(limit) descriptors may be open, and \(ProcessLimits.enoughDescriptors) are wanted: "
          + "set LimitNOFILE in the service, or ulimit -n"))
  }

  private static func refuseSecond(_ settings: Settings) throws {
    guard ControlSocket.isTaken(in: settings.run.directory) else { return }
    throw ExitReason.secondInstance.exit("\(ControlError.inUse)")
  }

  private static func control(_ settings: Settings, queue: QueueStore, log: Log) throws -> ControlSource {
    try ExitReason.secondInstance.attempt {
      try ControlSource(
        directory: settings.run.directory, queue: queue, servers: settings.servers.map(\.name), log: log)
    }
  }

  /// - Returns: nil when the storage does not even take that: the queue then says so, and the lock is taken with it.
  private static func lock(_ settings: QueueSettings, log: Log) throws -> ProcessLock? {
    // If that fails, opening the queue says why.
    try? QueueStore.makeFolder(of: settings.path)
    do { return try ProcessLock(path: settings.path + ".lock") } catch {
      switch error {
      case .callFailed(_, EROFS, _), .callFailed(_, EIO, _), .callFailed(_, ENOENT, _), .file:
        log.write(.warning, "\(error)")
        return nil
      case .locked: throw ExitReason.secondInstance.exit("\(error)")
      case .callFailed: throw ExitReason.cannotCreate.exit("\(error)")
      }
    }
  }
}

extension Log {
  /// The agent's own.
  init(_ settings: Settings) { self.init(level: settings.run.logLevel, to: .standardError) }
}
