import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO

/// What is done with recorded drives away from the vehicle.
@main
struct Lab: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "godwit-lab", abstract: "Godwit's laboratory: settings tried on recorded drives.",
    version: Version.text, subcommands: [Simulate.self])

  static func main() {
    ProcessLimits.fillStandardDescriptors()
    ProcessLimits.ignoreFileSizeSignal()
    ProcessLimits.watchStandardOutput()
    main(nil)
  }
}

extension ExitReason {
  /// Says why on standard error and gives the code to throw.
  func exit(_ message: String) -> ExitCode {
    say(message)
    return ExitCode(rawValue)
  }
}

extension CompletionKind {
  /// A settings file, wherever it lies.
  static let settings = CompletionKind.file(extensions: ["toml"])
}
