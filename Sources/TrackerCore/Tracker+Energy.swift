import TrackerBase
import TrackerReceiver

/// What module, modem and board have drawn.
extension Tracker {
  /// Before each event: how things stood since the one before it.
  mutating func countEnergy(trusted_ms: Int64?, at now: Moment) {
    let on = onNow
    energy.count(
      gps: on.gps, modem: on.modem, board: !sleep.isSuspended, isOpen: on.window, trusted_ms: trusted_ms,
      at: now.boot_ms)
  }

  private var onNow: (gps: Bool, modem: Bool, window: Bool) {
    (receiver.module.isOn, modems.isModemOn, receiver.window.isOpen)
  }

  func describeEnergy(_ status: inout TrackerStatus, at now: Moment) {
    let currents = settings.energy
    var figures = EnergyStatus()
    let trusted_ms = receiver.trusted_ms(at: now)
    var energy = energy
    let on = onNow
    energy.count(
      gps: on.gps, modem: on.modem, board: !sleep.isSuspended, isOpen: on.window, trusted_ms: trusted_ms,
      at: now.boot_ms)
    let left_ms = trusted_ms.map { UTCDay.left_ms(at: $0) }
    // mA times milliseconds.
    func add(
      _ part: EnergyStatus.Part, _ current_ma: Double, _ on_ms: Int64, rest_ms: Double?, asleep: Double = 0
    ) {
      guard current_ma > 0 || asleep > 0 else { return }
      let used = current_ma * Double(on_ms) + asleep
      figures.today_mah[part] = Tracker.charge_mah(used)
      if let rest_ms { figures.forecast_mah[part] = Tracker.charge_mah(used + current_ma * rest_ms) }
    }
    // To go through a day's windows may take long: only for what is wanted.
    let gpsRest_ms = currents.gps_ma > 0 ? gpsRest_ms(trusted_ms, energy.gpsShare) : nil
    add(.gps, currents.gps_ma, energy.day.gps_ms, rest_ms: gpsRest_ms)
    let modemRest_ms = left_ms.map { modems.isModemOn ? Double($0) : 0 }
    add(.modem, currents.modem_ma, energy.day.modem_ms, rest_ms: modemRest_ms)
    add(
      .board, currents.board_ma, energy.day.board_ms, rest_ms: left_ms.map { Double($0) },
      asleep: currents.boardOff_ma * Double(energy.day.asleep_ms))
    status.energy = figures == EnergyStatus() ? nil : figures
  }

  /// Milliseconds for which the module will have power until midnight.
  private func gpsRest_ms(_ trusted_ms: Int64?, _ share: Double) -> Double? {
    guard let trusted_ms else { return nil }
    let end_ms = trusted_ms + UTCDay.left_ms(at: trusted_ms)
    return receiver.window.openTime_ms(from: trusted_ms, to: end_ms).map { Double($0) * share }
  }

  /// To a tenth.
  private static func charge_mah(_ mA_ms: Double) -> Double {
    (mA_ms / 3_600_000 * 10).rounded() / 10
  }
}

extension WindowKeeper {
  /// How long the schedule is open in that time; nil while its zone cannot be read. Operators' wishes do not count.
  func openTime_ms(from from_ms: Int64, to to_ms: Int64) -> Int64? {
    if isAlwaysOpen { return to_ms - from_ms }
    return openWindows(from_s: from_ms.flooredDivision(by: 1000), to_s: to_ms.flooredDivision(by: 1000))?
      .reduce(0) { $0 + $1.length_s * 1000 }
  }
}
