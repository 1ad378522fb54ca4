import ArgumentParser
import TrackerAgent
import TrackerCore
import TrackerIO
import TrackerWire

struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the tracking agent in the foreground, as systemd does.",
    discussion: """
      Ends on SIGTERM or SIGINT within 10 seconds, with everything saved and the GPS off. On SIGHUP the settings file is \
      read anew; one with mistakes is refused. queue.path, run.directory and how gps.power switches need a restart.

      Exit codes: 0 ended as asked, 66 no settings file and none of an earlier run, 73 the queue cannot be opened, 75 another agent runs, \
      78 a mistake in the settings file and no settings of an earlier run, or a token or key file that is missing or \
      readable by others, 71 anything else of the system.
      """)

  @Option(help: "Settings file.") var config = SettingsLocation.standard

  func run() throws {
    Terminal.neverWait()
    let loaded = try SettingsLocation.readOrLastGood(config, withSecrets: true)
    let settings = loaded.settings
    Log(settings).write(.notice, "godwit \(Version.text), settings \(SettingsHash.of(settings))")
    try AgentAssembly.agent(loaded, path: config).run()
  }
}
