import ArgumentParser
import Glibc

/// Why the command ends, as sysexits(3) numbers it.
enum ExitReason: Int32 {
  case usage = 64
  /// What was typed is not what was asked for.
  case notConfirmed = 65
  case noInput = 66
  /// The agent is there and does not answer.
  case unavailable = 69
  case system = 71
  /// A file that is to be written cannot be: the queue, a report.
  case cannotCreate = 73
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
  static func error(_ text: String) { write(text, to: STDERR_FILENO) }
  static func print(_ text: String) { write(text, to: STDOUT_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        return
      }
      rest = rest.dropFirst(written)
    }
  }
}
