import TrackerBase

/// What module, modem and board have drawn.
package struct Energy: Part {
  private(set) var ledger: EnergyLedger
  private var currents: EnergySettings
  private var schedule: Schedule
  private var zone: (any ZoneRules)?
  private let bootID: String

  package init(_ configuration: Configuration, saved: SavedState, bootID: String, at now_ms: Int64) {
    ledger = EnergyLedger(saved: saved.value("energy"), bootID: bootID, at: now_ms)
    self.bootID = bootID
    currents = configuration.settings.energy
    (schedule, zone) = (configuration.schedule, configuration.zone)
  }

  package mutating func adopt(_ configuration: Configuration, at now: Moment) {
    currents = configuration.settings.energy
    (schedule, zone) = (configuration.schedule, configuration.zone)
  }

  /// It comes first: what was on since the event before is still known.
  package mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]? {
    ledger.count(facts, at: now.boot_ms)
    return nil
  }

  package mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]? {
    if case .slept(let length_ms, let until_ms) = news, let trusted_ms = facts.trusted_ms {
      ledger.slept(length_ms, until_ms: until_ms, trusted_ms: trusted_ms)
    }
    return nil
  }

  package func save(to commit: inout Commit, _ facts: Facts, at now: Moment) {
    // Without a current it is not shown.
    if currents.hasCurrents { commit.set("energy", ledger.saved(bootID: bootID)) }
  }

  package static var kinds: SavedKinds { ["energy": SavedEnergy.self] }

  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {
    var figures = EnergyStatus()
    var ledger = ledger
    ledger.count(facts, at: now.boot_ms)
    let left_ms = facts.trusted_ms.map { UTCDay.left_ms(at: $0) }
    // mA times milliseconds.
    func add(
      _ part: EnergyStatus.Consumer, _ current_ma: Double, _ on_ms: Int64, rest_ms: Double?,
      asleep: Double = 0
    ) {
      guard current_ma > 0 || asleep > 0 else { return }
      let used = current_ma * Double(on_ms) + asleep
      figures.today_mah[part] = Energy.charge_mah(used)
      if let rest_ms { figures.forecast_mah[part] = Energy.charge_mah(used + current_ma * rest_ms) }
    }
    // To go through a day's windows may take long: only for what is wanted.
    let gpsRest_ms = currents.gps_ma > 0 ? gpsRest_ms(facts.trusted_ms, ledger.gpsShare) : nil
    add(.gps, currents.gps_ma, ledger.day.gps_ms, rest_ms: gpsRest_ms)
    let modemRest_ms = left_ms.map { facts.isModemOn ? Double($0) : 0 }
    add(.modem, currents.modem_ma, ledger.day.modem_ms, rest_ms: modemRest_ms)
    add(
      .board, currents.board_ma, ledger.day.board_ms, rest_ms: left_ms.map { Double($0) },
      asleep: currents.boardOff_ma * Double(ledger.day.asleep_ms))
    status.energy = figures == EnergyStatus() ? nil : figures
  }

  /// Milliseconds for which the module will have power until midnight. Operators' wishes do not count.
  private func gpsRest_ms(_ trusted_ms: Int64?, _ share: Double) -> Double? {
    guard let trusted_ms else { return nil }
    let end_ms = trusted_ms + UTCDay.left_ms(at: trusted_ms)
    if schedule.isAlwaysOpen { return Double(end_ms - trusted_ms) * share }
    guard let zone else { return nil }
    let windows = schedule.windows(
      from: trusted_ms.flooredDivision(by: 1000), to: end_ms.flooredDivision(by: 1000), in: zone)
    return windows.reduce(0) { $0 + Double($1.length_s * 1000) } * share
  }

  /// To a tenth.
  private static func charge_mah(_ mA_ms: Double) -> Double { (mA_ms / 3_600_000 * 10).rounded() / 10 }
}

extension EnergyLedger {
  fileprivate mutating func count(_ facts: Facts, at now_ms: Int64) {
    count(
      gps: facts.isGPSOn, modem: facts.isModemOn, board: !facts.isSuspended, isOpen: facts.isWindowOpen,
      trusted_ms: facts.trusted_ms, at: now_ms)
  }
}
