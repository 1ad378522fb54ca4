/// A GPIO line that the agent listens to.
public struct InputLineSettings: Equatable, Sendable {
  public enum Bias: String, CaseIterable, Sendable {
    case asIs = "as_is"
    case pullUp = "pull_up"
    case pullDown = "pull_down"
    case none
  }

  public var chip = ""
  public var line = ""
  public var activeLow = false
  public var bias = Bias.asIs
  public var debounce_ms: Double

  public var exists: Bool { !line.isEmpty }

  mutating func visit(
    with visitor: inout some SettingVisitor, active: String, debounce: String, from least_ms: Double
  ) {
    visitor.text(
      "chip", &chip, "GPIO chip by label or name, or \"simulated:DIRECTORY\", as in gps.power.chip.")
    visitor.text(
      "line", &line, "Line by name or by offset, such as \"GPIO27\" or \"27\". Empty: no such line.")
    visitor.flag("active_low", &activeLow, "true: \(active) while the line is low.")
    visitor.choice(
      "bias", &bias, "The resistor inside the chip on this line. as_is: leave it as the board has it.")
    visitor.number("debounce_ms", &debounce_ms, in: least_ms...10000, debounce)
  }

  mutating func visitIgnition(with visitor: inout some SettingVisitor) {
    visitor.begin(
      group: "ignition",
      """
      The line that tells whether the ignition is on: it begins trips and ends them.
      Never put 12 V on a GPIO line: docs/lines.md says how to wire it.
      """)
    visit(
      with: &visitor, active: "the ignition is on",
      debounce: "A change counts once the line has been quiet for so long.", from: 0)
    visitor.end(group: "ignition")
  }
}

public struct VibrationSettings: Equatable, Sendable {
  public var input = InputLineSettings(debounce_ms: 150)
  public var edges = 5
  public var window_s = 10.0

  mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.begin(
      group: "vibration", "The line of a vibration sensor: while parked, shaking makes the GPS look at once.")
    input.visit(
      with: &visitor, active: "the sensor is shaken",
      debounce: """
        Edges that follow another one sooner count as the same knock. The line is looked at ten times a second at \
        most: less would count one knock twice.
        """, from: 150)
    visitor.integer("edges", &edges, in: 1...1000, "The vehicle is shaken when so many edges come …")
    visitor.number("window_s", &window_s, in: 1...600, "… within so long.")
    visitor.end(group: "vibration")
  }
}
