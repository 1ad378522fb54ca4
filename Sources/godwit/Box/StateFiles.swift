import Glibc
import TrackerAgent
import TrackerBase
import TrackerCore
import TrackerIO
import TrackerRemote
import TrackerWire

/// What outlives the process, in the state file and not in the queue: a queue that is damaged or removed forgets no pause.
final class RunStateFile: RunStatePort {
  private(set) var runState: RunState
  private var asFound: RunState
  /// Why it could not be read or saved, in words for operators.
  private(set) var problem: String?
  private let file: StateFile

  /// Reads it. The process' lock is to be held.
  init(queuePath: String) {
    file = StateFile(queuePath: queuePath)
    let boot = (HostClock.bootID(), HostClock.now().boot_ms)
    do throws(StateFile.Problem) {
      runState = RunState(try file.read(.run), bootID: boot.0, at: boot.1)
      if runState.isUnreadable { problem = file.damaged.description }
    } catch {
      runState = RunState(bootID: boot.0, at: boot.1)
      problem = error.description
    }
    asFound = runState
  }

  /// Before any hardware is touched.
  func runBegan() {
    runState.runBegan(at: HostClock.now().boot_ms)
    save()
  }

  /// The process ends with a reason before the agent was there: as if it had not begun. The agent itself saves the
  /// end of its run.
  func startFailed() {
    runState = asFound
    save()
  }

  /// Without an agent. - Throws: `HostError` if it is not saved.
  func ask(_ request: IntentWish) throws {
    let now = HostClock.now()
    runState.ask(request, trusted_ms: HostClock.trusted_ms(at: now), at: now.boot_ms)
    try write()
  }

  func save(_ value: JSONValue) -> Event? {
    do {
      try file.write(.run, value.text)
      return nil
    } catch { return .runStateNotSaved("\(error)") }
  }

  private func save() {
    do { try write() } catch { problem = "\(error)" }
  }

  private func write() throws(HostError) {
    let now = HostClock.now()
    try file.write(.run, runState.saved(trusted_ms: HostClock.trusted_ms(at: now), at: now.boot_ms).text)
  }
}

/// The server's settings on storage, in the state file: what is kept, what is on trial, what was refused.
struct OverlayFile {
  private let file: StateFile

  init(queuePath: String) { file = StateFile(queuePath: queuePath) }

  /// - Returns: an empty one where there is none.
  func read() throws(StateFile.Problem) -> OverlayState {
    guard let value = try file.read(.settings) else { return OverlayState() }
    guard let state = OverlayDocument.state(value) else { throw file.damaged }
    return state
  }

  /// On storage once this has returned.
  func write(_ state: OverlayState) throws(HostError) {
    try file.write(.settings, OverlayDocument.text(state))
  }

  /// The process has begun. What it does not save is not used: a trial of which nobody counts the starts might never end.
  func begin(bootID: String, at now_ms: Int64) -> RestoredOverlay {
    var found = RestoredOverlay()
    do throws(StateFile.Problem) { found.state = try read() } catch {
      found.problem = "\(error)"
      return found
    }
    let hadTrial = found.state.trial != nil
    guard found.state.runBegan(bootID: bootID, at: now_ms) else { return found }
    do throws(HostError) { try write(found.state) } catch {
      found.state.dropTrial()
      found.problem = "the trial that goes on cannot be noted: \(error)"
    }
    found.isRolledBack = hadTrial && found.state.trial == nil && found.problem == nil
    return found
  }
}

/// The device's name where no setting gives it, in the state file: what a machine can be known by may change, and
/// servers know the device by its name.
struct DeviceNameFile {
  private let file: StateFile
  private let queuePath: String
  private let root: String

  /// - Parameter root: before the paths of what the machine tells.
  init(queuePath: String, root: String = "") {
    (file, self.queuePath, self.root) = (StateFile(queuePath: queuePath), queuePath, root)
  }

  struct Found {
    var identity: DeviceIdentity
    /// For operators; nil where all is as it should be.
    var note: String?
    /// It is the one of the file.
    var isKept: Bool
  }

  /// - Parameters:
  ///   - old: in force; where storage does not keep a name, it stays all the same while the process runs.
  ///   - keeps: the name is kept from now on.
  func identity(of settings: Settings, insteadOf old: DeviceIdentity? = nil, keeps: Bool = true) -> Found {
    let (kept, problem) = read()
    let host = HostIdentity.read(queuePath: queuePath, root: root)
    let machine = DeviceIdentity.Machine(
      machineID: host.machineID, board: host.board, card: host.card,
      hardwareAddress: HostIdentity.hardwareAddress(root: root))
    let identity = DeviceIdentity(
      setting: settings.deviceID, machine: machine,
      kept: kept ?? old.flatMap { $0.source == .deviceID ? nil : $0 },
      chance: .random(in: .min ... .max))
    var notes = [identity.note(hasMachineID: machine.machineID != nil)]
    if identity.source != .deviceID { notes.append(problem) }
    if keeps, identity != kept { notes.append(keep(identity)) }
    let words = notes.compactMap { $0 }
    return Found(
      identity: identity, note: words.isEmpty ? nil : words.joined(separator: "; "),
      isKept: identity == kept)
  }

  private func read() -> (kept: DeviceIdentity?, problem: String?) {
    do throws(StateFile.Problem) {
      guard let value = try file.read(.device) else { return (nil, nil) }
      guard let kept = DeviceIdentity(saved: value) else { throw file.damaged }
      return (kept, nil)
    } catch { return (nil, "the name that was kept cannot be read: \(error)") }
  }

  /// A name that a server has given; on storage once this has returned.
  func keep(enrolled name: String) throws(HostError) {
    try write(DeviceIdentity(enrolled: name))
  }

  /// - Returns: why it could not be kept, in words. That of a machine id comes again, and need not be.
  private func keep(_ identity: DeviceIdentity) -> String? {
    if identity.source == .deviceID { return nil }
    let problem = Result { () throws(HostError) in try write(identity) }
    guard case .failure(let error) = problem, identity.source.isMade else { return nil }
    return "the name could not be kept, and may be another after a restart: \(error)"
  }

  private func write(_ identity: DeviceIdentity) throws(HostError) {
    try? QueueStore.makeFolder(of: queuePath)
    try file.write(.device, identity.saved.text)
  }
}

/// Which commands were done, in the state file; and what commands need of log, queue and control socket.
final class CommandsFile: CommandPort {
  /// As found: what the process before this one began is ended.
  let inbox: CommandInbox
  /// Why it could not be read, in words for operators.
  let problem: String?
  private let file: StateFile
  private let queue: QueueStore
  private let log: TextOutput
  /// Answers an operator's `locate`; set once the control socket is there.
  var answered: (_ request: Int, LocateAnswer) -> Void = { _, _ in }

  /// Records that one command takes out of quarantine, at most: some hundredths of a second.
  static let mostRetried = 2048

  /// Reads it. The process' lock is to be held.
  init(queue: QueueStore, queuePath: String, log: TextOutput = .standardError) {
    file = StateFile(queuePath: queuePath)
    (self.queue, self.log) = (queue, log)
    let now = HostClock.now()
    do throws(StateFile.Problem) {
      inbox = CommandInbox(try file.read(.commands), time_ms: now.wall_ms, at: now.boot_ms)
      problem = inbox.isUnreadable ? file.damaged.description : nil
    } catch {
      inbox = CommandInbox()
      problem = error.description
    }
  }

  func note(_ value: JSONValue) -> CommandEvent {
    do {
      try file.write(.commands, value.text)
      return .noted(problem: nil)
    } catch { return .noted(problem: "\(error)") }
  }

  func readReport(id: String, lines: Int) -> CommandEvent {
    .reportRead(id: id, lines: log.recent.last(lines))
  }

  func retryQuarantine(id: String) -> [Event] {
    var news: [Event] = []
    var (records, problem): (Int, String?) = (0, nil)
    for server in queue.counts.indices {
      do {
        let rows = try queue[server].quarantined(after: 0, limit: CommandsFile.mostRetried)
        let change = try queue[server].retry(rows.map(\.sequence))
        records += change.records
        news.append(.queueShrank(queued: queue[server].count, server: server))
      } catch { problem = "\(error)" }
    }
    return Event.dropped(by: queue) + news + [
      .command(.quarantineRetried(id: id, records: records, problem: problem))
    ]
  }

  func answer(request: Int, _ answer: LocateAnswer) { answered(request, answer) }
}
