import Glibc
import TrackerBase
import TrackerIO

/// `run.directory`, where others find the agent: the control socket, the status, and what `godwit power off` needs.
///
/// It may be full, or removed while the agent runs. Then the agent goes on without, says so, and puts everything back
/// as soon as it can.
final class RunFolder {
  private let settings: Settings
  private let directory: String
  private let control: ControlSource
  private let troubles: HostProblems
  private let log: Log
  /// The note is of this agent, and not of one before it.
  private var isNoted = false
  /// Of the last attempt to put everything back.
  private var missing: String?
  /// What was reported since all was well.
  private var reported: Set<String> = []
  private var triedAt_ms: Int64 = .min / 2

  /// What is missing is looked for with each status and sign of life, but not oftener than this.
  static let retry_ms: Int64 = 5000

  init(_ settings: Settings, control: ControlSource, troubles: HostProblems, log: Log) {
    (self.settings, directory) = (settings, settings.run.directory)
    (self.control, self.troubles, self.log) = (control, troubles, log)
  }

  /// Boot time at which the process before this one last gave a sign of life; nil if it was in another boot.
  static func lastAlive_ms(in directory: String, bootID: String) -> Int64? {
    guard let text = try? DurableFile.read(directory + "/alive") else { return nil }
    let words = text.split(whereSeparator: \.isWhitespace)
    return words.count == 2 && String(words[0]) == bootID ? Int64(words[1]) : nil
  }

  /// Everything but the status, which is not known yet.
  func begin() { report(putBack()) }

  /// Replaces the status, and puts back what is missing.
  func publish(_ status: String, at now: Moment) {
    putBackInTime(at: now)
    tell(words { try StatusFile.write(directory + "/status.json", status + "\n") })
  }

  /// With each sign of life: puts back what is missing.
  ///
  /// - Parameter isNoted: it is written down as well, for the next process.
  /// - Returns: whether it was.
  func alive(at now: Moment, isNoted: Bool) -> Bool {
    putBackInTime(at: now)
    let failure =
      isNoted
      ? words { try StatusFile.write(directory + "/alive", "\(HostClock.bootID()) \(now.boot_ms)\n") } : nil
    tell(failure)
    return isNoted && failure == nil
  }

  private func putBackInTime(at now: Moment) {
    guard now.boot_ms - triedAt_ms >= RunFolder.retry_ms else { return }
    triedAt_ms = now.boot_ms
    missing = putBack()
  }

  private func tell(_ failure: String?) {
    report(missing)
    report(failure)
    if missing == nil, failure == nil, !reported.isEmpty {
      reported = []
      log.write(.notice, "\(directory) is as it should be again")
    }
  }

  /// - Returns: what went wrong.
  private func putBack() -> String? {
    words {
      if access(directory, F_OK) != 0 { mkdir(directory, 0o755) }
      if !isNoted || access(PowerNote.path(in: directory), F_OK) != 0 { try PowerNote.write(settings) }
      isNoted = true
      try control.listenAgain()
    }
  }

  private func words(_ work: () throws -> Void) -> String? {
    do {
      try work()
      return nil
    } catch { return "\(error)" }
  }

  /// Each problem once, until all is well.
  private func report(_ problem: String?) {
    guard let problem, reported.insert(problem).inserted else { return }
    troubles.report(.runFolder("\(problem); the agent goes on without it, and tries again"))
  }
}
