/// All settings, with their defaults. Keys carry their unit; `visit(with:)` of each group says what they mean.
public struct Settings: SettingGroup, Equatable, Sendable {
  public var deviceID = ""
  public var schedule: [String] = []
  public var timezone = ""
  public var geofencesFile = ""
  public var gps = GPSSettings()
  public var ignition = InputLineSettings(debounce_ms: 500)
  public var vibration = VibrationSettings()
  public var battery = BatterySettings()
  public var motion = MotionSettings()
  public var track = TrackSettings()
  public var queue = QueueSettings()
  public var sync = SyncSettings()
  public var clock = ClockSettings()
  public var run = RunSettings()
  /// What the files of `sync.also` say. Whoever reads the settings fills it in.
  public var others: [OtherServer] = []

  public init() {}

  public mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.text(
      "device_id", &deviceID,
      "Name of this device at the server, 1 to 128 characters. Empty: the machine id of the operating system."
    )
    visitor.texts(
      "schedule", &schedule,
      """
      When tracking is allowed; any rule that matches opens. Empty: always. At most 400 rules. `godwit schedule` shows the \
      result. Such as:
        "2-6 09:00-17:00" (1 = Sunday … 7 = Saturday), "mon-fri 09:00-17:00",
        "2026-04-15 08:00-20:00", "2026-04-15..2026-04-20 08:00-20:00", "cron 0 9 * * mon-fri for 8h"
      """)
    visitor.text(
      "timezone", &timezone,
      "Zone of the schedule's local times, an IANA name such as \"Europe/Zurich\". Empty: the system's.")
    visitor.text(
      "geofences_file", &geofencesFile,
      "GeoJSON file of the areas whose ENTER, EXIT and DWELL are told; docs/geofences.md. Empty: none.")
    gps.visit(with: &visitor)
    ignition.visitIgnition(with: &visitor)
    vibration.visit(with: &visitor)
    battery.visit(with: &visitor)
    motion.visit(with: &visitor)
    track.visit(with: &visitor)
    queue.visit(with: &visitor)
    sync.visit(with: &visitor)
    clock.visit(with: &visitor)
    run.visit(with: &visitor)
  }
}

public struct ClockSettings: Equatable, Sendable {
  public enum UnknownPolicy: String, CaseIterable, Sendable {
    case acquire, open, closed
  }

  public var whenUnknown = UnknownPolicy.acquire
  public var acquireTimeout_s = 300.0
  public var confirm_s = 90.0
  public var recheck_s = 21_600.0

  public init() {}

  mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.begin(
      group: "clock", "What to do while the time is not known: a board without RTC after a power cut.")
    visitor.choice(
      "when_clock_unknown", &whenUnknown,
      "acquire: power the GPS to learn the time. open or closed: treat the schedule as open or closed.")
    visitor.number(
      "clock_acquire_timeout_s", &acquireTimeout_s, in: 10...3600,
      "The longest time that the GPS is powered only to learn the time.")
    visitor.number(
      "confirm_s", &confirm_s, in: 0...900,
      """
      For so long the receiver must say a date that nothing else supports before it is believed, and four times as \
      long for a far jump. Until then fixes wait. 0: any date is believed after 2 s, as for recordings that are played.
      """)
    visitor.number(
      "recheck_s", &recheck_s, in: 600...86_400,
      """
      While the schedule is closed by a clock that rests on GPS alone, the GPS looks after so long whether it is \
      still right; then after twice as long, and so on up to four times as long.
      """)
    visitor.end(group: "clock")
  }
}

/// Where the running agent shows itself.
public struct RunSettings: Equatable, Sendable {
  public enum LogLevel: String, CaseIterable, Sendable, Comparable {
    case error, warning, notice, info, debug

    public static func < (a: LogLevel, b: LogLevel) -> Bool {
      allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
  }

  public var directory = "/run/godwit"
  public var logLevel = LogLevel.info

  mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.begin(group: "run", "Where the running agent shows itself.")
    visitor.text(
      "directory", &directory,
      "Folder, best in memory, of status.json and of the control socket. systemd makes /run/godwit.")
    visitor.choice("log_level", &logLevel, "The least important messages that are written to the journal.")
    visitor.end(group: "run")
  }
}

extension Settings {
  /// Every server's, the first one under the empty name.
  public var servers: [(name: String, sync: SyncSettings)] {
    [("", sync)] + others.map { ($0.name, $0.sync) }
  }
}
