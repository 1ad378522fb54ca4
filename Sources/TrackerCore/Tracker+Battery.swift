import TrackerBase
import TrackerBoard

/// The board's supply; the vehicle's battery, and what its voltage makes rarer.
extension Tracker {
  var battery: BatteryWatch { supply.battery }

  mutating func batteryRead(_ volts: Double, at now: Moment) {
    positionsGet(volts)
    if supply.charging.read(volts) {
      log(.info, "the battery is being charged")
      journey.signOfLife(.voltage, at: time(now))
    }
    if let change = supply.external.read(volts) { supplyChanged(change, at: now) }
    guard supply.battery.read(volts, at: now.boot_ms) else { return }
    pace(at: now)
    let (tenths_v, factor) = (Resolution.tenths(volts), Resolution.tenths(battery.factor))
    if battery.isLow {
      let times = SettingText.number(settings.battery.lowFactor)
      warn(.batteryLow, at: now, "\(words(volts)): probes and sync \(times) times as far apart")
      recordNews(.warning(.batteryLow(volts: tenths_v, factor: factor)), at: now)
    } else {
      log(.notice, "\(words(volts)): probes and sync as set again")
      recordNews(.status(.batteryGood(volts: tenths_v, factor: factor)), at: now)
    }
    statusWanted(at: now)
  }

  /// Every machine that waits by itself.
  mutating func pace(at now: Moment) {
    let paced = settings.abroad(modems.isRoaming).paced(by: battery.factor)
    journey.pace(paced.motion, at: now.boot_ms)
    dispatch.pace(paced, isRoaming: modems.isRoaming)
    dispatch.keepBudget(trusted_ms: receiver.trusted_ms(at: now), at: now.boot_ms)
  }

  mutating func undervoltage(_ isLow: Bool, at now: Moment) {
    isUndervoltage = isLow
    guard isLow else { return log(.notice, "the supply voltage is good again") }
    warn(
      .undervoltage, at: now, "the supply voltage is too low: look at the wiring and the vehicle's battery")
    hurry(at: now)
  }

  mutating func batteryFailed(_ words: String, at now: Moment) {
    positionsGet(nil)
    warn(.battery, at: now, "battery.voltage_file: \(words)")
    supply.external.voltageFailed()
    supply.charging.failed()
    if supply.battery.failed() { pace(at: now) }
  }

  /// - Parameter volts: nil where they cannot be read.
  private mutating func positionsGet(_ volts: Double?) { journey.batteryRead(volts) }

  private func words(_ volts: Double) -> String {
    let tenths = SettingText.number((volts * 10).rounded() / 10)
    return "the battery is \(battery.isLow ? "low" : "good again"), \(tenths) V"
  }
}
