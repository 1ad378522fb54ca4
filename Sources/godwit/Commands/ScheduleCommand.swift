import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

struct ScheduleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule",
    abstract: "Print the windows in which tracking is allowed.",
    discussion: """
      Each window in local time and UTC with its length, the changes of the clock, and the sum. docs/schedule.md has the \
      rules.


      Exit codes: 0 printed, 64 a mistake on the command line, 66 no settings file, 78 a mistake in it.
      """)

  @Option(help: "Settings file with the schedule and the zone.", completion: .settings)
  var config = SettingsLocation.standard

  @Option(
    name: .customLong("rule"),
    help: "Try this rule instead of the file's, such as \"mon-fri 09:00-17:00\". May be repeated.")
  var rules: [String] = []

  @Option(help: "Zone of the local times, an IANA name such as Europe/Zurich. Default: the file's.")
  var timezone: String?

  @Option(help: "How many days to print, 1...366.")
  var days = 14

  @Option(help: "Where to begin, such as 2026-03-28 or 2026-03-28T12:00+01:00. Default: now.")
  var from: String?

  @Flag(help: "Print the windows as JSON, in UTC.") var json = false

  func validate() throws {
    guard (1...366).contains(days) else { throw ValidationError("--days \(days) is not in 1...366") }
  }

  func run() throws {
    let settings = try settings()
    if rules.isEmpty { Self.noteOverlay(settings) }
    let zone: SystemZone
    let schedule: Schedule
    do {
      zone = try SystemZone(timezone ?? settings.timezone)
      schedule = try Schedule(rules: rules.isEmpty ? settings.schedule : rules)
    } catch {
      // Of the file, or of the command line.
      let isOfFile = rules.isEmpty && timezone == nil
      throw isOfFile ? ExitReason.settings.exit("\(config): \(error)") : ExitReason.usage.exit("\(error)")
    }
    let start_s = try start_s(in: zone)
    let report =
      json
      ? ScheduleReport.json(schedule: schedule, zone: zone, zoneName: zone.name, from_s: start_s, days: days)
        + "\n"
      : ScheduleReport.text(schedule: schedule, zone: zone, zoneName: zone.name, from_s: start_s, days: days)
    for note in Schedule.notes(on: rules.isEmpty ? settings.schedule : rules) {
      Terminal.error("godwit: \(note)\n")
    }
    print(report, terminator: "")
  }

  /// With rules on the command line no file is needed; where there is one, its zone counts.
  private func settings() throws -> Settings {
    if rules.isEmpty { return try SettingsLocation.readOrLastGood(config).settings }
    return timezone == nil ? SettingsLocation.running(config) ?? Settings() : Settings()
  }

  /// What the server has set is of this machine; the file may be another one's.
  private static func noteOverlay(_ settings: Settings) {
    let found = try? OverlayFile(queuePath: settings.queue.path).read()
    guard let overlay = found?.wanted, overlay.settings.contains(where: { $0.path == ["schedule"] }) else {
      return
    }
    Terminal.error(
      "godwit: this is the file's; the server has set another schedule (godwit settings --effective)\n")
  }

  private func start_s(in zone: SystemZone) throws -> Int64 {
    guard let from else { return Int64(time(nil)) / 60 * 60 }
    guard let start = ScheduleReport.instant(from, in: zone) else {
      throw ExitReason.usage.exit(
        "--from \"\(from)\" is not a time such as 2026-03-28 or 2026-03-28T12:00+01:00")
    }
    return start
  }
}
