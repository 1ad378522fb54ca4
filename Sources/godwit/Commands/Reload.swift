import ArgumentParser
import TrackerIO
import TrackerWire

struct Reload: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Have the running agent read its settings file anew, as systemctl reload does.",
    discussion: """
      A file with mistakes is refused, and the old settings stay in force.

      Exit codes: 0 the file is in force, 64 a mistake on the command line, 66 no settings file, 69 no agent answers, \
      77 not allowed, 78 the file is refused.
      """)

  @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard

  func run() throws {
    let running = try SettingsLocation.running(config) ?? SettingsLocation.read(config).settings
    let answer = JSONReader.parse(Array(try AgentClient.ask("reload", settings: running).utf8))
    if answer?["ok"]?.bool == true { return Terminal.print("the settings file is in force\n") }
    throw ExitReason.settings.exit(
      answer?["error"]?.string ?? "the agent does not know this request: restart it")
  }
}
