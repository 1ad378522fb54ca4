import ArgumentParser
import TrackerIO
import TrackerWire

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
    let answer = JSONReader.parse(Array(try AgentClient.ask("sync", settings: settings).utf8))
    for words in answer?["held"]?.array ?? [] { Terminal.error("godwit: \(words.string ?? "")\n") }
    guard answer?["ok"]?.bool == true else { throw ExitCode(75) }
    Terminal.print("a request follows; godwit status says what became of it\n")
  }
}
