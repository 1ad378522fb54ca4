/// The vehicle's battery, whether it is charged, and whether it is connected: judgements of what may be one voltage.
struct SupplyWatch: Equatable, Sendable {
  var battery: BatteryWatch
  var charging: ChargingWatch
  var external: ExternalPower

  init(settings: Settings, saved: SavedState) {
    battery = BatteryWatch(settings: settings.battery, saved: saved)
    charging = ChargingWatch(settings: settings.battery)
    external = ExternalPower(line: settings.externalPower, battery: settings.battery, saved: saved)
  }

  /// With other settings: what is known goes on.
  init(settings: Settings, continuing old: SupplyWatch) {
    battery = BatteryWatch(settings: settings.battery, continuing: old.battery)
    charging = ChargingWatch(settings: settings.battery, continuing: old.charging)
    external = ExternalPower(
      line: settings.externalPower, battery: settings.battery, continuing: old.external)
  }
}
