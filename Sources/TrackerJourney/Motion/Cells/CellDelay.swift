import TrackerBase

/// How soon after a departure the modem shows a cell that the parking place had not shown: learned of this vehicle's
/// own departures.
///
/// A mean waiting time with waits that had no end: the whole time waited by how often it was told (the estimate of the
/// exponential distribution from censored samples). A modem that never tells is soon relied on for nothing, and one
/// that is not yet known for little.
struct CellDelay: Equatable, Sendable {
  /// Departures that were told. Older ones count for less.
  private(set) var told = 0.0
  /// Seconds from departures until they were told, or until the trips ended untold.
  private(set) var waited_s = 0.0

  /// As much experience is supposed.
  static let supposedTold = 1.0
  static let supposedWaited_s = 600.0
  /// What a departure counts after the next one: some fifty are remembered.
  static let fading = 0.98
  /// Longer waits say no more.
  static let mostWait_s = 3600.0

  init() {}

  init(told: Double, waited_s: Double) { (self.told, self.waited_s) = (told, waited_s) }

  var mean_s: Double { (waited_s + CellDelay.supposedWaited_s) / (told + CellDelay.supposedTold) }

  mutating func waited(_ seconds: Double, isTold: Bool) {
    told = told * CellDelay.fading + (isTold ? 1 : 0)
    waited_s = waited_s * CellDelay.fading + max(0, min(seconds, CellDelay.mostWait_s))
  }
}
