import ArgumentParser
import TrackerBase
import TrackerIO

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Write what gpsd sends into a new file that simulate reads.",
    discussion: """
      Beside a running agent or without one, until Ctrl-C or the end of --for. The GPS is not switched: with an agent \
      it has power when that wants it (godwit track --for 2h). gpsd may come and go. The file holds places, and only its \
      owner may read it; - is standard output.

      Exit codes: 0 done, 64 a mistake on the command line, 69 gpsd sent no report of a position, 71 anything else of \
      the system, 73 the file cannot be written, or is there already, 78 a mistake in the settings file.
      """)

  @Argument(help: "The new file, or -.", completion: .file()) var file: String
  @Option(name: .customLong("for"), help: "For how long, such as 2h or 1h30m; else until Ctrl-C.")
  var length: String?
  @Option(
    help: "Settings file, for where gpsd is. Default: that of this machine, or port 2947 here.",
    completion: .settings)
  var config: String?

  func run() throws {
    let length_s = try length.map { text in
      guard let length_s = lengthInSeconds(text) else {
        throw ExitReason.usage.exit(
          "--for \"\(text)\" is not a length such as 2h, 45m or 1h30m, of at most 8784h")
      }
      return length_s
    }
    let gps = try RecordCommand.settings(config).gps
    let file = try RecordedFile(file)
    let recorder: Recorder
    do { recorder = try Recorder(gps, into: file, name: self.file) } catch {
      throw ExitReason.system.exit("\(error)")
    }
    try recorder.run(for: length_s)
  }

  /// A desk has no settings file, and mostly a gpsd.
  private static func settings(_ path: String?) throws -> Settings {
    if let path { return try SettingsLocation.readOrLastGood(path).settings }
    return SettingsLocation.running(SettingsLocation.standard) ?? Settings()
  }
}
