/// What the module last needed from power-on to the first fix, by the age of the fix before it: what it still knew
/// at that power-on decides.
public struct StartTimes: Equatable, Sendable {
  public enum Gap: String, CaseIterable, Sendable {
    /// The orbits that it has received are good: each is for 4 hours (IS-GPS-200, 20.3.4.4), half over on average.
    case hours = "under_2_h"
    /// It receives them anew, and knows where and when to look for satellites.
    case days = "under_7_d"
    /// Or nobody knows how long, as after a start of the agent.
    case longer

    init(_ gap_ms: Int64?) {
      switch gap_ms ?? .max {
      case ..<7_200_000: self = .hours
      case ..<604_800_000: self = .days
      default: self = .longer
      }
    }
  }

  private var measured_ms: [Gap: Int64] = [:]
  private var last_ms: Int64?

  public init() {}

  public subscript(gap: Gap) -> Int64? { measured_ms[gap] }

  public mutating func note(_ needed_ms: Int64, after gap: Gap) {
    measured_ms[gap] = needed_ms
    last_ms = needed_ms
  }

  /// What such a start is expected to need: what one needed before, else what the last of any kind did; nil before
  /// the first.
  public func expected_ms(after gap: Gap) -> Int64? { measured_ms[gap] ?? last_ms }
}
