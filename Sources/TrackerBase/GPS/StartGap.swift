public enum StartGap: String, FigureChoice {
  /// The orbits that it has received are good: each is for 4 hours (IS-GPS-200, 20.3.4.4), half over on average.
  case hours = "under_2_h"
  /// It receives them anew, and knows where and when to look for satellites.
  case days = "under_7_d"
  /// Or nobody knows how long, as after a start of the agent.
  case longer

  package init(_ gap_ms: Int64?) {
    switch gap_ms ?? .max {
    case ..<7_200_000: self = .hours
    case ..<604_800_000: self = .days
    default: self = .longer
    }
  }
}
