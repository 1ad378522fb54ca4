import Glibc

/// Why a command ends, as sysexits(3) numbers it.
public enum ExitReason: Int32, Sendable {
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

  /// On standard error.
  public func say(_ message: String) { Terminal.error("godwit: \(message)\n") }
}

/// Standard output and standard error of a command.
public enum Terminal {
  /// False for what must go on whoever reads: the agent, and what switches the GPS off after it. Set once, by the
  /// command's one thread, before anything is written.
  nonisolated(unsafe) private static var waits = true

  /// From now on nothing that is written waits for its reader; at the end of the process a second at most.
  public static func neverWait() {
    waits = false
    ProcessLimits.ignorePipeSignal()
    atexit {
      TextOutput.standardOutput.finish(within_ms: 1000)
      TextOutput.standardError.finish(within_ms: 1000)
    }
  }

  public static func error(_ text: String) {
    guard waits else { return TextOutput.standardError.write(text.utf8) }
    _ = writeAll(text.utf8, to: STDERR_FILENO)
  }

  /// Where standard output takes nothing more, the end of the process reports it.
  public static func print(_ text: String) {
    guard waits else { return TextOutput.standardOutput.write(text.utf8) }
    ProcessLimits.writeToStandardOutput(text)
  }
}
