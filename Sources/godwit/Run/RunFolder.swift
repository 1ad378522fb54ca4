import Glibc
import TrackerCore
import TrackerIO

/// `run.directory`, where others find the agent: the control socket, the status, and what `godwit power off` needs.
///
/// It may be full, or removed while the agent runs. Then the agent goes on without, says so, and puts everything back
/// as soon as it can.
final class RunFolder {
  private let directory: String
  private let control: Control
  private let troubles: HostTroubles
  private let log: Log
  private let clock_ms: () -> Int64
  private let note: () throws(HostError) -> Void
  private var problem: String?
  private var triedAt_ms: Int64 = .min / 2

  /// After a failure everything but the status is tried again so often.
  static let retry_ms: Int64 = 5000

  init(
    _ settings: Settings, control: Control, troubles: HostTroubles, log: Log,
    clock_ms: @escaping () -> Int64 = { HostClock.now().boot_ms }
  ) {
    directory = settings.run.directory
    note = { () throws(HostError) in try PowerNote.write(settings) }
    (self.control, self.troubles, self.log, self.clock_ms) = (control, troubles, log, clock_ms)
  }

  /// Everything but the status, which is not known yet.
  func begin() { report { try self.putBack() } }

  /// Replaces the status, and puts back what is missing.
  func publish(_ status: String) {
    report {
      let now_ms = clock_ms()
      if now_ms - triedAt_ms >= RunFolder.retry_ms {
        triedAt_ms = now_ms
        try putBack()
      }
      try StatusFile.write(directory + "/status.json", status + "\n")
    }
  }

  private func putBack() throws {
    if access(directory, F_OK) != 0 { mkdir(directory, 0o755) }
    if access(PowerNote.path(in: directory), F_OK) != 0 { try note() }
    try control.listenAgain()
  }

  /// Tells of each problem once, and of its end.
  private func report(_ work: () throws -> Void) {
    do {
      try work()
      if problem != nil { log.write(.notice, "\(directory) is as it should be again") }
      problem = nil
    } catch {
      let words = "\(error)"
      if words != problem {
        troubles.tell(.runFolder("\(words); the agent goes on without it, and tries again"))
      }
      problem = words
    }
  }
}
