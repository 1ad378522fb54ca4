import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

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
