import TrackerBase

/// Whether the vehicle's battery is low, by a voltage that is read now and then. On the boot clock.
package struct BatteryWatch: Equatable, Sendable {
  private var settings: BatterySettings
  /// As read last; nil while it cannot be read.
  package private(set) var volts: Double?
  package private(set) var isLow: Bool
  /// The voltage says otherwise since then.
  private var otherwiseSince_ms: Int64?

  /// That it was low before the restart was reported, and so its recovery is to be.
  init(settings: BatterySettings, saved: SavedState) {
    self.settings = settings
    isLow = settings.exists && saved.value("battery_low") == true
  }

  mutating func adopt(_ settings: BatterySettings) {
    self.settings = settings
    if !settings.exists { (volts, isLow, otherwiseSince_ms) = (nil, false, nil) }
  }

  /// How many times as long the pauses are.
  package var factor: Double { isLow ? settings.lowFactor : 1 }

  /// - Returns: whether `isLow` has changed.
  package mutating func read(_ volts: Double, at now_ms: Int64) -> Bool {
    self.volts = volts
    let saysLow = volts < settings.low_v + (isLow ? settings.hysteresis_v : 0)
    guard saysLow != isLow else {
      otherwiseSince_ms = nil
      return false
    }
    let since_ms = otherwiseSince_ms ?? now_ms
    otherwiseSince_ms = since_ms
    guard now_ms - since_ms >= milliseconds(settings.settle_s) else { return false }
    (isLow, otherwiseSince_ms) = (saysLow, nil)
    return true
  }

  /// Nobody knows: it does not count as low. - Returns: whether `isLow` has changed.
  package mutating func failed() -> Bool {
    defer { (volts, isLow, otherwiseSince_ms) = (nil, false, nil) }
    return isLow
  }
}
