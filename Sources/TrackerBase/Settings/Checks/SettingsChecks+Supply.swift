/// What the voltages of `[battery]` must be to each other.
extension SettingsReader {
  mutating func checkSupply() {
    checkCharging()
    let battery = settings.battery
    let keys = ["lost_below_v", "low_v", "hysteresis_v"].map { "battery.\($0)" }
    guard battery.lostBelow_v > 0, !keys.contains(where: hasProblem) else { return }
    let low = written(keys[1], battery.low_v)
    if battery.lostBelow_v >= battery.low_v {
      refuse(
        keys[0],
        "must be below \(low): a battery that is merely low would count as a cable that is cut")
    } else if battery.lostBelow_v + battery.hysteresis_v > battery.low_v + 1e-9 {
      let hysteresis = written(keys[2], battery.hysteresis_v)
      refuse(
        keys[0],
        "and \(hysteresis) above it must not be more than \(low): the supply would count as lost until the battery is no longer low"
      )
    }
  }

  private mutating func checkCharging() {
    let battery = settings.battery
    let keys = ["charging_above_v", "low_v", "hysteresis_v"].map { "battery.\($0)" }
    guard battery.chargingAbove_v > 0, !keys.contains(where: hasProblem) else { return }
    guard battery.chargingAbove_v - battery.hysteresis_v < battery.low_v - 1e-9 else { return }
    let (low, hysteresis) = (written(keys[1], battery.low_v), written(keys[2], battery.hysteresis_v))
    refuse(
      keys[0],
      "and \(hysteresis) below it must not be less than \(low): a charge would not be over before the battery is low"
    )
  }
}
