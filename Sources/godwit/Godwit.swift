import ArgumentParser
import TrackerCore
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
    main(nil)
  }
}
