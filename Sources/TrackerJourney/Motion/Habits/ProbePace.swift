import TrackerBase

/// How long to wait for the next probe.
///
/// A departure is seen half a pause late on the mean, and a probe costs what the GPS needs to answer. Of all ways to
/// spend the same probes the fewest seconds are lost where their density is proportional to the square root of the
/// chance that the vehicle leaves: where worth × rate / (2 × density) + cost × density is least.
struct ProbePace: Equatable, Sendable {
  /// Seconds of GPS that one second of unseen way is worth.
  var worth: Double
  /// What one probe costs, in seconds of GPS.
  var cost_s: Double
  /// Mean time from a departure until something else tells of it; nil: nothing does. Then the seconds lost are not half
  /// a pause, but what half a pause and this come to together, as two resistors side by side do.
  var told_s: Double?
  /// No pause is shorter, and none longer.
  var least_s: Double
  var most_s: Double

  /// In steps of so long the rate is taken as one.
  static let step_s = 300.0

  /// The pause that is right where the rate stays. - Parameter rate: departures a second.
  func pause_s(rate: Double) -> Double {
    // worth × rate × (told × pause / (2 × told + pause)) + cost / pause is least where the density is that of probes alone
    // less one in twice `told_s`.
    let density = max(0, worth * rate / (2 * cost_s)).squareRoot() - (told_s.map { 1 / (2 * $0) } ?? 0)
    return min(most_s, max(least_s, density > 0 ? 1 / density : .infinity))
  }

  /// The rate at which that pause is right.
  func rate(pause_s: Double) -> Double { 2 * cost_s / (worth * pause_s * pause_s) }

  /// The pause in which the densities of its parts add up to one probe.
  ///
  /// - Parameter rate: departures a second, so many seconds from now.
  func pause_s(rate: (Double) -> Double) -> Double {
    var (probes, at_s) = (0.0, 0.0)
    while at_s < most_s {
      let pause_s = pause_s(rate: rate(at_s))
      let rest_s = (1 - probes) * pause_s
      if rest_s <= ProbePace.step_s { return min(most_s, at_s + rest_s) }
      probes += ProbePace.step_s / pause_s
      at_s += ProbePace.step_s
    }
    return most_s
  }
}
