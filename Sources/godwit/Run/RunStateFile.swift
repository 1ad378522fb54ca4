import TrackerAgent
import TrackerCore
import TrackerIO

/// What outlives the process, in a file beside the queue and not in it: a queue that is damaged or removed forgets
/// no pause.
final class RunStateFile: RunStatePort {
  private(set) var runState: RunState
  private var asFound: RunState
  /// Why it could not be read or saved, in words for operators.
  private(set) var problem: String?
  private let path: String

  /// Reads it. The process' lock is to be held.
  init(queuePath: String) {
    path = RunStateFile.path(besideQueue: queuePath)
    let boot = (HostClock.bootID(), HostClock.now().boot_ms)
    do {
      runState = RunState(try DurableFile.read(path), bootID: boot.0, at: boot.1)
      if runState.isUnreadable { problem = "\(path) is not as this program writes it; is it another one's?" }
    } catch {
      runState = RunState(bootID: boot.0, at: boot.1)
      problem = "\(error)"
    }
    asFound = runState
  }

  static func path(besideQueue path: String) -> String { path + ".standing" }

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
  func ask(_ request: Intents.Request) throws {
    let now = HostClock.now()
    let trusted_ms = HostClock.trusted_ms(at: now)
    runState.ask(request, trusted_ms: trusted_ms, at: now.boot_ms)
    try DurableFile.write(path, runState.text(trusted_ms: trusted_ms, at: now.boot_ms))
  }

  func save(_ text: String) -> Event? {
    do {
      try DurableFile.write(path, text)
      return nil
    } catch { return .runStateNotSaved("\(error)") }
  }

  private func save() {
    let now = HostClock.now()
    let trusted_ms = HostClock.trusted_ms(at: now)
    if case .runStateNotSaved(let words) = save(runState.text(trusted_ms: trusted_ms, at: now.boot_ms)) {
      problem = words
    }
  }
}
