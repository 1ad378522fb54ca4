import ArgumentParser
import Glibc
import TrackerBase
import TrackerJourney
import TrackerIO

@main
struct Godwit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "godwit", abstract: "A tracking agent for vehicles.", version: Version.text,
    subcommands: [
      Run.self, Check.self, DoctorCommand.self, Reload.self, Status.self, Sync.self, Locate.self, Pause.self,
      Resume.self,
      Track.self,
      ScheduleCommand.self,
      GeofenceCommand.self, RecordCommand.self, Simulate.self, Queue.self, ExportCommand.self,
      Power.self, SettingsCommand.self, Enrol.self,
    ])

  static func main() {
    ProcessLimits.fillStandardDescriptors()
    ProcessLimits.ignoreFileSizeSignal()
    if let words = unknownCommand(CommandLine.arguments.dropFirst()) {
      Terminal.error("godwit: \(words)\n")
      Glibc.exit(ExitReason.usage.rawValue)
    }
    ProcessLimits.watchStandardOutput()
    main(nil)
  }

  /// What is wrong with the names of commands at the beginning, in words.
  static func unknownCommand(_ arguments: some Sequence<String>) -> String? {
    var (known, path) = (configuration.subcommands, "")
    for name in arguments {
      if known.isEmpty || name.hasPrefix("-") || name == "help" { return nil }
      guard let command = known.first(where: { $0._commandName == name }) else {
        let meant = SettingNames.nearest(to: name, among: known.map { $0._commandName })
        let advice = meant.map { "did you mean godwit\(path) \($0)?" } ?? "godwit\(path) --help lists all"
        return "there is no command \(SettingText.quoted("godwit\(path) \(name)")): \(advice)"
      }
      (known, path) = (command.configuration.subcommands, "\(path) \(name)")
    }
    return nil
  }
}
