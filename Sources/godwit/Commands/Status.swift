import ArgumentParser
import Glibc
import TrackerCore
import TrackerIO
import TrackerWire

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what the running agent is doing.",
    discussion:
      "Exit codes: 0 shown, 66 no settings file, 69 no agent answers, 78 a mistake in the settings file.")

  @Option(help: "Settings file.") var config = SettingsLocation.standard
  @Flag(help: "The status document as JSON.") var json = false
  @Flag(help: "Show it again every second.") var watch = false

  func run() throws {
    let settings = try SettingsLocation.readOrLastGood(config).settings
    repeat {
      let text = try AgentClient.ask("status", settings: settings)
      if watch, !json { Terminal.print("\u{1B}[2J\u{1B}[H") }
      Terminal.print(json ? text + "\n" : StatusReport.text(text))
      if watch { sleep(1) }
    } while watch
  }
}

enum AgentClient {
  /// One question to the running agent.
  static func ask(_ line: String, settings: Settings) throws -> String {
    do { return try ControlClient.ask(directory: settings.run.directory, line: line) } catch {
      Terminal.error("godwit: no agent answers in \(settings.run.directory): \(error)\n")
      throw ExitCode(69)
    }
  }
}
