import TrackerAgent
import TrackerBase
import TrackerIO

/// The GPS module's power. With `mode = "none"` the module is always powered.
final class PowerSwitch: PowerPort, Source {
  private let settings: GPSPowerSettings
  private var supply: (any PowerSupply)?
  /// What went wrong while nobody could hear it yet.
  private var early: [Event] = []

  private let patience_ms: Int64

  /// With SIGTERM under way systemd kills the process 15 s later, and then `godwit power off` tries its luck.
  private static let patience_ms: Int64 = 8000

  /// Begins to switch the power off.
  init(_ settings: GPSPowerSettings, patience_ms: Int64 = PowerSwitch.patience_ms) throws(PowerError) {
    (self.settings, self.patience_ms) = (settings, patience_ms)
    supply = try PowerSupplies.open(settings)
  }

  /// The same for an agent, which runs without the line too (a wrong chip, another program's line): the first `receive`
  /// reports it, and each `set` tries again.
  init(trying settings: GPSPowerSettings) {
    (self.settings, patience_ms) = (settings, PowerSwitch.patience_ms)
    do throws(PowerError) { supply = try PowerSupplies.open(settings) } catch { early = [failed(error)] }
  }

  var descriptors: [PollDescriptor] { supply?.descriptors ?? [] }

  func set(_ on: Bool) -> Event? {
    do throws(PowerError) {
      try opened()?.set(on)
      return nil
    } catch {
      return failed(error)
    }
  }

  /// Without a loop: waits until it is done, or for `patience_ms`. - Returns: what went wrong.
  func switchNow(_ on: Bool) -> String? {
    if case .powerFailed(let words) = set(on) { return words }
    return finish()
  }

  func receive(ready: [Int32]) -> [Event] {
    defer { early = [] }
    do throws(PowerError) {
      try supply?.receive(ready: ready)
      return early
    } catch {
      return early + [failed(error)]
    }
  }

  /// At a start: waits until the module is off, or for `patience_ms`. The first `receive` reports what went wrong.
  func finishStart() {
    do throws(PowerError) { _ = try finishSwitching() } catch { early.append(failed(error)) }
  }

  func finish() -> String? {
    do throws(PowerError) {
      if try finishSwitching() { return nil }
      return "GPS power is still being switched after \(patience_ms / 1000) s"
    } catch {
      return "GPS power: \(error)"
    }
  }

  /// - Returns: false: it takes longer than `patience_ms`.
  private func finishSwitching() throws(PowerError) -> Bool {
    let end_ms = HostClock.now().boot_ms + patience_ms
    while let supply, supply.isBusy {
      let left_ms = end_ms - HostClock.now().boot_ms
      if left_ms <= 0 { return false }
      try supply.receive(ready: Poller.wait(supply.descriptors, timeout_ms: Int(left_ms)))
    }
    return true
  }

  private func opened() throws(PowerError) -> (any PowerSupply)? {
    if supply == nil { supply = try PowerSupplies.open(settings) }
    return supply
  }

  /// A chip that was unplugged never works again through the same handle: the next `set` opens it anew.
  private func failed(_ error: PowerError) -> Event {
    if error.isLineLost { supply = nil }
    return .powerFailed("\(error)")
  }
}

/// What `godwit power off` needs of the settings, in the folder of the running agent: for when the settings file can
/// no longer be read.
enum PowerNote {
  private static let keys = ["gps.power.", "queue.path", "run.directory"]

  static func path(in directory: String) -> String { directory + "/power.toml" }

  static func write(_ settings: Settings) throws(HostError) {
    let lines = SettingsListing.lines(of: settings).filter { line in
      keys.contains { line.key.hasPrefix($0) }
    }
    let text = lines.map { $0.text + "\n" }.joined()
    try StatusFile.write(path(in: settings.run.directory), text)
  }
}
