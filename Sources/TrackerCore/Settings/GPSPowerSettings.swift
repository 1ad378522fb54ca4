/// How the GPS module is switched on and off; docs/power.md.
public struct GPSPowerSettings: Equatable, Sendable {
  public enum Mode: String, CaseIterable, Sendable {
    case level, pulse, command, none

    public var needsLine: Bool { self == .level || self == .pulse }
  }

  public var mode = Mode.none
  public var chip = ""
  public var line = ""
  public var activeLow = false
  public var pulse_ms = 500.0
  public var statusLine = ""
  public var statusActiveLow = false
  public var statusTimeout_s = 10.0
  /// The program's path, then its arguments; `on` or `off` comes as one more.
  public var command: [String] = []
  public var settle_ms = 200.0

  /// What a command may take to switch: within the 5 s in which the GPS must be off after a window.
  public static let commandTimeout_s = 4.0

  /// The line on which a module that is switched by pulses tells whether it is on.
  public var statusInput: InputLineSettings {
    InputLineSettings(chip: chip, line: statusLine, activeLow: statusActiveLow, debounce_ms: 0)
  }

  mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.begin(group: "power", "How the GPS module is switched on and off; docs/power.md.")
    visitor.choice(
      "mode", &mode,
      """
      level: the level of a GPIO line is the power. pulse: a pulse on the line switches to and fro, and another line \
      tells the state. command: a program switches. none: the module is always powered.
      """)
    visitor.text(
      "chip", &chip,
      """
      GPIO chip by label or name, such as "pinctrl-bcm2711" or "gpiochip0". "simulated:DIRECTORY" stands for a
      board without GPIO: the line is a file in that folder that holds 0 or 1.
      """)
    visitor.text("line", &line, "Line by name or by offset, such as \"GPIO17\" or \"17\".")
    visitor.flag(
      "active_low", &activeLow, "true: the module is powered, or its key is pressed, while the line is low.")
    visitPulse(with: &visitor)
    visitor.texts(
      "command", &command,
      """
      Mode command: program with its whole path, and arguments. "on" or "off" is added; it has 4 s. It is also told \
      off what is off, and must then end with 0.
      """)
    visitor.number(
      "settle_ms", &settle_ms, in: 0...10000,
      "Time from the beginning of power-on until gpsd is asked for the module's data.")
    visitor.end(group: "power")
  }

  private mutating func visitPulse(with visitor: inout some SettingVisitor) {
    visitor.number("pulse_ms", &pulse_ms, in: 10...5000, "Mode pulse: so long the line is active.")
    visitor.text(
      "status_line", &statusLine,
      "Mode pulse: line of the same chip that is active while the module is on.")
    visitor.flag(
      "status_active_low", &statusActiveLow, "true: the module is on while the status line is low.")
    visitor.number(
      "status_timeout_s", &statusTimeout_s, in: 0.1...60,
      "After a pulse the status line must follow within so long; then another pulse is tried.")
  }
}
