/// A GPIO line that the agent listens to.
public struct InputLineSettings: Equatable, Sendable {
  public enum Bias: String, SettingChoice {
    case asIs = "as_is"
    case pullUp = "pull_up"
    case pullDown = "pull_down"
    case none
  }

  public var chip: String
  public var line: String
  public var activeLow: Bool
  public var bias = Bias.asIs
  public var debounce_ms: Double

  public var exists: Bool { !line.isEmpty }
}
