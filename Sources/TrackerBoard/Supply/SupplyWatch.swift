import TrackerBase

/// The vehicle's battery, whether it is charged, and whether it is connected: judgements of what may be one voltage.
package struct SupplyWatch: Equatable, Sendable {
  package var battery: BatteryWatch
  package var charging: ChargingWatch
  package var external: ExternalPower

  package init(settings: Settings, saved: SavedState) {
    battery = BatteryWatch(settings: settings.battery, saved: saved)
    charging = ChargingWatch(settings: settings.battery)
    external = ExternalPower(line: settings.externalPower, battery: settings.battery, saved: saved)
  }

  package func save(to state: inout StateDraft) {
    state.set("supply_lost", external.isReportedLost ? true : nil)
    state.set("battery_low", battery.isLow ? true : nil)
  }

  package static var kinds: SavedKinds { ["battery_low": Bool.self, "supply_lost": Bool.self] }

  /// With other settings: what is known goes on.
  package init(settings: Settings, continuing old: SupplyWatch) {
    battery = BatteryWatch(settings: settings.battery, continuing: old.battery)
    charging = ChargingWatch(settings: settings.battery, continuing: old.charging)
    external = ExternalPower(
      line: settings.externalPower, battery: settings.battery, continuing: old.external)
  }
}
