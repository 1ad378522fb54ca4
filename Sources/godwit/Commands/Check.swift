import ArgumentParser
import Glibc
import TrackerCore
import TrackerIO

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say whether a settings file is fine.",
    discussion: "Exits with 0 when it is, with 78 when it has problems, with 66 when it cannot be read.")

  @Argument(help: "The settings file.")
  var file = SettingsLocation.standard

  func run() throws {
    let settings = try SettingsLocation.read(file)
    let fences = try GeofencesFile.read(settings.geofencesFile)
    print("\(file): fine")
    for note in settings.notes { print("    note: \(note)") }
    print(Self.summary(of: settings, fences: fences.count), terminator: "")
  }

  /// Why a schedule rule is malformed; nil when it is fine.
  static func scheduleFlaw(_ rule: String) -> String? { Schedule.check(rule) }

  private static func summary(of settings: Settings, fences: Int) -> String {
    let device = settings.deviceID.isEmpty ? "named by the machine id" : SettingText.quoted(settings.deviceID)
    let rules = settings.schedule.isEmpty ? "always" : settings.schedule.joined(separator: "; ")
    let server = (try? ServerURL(settings.sync.url))?.host ?? "none: everything stays in the queue"
    let also = settings.others.map {
      "\n    also      \($0.name): \((try? ServerURL($0.sync.url))?.host ?? "")"
    }.joined()
    return """
        device    \(device)
        schedule  \(rules)
        server    \(server)\(also)
        geofences \(fences)

      """
  }
}

extension SettingsFileError {
  var exitCode: Int32 {
    switch self {
    case .cannotRead, .tooLarge, .notAFile: EX_NOINPUT
    case .invalid: EX_CONFIG
    }
  }
}
