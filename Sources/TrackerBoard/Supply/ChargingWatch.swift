import TrackerBase

/// Whether something charges the vehicle's battery, as the alternator does once the engine runs.
package struct ChargingWatch: Equatable, Sendable {
  private let settings: BatterySettings
  /// nil: nobody has said.
  private(set) var isCharging: Bool?

  init(settings: BatterySettings) { self.settings = settings }

  mutating func adopt(_ settings: BatterySettings) {
    if settings != self.settings { self = ChargingWatch(settings: settings) }
  }

  /// - Returns: whether a charge has begun. The first voltage of all is no rise.
  package mutating func read(_ volts: Double) -> Bool {
    guard settings.chargingAbove_v > 0 else { return false }
    let before = isCharging
    let isNow = volts > settings.chargingAbove_v - (before == true ? settings.hysteresis_v : 0)
    isCharging = isNow
    return isNow && before == false
  }

  /// What it was meanwhile nobody knows.
  package mutating func failed() { isCharging = nil }
}
