import TrackerAgent
import TrackerCore
import TrackerIO

/// The GPS module's power. With `mode = "none"` the module is always powered.
final class PowerSwitch: PowerPort, Source {
  private let settings: GPSPowerSettings
  private var supply: (any PowerSupply)?

  /// With SIGTERM under way systemd kills the process 15 s later, and then `godwit power off` tries its luck.
  static let patience_ms: Int64 = 8000

  /// Begins to switch the power off.
  init(_ settings: GPSPowerSettings) throws(PowerError) {
    self.settings = settings
    supply = try PowerSupplies.open(settings)
  }

  var descriptors: [PollDescriptor] { supply?.descriptors ?? [] }

  func set(_ on: Bool) -> Event? {
    do throws(PowerError) {
      try opened()?.set(on)
      return nil
    } catch {
      return .powerFailed(words(error))
    }
  }

  func receive(ready: [Int32]) -> [Event] {
    do throws(PowerError) {
      try supply?.receive(ready: ready)
      return []
    } catch {
      return [.powerFailed(words(error))]
    }
  }

  func finish() -> String? {
    let end_ms = HostClock.now().boot_ms + PowerSwitch.patience_ms
    do throws(PowerError) {
      while let supply, supply.isBusy {
        let left_ms = end_ms - HostClock.now().boot_ms
        if left_ms <= 0 {
          return "GPS power is still being switched after \(PowerSwitch.patience_ms / 1000) s"
        }
        try supply.receive(ready: Poller.wait(supply.descriptors, timeout_ms: Int(left_ms)))
      }
      return nil
    } catch {
      return "GPS power: \(error)"
    }
  }

  /// A chip that was unplugged never works again through the same handle.
  private func opened() throws(PowerError) -> (any PowerSupply)? {
    if supply == nil { supply = try PowerSupplies.open(settings) }
    return supply
  }

  private func words(_ error: PowerError) -> String {
    if error.isLineLost { supply = nil }
    return "\(error)"
  }
}
