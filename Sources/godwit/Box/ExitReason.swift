import ArgumentParser
import TrackerIO

extension ExitReason {
  /// Says why on standard error and gives the code to throw.
  func exit(_ message: String) -> ExitCode {
    say(message)
    return ExitCode(rawValue)
  }
}
