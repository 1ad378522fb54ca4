import ArgumentParser
import Glibc
import TrackerAgent
import TrackerBase
import TrackerIO
import TrackerWire

struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the tracking agent in the foreground, as systemd does.",
    discussion: """
      Ends on SIGTERM or SIGINT within 10 seconds, with everything saved and the GPS off. On SIGHUP, and for `godwit reload`, the settings file is \
      read anew; one with mistakes is refused. queue.path, sync.also, run.directory and how gps.power switches need a \
      restart.

      Started by root on a queue that is another user's, it becomes that user.

      It runs without what can still come: a token, the GPIO line of gps.power, the zone, the geofences, gpsd. Each is \
      reported, and tried again.

      Exit codes: 0 ended as asked, 64 a mistake on the command line, 66 no settings file and none of an earlier run, \
      71 anything else of the system, 73 the queue cannot be opened, 75 another agent runs, 77 root cannot become the \
      queue's user, 78 a mistake in the \
      settings file and no settings of an earlier run.
      """)

  @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard

  func run() throws {
    Terminal.neverWait()
    // Before anything is read or made: the service's user is to find it as this one does.
    if let settings = SettingsLocation.running(config) { try AgentUser.become(for: settings) }
    let loaded = try SettingsLocation.readOrLastGood(config, secrets: .noted)
    let settings = loaded.settings
    let log = Log(settings)
    log.write(.notice, "godwit \(Version.text), settings \(SettingsHash.of(settings))")
    for problem in loaded.unfitSecrets {
      log.write(.warning, "\(problem); until then nothing is sent with it, and everything stays in the queue")
    }
    try AgentAssembly.agent(loaded, path: config).run()
  }
}

/// The laboratory is a program and a package of its own: the box carries none of it.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what settings would have done on a recorded drive (package godwit-lab).",
    discussion: """
      Runs godwit-lab simulate with the same options; docs/simulate.md explains them.

      Exit codes: those of godwit-lab simulate: 0 done, 64 a mistake on the command line, 66 a file that cannot be read, \
      69 godwit-lab is not installed, 73 a report that cannot be written, 78 a mistake in the settings.
      """)

  @Argument(parsing: .captureForPassthrough) var options: [String] = []

  func run() throws {
    let words = ["godwit-lab", "simulate"] + options
    let beside = Simulate.beside()
    var arguments = words.map { strdup($0) } + [nil]
    if let beside { execv(beside, &arguments) }
    execvp("godwit-lab", &arguments)
    throw errno == ENOENT
      ? ExitReason.unavailable.exit("godwit-lab is not installed: sudo apt install godwit-lab")
      : ExitReason.system.exit("godwit-lab cannot be run: \(String(cString: strerror(errno)))")
  }

  /// The one that was built or installed with this program.
  private static func beside() -> String? {
    guard let found = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(found) }
    let path = String(cString: found)
    return path.lastIndex(of: "/").map { path[...$0] + "godwit-lab" }
  }
}
