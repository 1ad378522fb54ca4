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
    do throws(SettingsFileError) {
      let read = try SettingsFile.read(file, checkSchedule: Self.scheduleFlaw)
      let problems = read.checkFiles()
      guard problems.isEmpty else { throw .invalid(problems) }
      print("\(file): fine")
      print(Self.summary(of: read.settings), terminator: "")
    } catch {
      Terminal.error(error.description + "\n")
      throw ExitCode(error.exitCode)
    }
  }

  /// Why a schedule rule is malformed; nil when it is fine.
  static func scheduleFlaw(_ rule: String) -> String? { Schedule.check(rule) }

  private static func summary(of settings: Settings) -> String {
    let device = settings.deviceID.isEmpty ? "named by the machine id" : SettingText.quoted(settings.deviceID)
    let rules = settings.schedule.isEmpty ? "always" : settings.schedule.joined(separator: "; ")
    let server = (try? ServerURL(settings.sync.url))?.host ?? "none: everything stays in the queue"
    return """
        device    \(device)
        schedule  \(rules)
        server    \(server)

      """
  }
}

extension SettingsFileError {
  var exitCode: Int32 {
    switch self {
    case .cannotRead, .tooLarge: EX_NOINPUT
    case .invalid: EX_CONFIG
    }
  }
}
