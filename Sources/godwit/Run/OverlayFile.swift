import TrackerCore
import TrackerIO
import TrackerWire

/// The server's settings on storage, in a file beside the queue: what is kept, what is on trial, what was refused.
struct OverlayFile {
  let path: String
  /// Two versions of the largest size.
  private static let mostBytes = 2 * ConfigDocument.mostBytes + 65_536

  init(queuePath: String) { path = queuePath + ".overlay" }

  /// Why it is not used.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  /// - Returns: an empty one where there is none.
  func read() throws(Problem) -> OverlayState {
    let bytes: [UInt8]
    do throws(OutsideFileError) {
      bytes = try OutsideFile.read(path, limit_bytes: OverlayFile.mostBytes)
    } catch {
      if error.isMissing { return OverlayState() }
      throw Problem(description: "\(error)")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let body = TextSum.body(of: text), let state = OverlayDocument.state(body) else {
      throw Problem(description: "\(path) is damaged, or another program's")
    }
    return state
  }

  /// On storage once this has returned.
  func write(_ state: OverlayState) throws(HostError) {
    try DurableFile.write(path, TextSum.appended(to: OverlayDocument.text(state) + "\n"))
  }

  /// The process has begun. What it does not save is not used: a trial of which nobody counts the starts might never end.
  func begin(bootID: String, at now_ms: Int64) -> Tracker.RestoredOverlay {
    var found = Tracker.RestoredOverlay()
    do throws(Problem) { found.state = try read() } catch {
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
