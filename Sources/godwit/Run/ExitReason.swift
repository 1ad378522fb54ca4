import ArgumentParser
import Glibc
import TrackerIO

/// Why the command ends, as sysexits(3) numbers it.
enum ExitReason: Int32 {
  /// Something that was looked at is not well.
  case failed = 1
  case usage = 64
  /// What was typed is not what was asked for.
  case notConfirmed = 65
  case noInput = 66
  /// The agent is there and does not answer.
  case unavailable = 69
  case system = 71
  /// A file that is to be written cannot be: the queue, a report.
  case cannotCreate = 73
  /// Standard output could not be written.
  case output = 74
  case secondInstance = 75
  case permission = 77
  case settings = 78

  /// Says why on standard error and gives the code to throw.
  func exit(_ message: String) -> ExitCode {
    Terminal.error("godwit: \(message)\n")
    return ExitCode(rawValue)
  }
}

enum Terminal {
  /// False for what must go on whoever reads: the agent, and what switches the GPS off after it. Set once, by the
  /// command's one thread, before anything is written.
  nonisolated(unsafe) private static var waits = true

  /// From now on nothing that is written waits for its reader; at the end of the process a second at most.
  static func neverWait() {
    waits = false
    ProcessLimits.ignorePipeSignal()
    atexit {
      TextOutput.standardOutput.finish(within_ms: 1000)
      TextOutput.standardError.finish(within_ms: 1000)
    }
  }

  static func error(_ text: String) {
    guard waits else { return TextOutput.standardError.write(text.utf8) }
    _ = writeAll(text.utf8, to: STDERR_FILENO)
  }

  /// Where standard output takes nothing more, the end of the process reports it.
  static func print(_ text: String) {
    guard waits else { return TextOutput.standardOutput.write(text.utf8) }
    ProcessLimits.writeToStandardOutput(text)
  }
}
