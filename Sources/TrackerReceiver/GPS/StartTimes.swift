import TrackerBase

/// What the module last needed from power-on to the first fix, by the age of the fix before it: what it still knew
/// at that power-on decides.
public struct StartTimes: Equatable, Sendable {
  private var measured_ms: [StartGap: Int64] = [:]
  private var last_ms: Int64?

  public init() {}

  public subscript(gap: StartGap) -> Int64? { measured_ms[gap] }

  public mutating func note(_ needed_ms: Int64, after gap: StartGap) {
    measured_ms[gap] = needed_ms
    last_ms = needed_ms
  }

  /// What such a start is expected to need: what one needed before, else what the last of any kind did; nil before
  /// the first.
  public func expected_ms(after gap: StartGap) -> Int64? { measured_ms[gap] ?? last_ms }
}
