import ArgumentParser
import Glibc
import TrackerBase
import TrackerJourney
import TrackerIO
import TrackerWire

struct Pause: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "No tracking: GPS off, whatever the schedule says. Sync and status go on.",
    discussion: IntentAccess.discussion)

  @Option(name: .customLong("for"), help: "For how long, such as 2h or 1h30m; else until godwit resume.")
  var length: String?
  @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard

  func run() throws {
    let length_ms = try length.map { try lengthOption_s($0) * 1000 }
    try IntentAccess.ask(.pause(length_ms: length_ms), config: config)
  }
}

struct Track: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Track now, whatever the schedule says. A pause goes before it.",
    discussion: IntentAccess.discussion)

  @Option(name: .customLong("for"), help: "For how long, such as 2h or 1h30m.") var length: String
  @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard

  func run() throws {
    try IntentAccess.ask(.track(length_ms: try lengthOption_s(length) * 1000), config: config)
  }
}

struct Resume: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "End pause and track: the schedule rules again.", discussion: IntentAccess.discussion)

  @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard

  func run() throws { try IntentAccess.ask(.resume, config: config) }
}

/// The way to the operator's intents: the running agent, or their file when none runs.
enum IntentAccess {
  static let discussion = """
    Saved before it is obeyed: it holds over crashes and reboots. Works while no agent runs, too; docs/schedule.md \
    says more.

    Exit codes: 0 done, 64 a mistake on the command line, 66 no settings file, 69 the agent does not answer, 73 it \
    cannot be saved, 75 another program holds the queue, 77 not allowed, 78 a mistake in the settings file.
    """

  static func ask(_ request: IntentWish, config: String) throws {
    let settings = try SettingsLocation.readOrLastGood(config).settings
    let zone = try SettingsLocation.zone(settings)
    let directory = settings.run.directory
    guard let answer = try AgentClient.askIfThere(IntentRequest.line(request), directory: directory),
      let status = try AgentClient.askIfThere("status", directory: directory)
    else { return try save(request, settings, zone) }
    try report(answer, status, zone)
  }

  private static func report(_ answer: String, _ status: String, _ zone: SystemZone) throws {
    let head = JSONReader.parse(Array(answer.utf8))
    if let words = head?["error"]?.string { throw ExitReason.unavailable.exit(words) }
    guard head?["ok"]?.bool == true, let text = IntentReport.text(status, zone: zone) else {
      throw ExitReason.unavailable.exit(
        "the agent's answer is not whole: it ended or is another version; ask again")
    }
    Terminal.print(text)
  }

  // MARK: Without an agent

  private static func save(_ request: IntentWish, _ settings: Settings, _ zone: SystemZone) throws {
    let path = settings.queue.path
    let folder = FolderEntry.folder(of: path)
    guard access(folder, F_OK) == 0 else {
      throw ExitReason.cannotCreate.exit(
        "there is no folder \(folder) yet: it is made when the agent first runs")
    }
    let file = try AgentUser.asOwner(of: folder) {
      do {
        // Until it is saved: no agent begins meanwhile.
        let lock = try ProcessLock(path: path + ".lock")
        return try withExtendedLifetime(lock) {
          let file = RunStateFile(queuePath: path)
          try file.ask(request)
          return file
        }
      } catch HostError.callFailed(_, EACCES, let path) {
        throw ExitReason.permission.exit("\(path ?? folder): not allowed; use sudo")
      } catch HostError.locked(let path, let pid) {
        let holder = pid.map { "process \($0)" } ?? "another process"
        throw ExitReason.secondInstance.exit(
          "\(holder) holds \(path), and no agent answers in run.directory, \(settings.run.directory): "
            + "is it only just starting? Ask again")
      } catch { throw ExitReason.cannotCreate.exit("it is not saved: \(error)") }
    }
    if let problem = file.problem { Terminal.error("godwit: what was saved before is lost: \(problem)\n") }
    Terminal.error("godwit: no agent runs; this is saved for its next start\n")
    let now = HostClock.now()
    let trusted_ms = HostClock.trusted_ms(at: now)
    Terminal.print(
      IntentReport.text(file.runState.intents.wishes(at: now.boot_ms), trusted_ms: trusted_ms, zone: zone))
  }
}
