/// How the GPS module is switched on and off; docs/power.md.
public struct GPSPowerSettings: SettingGroup {
  public enum Mode: String, SettingChoice {
    case level, pulse, command, none

    public var needsLine: Bool { self == .level || self == .pulse }
  }

  @Setting(
    "mode", restart: true,
    """
    level: the level of a GPIO line switches the module. pulse: a pulse on the line toggles it, and another \
    line reports its state. command: a program switches. none: the module is always powered.
    """)
  public var mode = Mode.none
  @Setting(
    "chip", restart: true,
    """
    GPIO chip by label or name, such as "pinctrl-bcm2711" or "gpiochip0". "header" is the one with the 40 pins
    of any Raspberry Pi, where line "17" is GPIO17. "simulated:DIRECTORY" stands for a board without GPIO: the
    line is a file in that folder that holds 0 or 1.
    """)
  public var chip = ""
  @Setting("line", restart: true, "Line by name or by offset, such as \"GPIO17\" or \"17\".")
  public var line = ""
  @Setting(
    "active_low", restart: true,
    "true: the module is powered, or its key is pressed, while the line is low.")
  public var activeLow = false
  @Setting("pulse_ms", in: 10...5000, restart: true, "Mode pulse: how long the line is active.")
  public var pulse_ms = 500.0
  @Setting(
    "status_line", restart: true,
    "Mode pulse: line of the same chip that is active while the module is on.")
  public var statusLine = ""
  @Setting("status_active_low", restart: true, "true: the module is on while the status line is low.")
  public var statusActiveLow = false
  @Setting(
    "status_timeout_s", in: 0.1...60, restart: true,
    "After a pulse the status line must follow within this time; if it does not, another pulse is tried.")
  public var statusTimeout_s = 10.0
  /// The program's path, then its arguments; `on` or `off` comes as one more.
  @Setting(
    "command", restart: true,
    """
    Mode command: program with its whole path, and arguments. "on" or "off" is added as the last argument. \
    It must end within 4 s. It may be told to switch off what is off already, and must end with 0 then too.
    """)
  public var command: [String] = []
  @Setting(
    "settle_ms", in: 0...10000,
    "Time from the beginning of power-on until gpsd is asked for the module's data.")
  public var settle_ms = 200.0

  /// What a command may take to switch: within the 5 s in which the GPS must be off after a window.
  public static let commandTimeout_s = 4.0

  /// The line on which a module that is switched by pulses reports whether it is on.
  public var statusInput: InputLineSettings {
    InputLineSettings(chip: chip, line: statusLine, activeLow: statusActiveLow, debounce_ms: 0)
  }
}
