/// All settings, with their defaults. Keys carry their unit.
public struct Settings: SettingGroup {
  @Setting(
    "device_id",
    """
    Name of this device at the server, 1 to 128 characters. Empty: the machine id of the operating system, or without \
    one a name that the agent makes and keeps; with a card that has come from another board, digits of the board's own \
    follow it (docs/queue.md, The device's name).
    """)
  public var deviceID = ""
  @Setting(
    "schedule", remote: true,
    """
    When tracking is allowed; any rule that matches opens. Empty: always. At most 400 rules. `godwit schedule`
    shows the result. Such as:
      "2-6 09:00-17:00" (1 = Sunday … 7 = Saturday), "mon-fri 09:00-17:00",
      "2026-04-15 08:00-20:00", "2026-04-15..2026-04-20 08:00-20:00", "cron 0 9 * * mon-fri for 8h"
    """)
  public var schedule: [String] = []
  @Setting(
    "timezone",
    "Zone of the schedule's local times, an IANA name such as \"Europe/Zurich\". Empty: the system's.")
  public var timezone = ""
  @Setting(
    "geofences_file",
    "GeoJSON file of the areas whose ENTER, EXIT and DWELL are reported; docs/geofences.md. Empty: none.")
  public var geofencesFile = ""
  @Group("gps", "The GPS module behind gpsd.")
  public var gps = GPSSettings()
  @Group(
    "ignition",
    """
    The line that reports whether the ignition is on: it begins trips and ends them. Never put 12 V on a GPIO
    line: docs/lines.md says how to wire it.
    """)
  public var ignition = IgnitionSettings()
  @Group("vibration", "The line of a vibration sensor: while parked, shaking makes the GPS look at once.")
  public var vibration = VibrationSettings()
  @Group(
    "accelerometer",
    """
    An accelerometer on the board: it notices that a parked vehicle is used, towed or lifted, and it \
    notices crashes. docs/lines.md.
    """
  )
  public var accelerometer = AccelerometerSettings()
  @Group("battery", "Probes and requests become rarer while the vehicle's battery is low; docs/power.md.")
  public var battery = BatterySettings()
  @Group(
    "external_power",
    """
    The line that reports whether the vehicle's supply is connected, for boards that have a battery of their own; \
    docs/power.md. Never put 12 V on a GPIO line: docs/lines.md says how to wire it.
    """)
  public var externalPower = ExternalPowerSettings()
  @Group("energy", "Currents, from which the status computes the charge that the parts draw; docs/power.md.")
  public var energy = EnergySettings()
  @Group("host", "The board itself.")
  public var host = HostSettings()
  @Group("motion", "When the vehicle counts as moving, and how it is watched while parked.")
  public var motion = MotionSettings()
  @Group("track", "Which fixes of a trip are kept.")
  public var track = TrackSettings()
  @Group("queue", "The records that wait for the server, in an SQLite file.")
  public var queue = QueueSettings()
  @Group("sync", "How records reach the server.")
  public var sync = SyncSettings()
  @Group("clock", "What to do while the time is not known: a board without RTC after a power cut.")
  public var clock = ClockSettings()
  @Group("run", "Where the running agent shows itself.")
  public var run = RunSettings()
  /// What the files of `sync.also` say. Whoever reads the settings fills it in.
  public var others: [OtherServer] = []

  public init() {}
}

extension Settings {
  /// Every server's, the first one under the empty name.
  public var servers: [(name: String, sync: SyncSettings)] {
    [("", sync)] + others.map { ($0.name, $0.sync) }
  }
}
