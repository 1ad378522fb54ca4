/// The vehicle's battery and whether it is connected: two judgements of what may be one voltage.
struct SupplyWatch: Equatable, Sendable {
  var battery: BatteryWatch
  var external: ExternalPower

  init(settings: Settings, saved: SavedState) {
    battery = BatteryWatch(settings: settings.battery)
    external = ExternalPower(line: settings.externalPower, battery: settings.battery, saved: saved)
  }

  /// With other settings: what is known goes on.
  init(settings: Settings, continuing old: SupplyWatch) {
    battery = BatteryWatch(settings: settings.battery, continuing: old.battery)
    external = ExternalPower(
      line: settings.externalPower, battery: settings.battery, continuing: old.external)
  }
}
