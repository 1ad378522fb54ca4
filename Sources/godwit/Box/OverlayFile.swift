import TrackerBase
import TrackerCore
import TrackerIO
import TrackerRemote
import TrackerWire

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
