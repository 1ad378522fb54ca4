import ArgumentParser
import Glibc
import TrackerBase
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
    let answer = try AgentClient.askJSON("reload", settings: running)
    if answer?["ok"]?.bool == true { return Terminal.print("the settings file is in force\n") }
    throw ExitReason.settings.exit(
      answer?["error"]?.string ?? "the agent does not know this request: restart it")
  }
}

struct Sync: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send what waits to the server now, and ask what it wants.",
    discussion: """
      Where no record waits the status goes alone: settings and commands come with the reply.

      The slow lane after 401 and 403 is left for one attempt. A wait that the server asked for, and one after another \
      failure, stays: the command says how long it lasts.

      Exit codes: 0 a request follows, 64 a mistake on the command line, 66 no settings file, 69 no agent answers, \
      75 nothing is sent now, 77 not allowed, 78 a mistake in the settings file.
      """)

  @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard

  func run() throws {
    let settings = try SettingsLocation.readOrLastGood(config).settings
    guard settings.servers.contains(where: { !$0.sync.url.isEmpty }) else {
      throw ExitReason.settings.exit(
        "sync.url is not set in \(config): set it to the server's address, such as https://fleet.example.com/v1/locations"
      )
    }
    let answer = try AgentClient.askJSON("sync", settings: settings)
    for words in answer?["held"]?.array ?? [] { Terminal.error("godwit: \(words.string ?? "")\n") }
    guard answer?["ok"]?.bool == true else { throw ExitCode(75) }
    Terminal.print("a request follows; godwit status says what became of it\n")
  }
}

struct Locate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Where is the vehicle? Powers the GPS for one good fix, and waits for it.",
    discussion: """
      Outside of windows only where gps.locate_outside_windows is set; never during a pause or in safe mode. Nothing is \
      recorded or sent.

      Exit codes: 0 a fix, 64 a mistake on the command line, 66 no settings file, 69 no agent answers, 75 no fix, \
      77 not allowed, 78 a mistake in the settings file.
      """)

  @Option(help: "For how long at most, such as 5m or 90s; 10s to 15m.") var timeout = "5m"
  @Flag(help: "As JSON.") var json = false
  @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard

  func run() throws {
    guard let timeout_s = lengthInSeconds(timeout), Command.locateTimeouts_s.contains(timeout_s) else {
      throw ExitReason.usage.exit("--timeout \"\(timeout)\" is not a length such as 5m or 90s, of 10s to 15m")
    }
    let settings = try SettingsLocation.readOrLastGood(config).settings
    let line = LocateRequest.line(timeout_s: timeout_s)
    let text = try AgentClient.ask(line, settings: settings, timeout_s: Int(timeout_s) + 20)
    let answer = JSONReader.parse(Array(text.utf8))
    if let words = answer?["error"]?.string {
      Terminal.error("godwit: \(words)\n")
      throw ExitCode(75)
    }
    guard let place = answer.flatMap(Self.words) else {
      throw ExitReason.unavailable.exit("the agent's answer is not whole: it ended meanwhile; ask again")
    }
    Terminal.print(json ? text + "\n" : place)
  }

  private static func words(_ fix: JSONValue) -> String? {
    guard let latitude = fix["latitude"]?.number, let longitude = fix["longitude"]?.number,
      let accuracy_m = fix["accuracy_m"]?.number, let time = fix["time"]?.string
    else { return nil }
    return "\(latitude) \(longitude)  within \(SettingText.number(accuracy_m.rounded(.up))) m, \(time)\n"
  }
}
