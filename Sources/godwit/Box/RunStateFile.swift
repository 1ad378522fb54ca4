import TrackerAgent
import TrackerBase
import TrackerRemote
import TrackerIO
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
    let trusted_ms = HostClock.trusted_ms(at: now)
    runState.ask(request, trusted_ms: trusted_ms, at: now.boot_ms)
    try file.write(.run, runState.saved(trusted_ms: trusted_ms, at: now.boot_ms).text)
  }

  func save(_ value: JSONValue) -> Event? {
    do {
      try file.write(.run, value.text)
      return nil
    } catch { return .runStateNotSaved("\(error)") }
  }

  private func save() {
    let now = HostClock.now()
    let trusted_ms = HostClock.trusted_ms(at: now)
    if case .runStateNotSaved(let words) = save(runState.saved(trusted_ms: trusted_ms, at: now.boot_ms)) {
      problem = words
    }
  }
}
