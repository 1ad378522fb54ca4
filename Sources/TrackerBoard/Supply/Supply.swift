import TrackerBase

/// The vehicle's battery, whether it is charged, and whether it is connected: judgements of what may be one voltage. And the
/// board's own supply.
package struct Supply: Part {
  private(set) var battery: BatteryWatch
  private(set) var charging: ChargingWatch
  private(set) var external: ExternalPower
  private(set) var isUndervoltage = false
  private var settings: BatterySettings

  package init(settings: Settings, saved: SavedState) {
    self.settings = settings.battery
    battery = BatteryWatch(settings: settings.battery, saved: saved)
    charging = ChargingWatch(settings: settings.battery)
    external = ExternalPower(
      line: settings.externalPower, battery: settings.battery,
      wasReportedLost: saved.value("supply_lost") == true)
  }

  package mutating func adopt(_ configuration: Configuration, at now: Moment) {
    settings = configuration.settings.battery
    battery.adopt(settings)
    charging.adopt(settings)
    external.adopt(line: configuration.settings.externalPower, battery: settings)
  }

  package mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]? {
    switch event {
    case .batteryRead(let volts): return batteryRead(volts, at: now.boot_ms)
    case .batteryFailed(let words):
      external.voltageFailed()
      charging.failed()
      return [.warn(.battery, "battery.voltage_file: \(words)")]
        + (battery.failed() ? [.tell(.paceChanged)] : [])
    case .undervoltage(let isLow): return undervoltage(isLow)
    case .externalPowerEdge(let level):
      let wants = external.edge(level, at: now.boot_ms).flatMap(wants(of:))
      guard external.stormIsNews(at: now.boot_ms) else { return wants }
      let words =
        "the external power's line does not come to rest and is not believed meanwhile: look at its wiring"
      return wants + [.warn(.lineBounces, words)]
    case .lineFailed(.externalPower, let words):
      let change = external.lineFailed()
      return [.warn(.inputLine, "\(InputLine.externalPower.words) line: \(words)")]
        + (change.map(wants(of:)) ?? [])
    case .timer, .clockStepped: return external.tick(at: now.boot_ms).map(wants(of:)) ?? []
    default: return nil
    }
  }

  private mutating func batteryRead(_ volts: Double, at now_ms: Int64) -> [Want] {
    var wants: [Want] = []
    if charging.read(volts) {
      wants += [.log(.info, "the battery is being charged"), .tell(.signOfLife(.voltage))]
    }
    if let change = external.read(volts) { wants += self.wants(of: change) }
    guard battery.read(volts, at: now_ms) else { return wants }
    let (tenths_v, factor) = (Resolution.tenths(volts), Resolution.tenths(battery.factor))
    let words = "the battery is \(battery.isLow ? "low" : "good again"), \(SettingText.number(tenths_v)) V"
    wants.append(.tell(.paceChanged))
    if battery.isLow {
      let times = SettingText.number(settings.lowFactor)
      wants.append(.warn(.batteryLow, "\(words): probes and sync \(times) times as far apart"))
      wants.append(.record(.warning(.batteryLow(volts: tenths_v, factor: factor))))
    } else {
      wants.append(.log(.notice, "\(words): probes and sync as set again"))
      wants.append(.record(.status(.batteryGood(volts: tenths_v, factor: factor))))
    }
    return wants + [.report]
  }

  private mutating func undervoltage(_ isLow: Bool) -> [Want] {
    isUndervoltage = isLow
    guard isLow else { return [.log(.notice, "the supply voltage is good again")] }
    let words = "the supply voltage is too low: look at the wiring and the vehicle's battery"
    return [.warn(.undervoltage, words), .saveAtOnce]
  }

  /// At once: how long the board has power of its own is not known.
  private func wants(of change: ExternalPower.Change) -> [Want] {
    let volts = external.isByLine ? nil : external.volts.map { Resolution.tenths($0) }
    let by = volts.map { "\(SettingText.number($0)) V" } ?? "by its line"
    var wants: [Want]
    switch change {
    case .lost(let isReported):
      let words = "the vehicle's supply is lost, \(by): is the cable cut, or the battery disconnected?"
      wants = [.warn(.powerLost, words)]
      if !isReported { wants.append(.record(.warning(.powerLost(volts: volts)))) }
    case .back:
      wants = [
        .log(.notice, "the vehicle's supply is back, \(by)"), .record(.status(.powerBack(volts: volts))),
      ]
    }
    return wants + [.report, .saveAtOnce]
  }

  package func publish(to facts: inout Facts, at now: Moment) {
    (facts.lowFactor, facts.isUndervoltage) = (battery.factor, isUndervoltage)
  }

  package func lasts(_ warning: WarningName, at now: Moment) -> Bool {
    switch warning {
    case .inputLine: external.lineHasFailed
    case .lineBounces: external.isStorm
    case .undervoltage: isUndervoltage
    case .batteryLow: battery.isLow
    case .battery: battery.volts == nil
    case .powerLost: external.isLost
    default: false
    }
  }

  package var deadline_ms: Int64? { external.deadline_ms }

  package func save(to commit: inout Commit, _ facts: Facts, at now: Moment) {
    commit.set("supply_lost", external.isReportedLost ? true : nil)
    commit.set("battery_low", battery.isLow ? true : nil)
  }

  package static var kinds: SavedKinds { ["battery_low": Bool.self, "supply_lost": Bool.self] }

  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {
    status.undervoltage = isUndervoltage
    status.battery = battery.volts.map {
      BatteryStatus(volts: $0, isLow: battery.isLow, factor: battery.factor)
    }
    status.isExternalPowerThere = external.isThere
    guard external.hasLine else { return }
    status.lines = status.lines ?? LinesStatus()
    status.lines?.bounces += external.bounces
    status.lines?.storms += external.storms
  }
}
