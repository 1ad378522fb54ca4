import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

/// Listens to gpsd, over its own ends.
final class ReceiverEar {
  private let gpsd: GPSDConnection
  private(set) var devices: [GPSDDevice]?
  /// The last one.
  private(set) var problem: String?
  var onReport: ((GPSReport) -> Void)?
  /// Nobody waits any more.
  var isEnded: () -> Bool = { false }
  private var opensAt_ms: Int64 = 0

  private static let retry_ms: Int64 = 1000
  private static let turn_ms = 200

  init(_ settings: GPSSettings) { gpsd = GPSDConnection(host: settings.host, port: settings.port) }

  var isOpen: Bool { gpsd.isOpen }

  /// Until `isEnough`, or for so long.
  func listen(for time_ms: Int64, until isEnough: () -> Bool) {
    let end_ms = HostClock.now().boot_ms + time_ms
    while !isEnough(), !isEnded(), HostClock.now().boot_ms < end_ms {
      let now_ms = HostClock.now().boot_ms
      if gpsd.isClosed, now_ms >= opensAt_ms {
        opensAt_ms = now_ms + Self.retry_ms
        do throws(GPSDError) { try gpsd.open() } catch { problem = "\(error)" }
      }
      let ready = Poller.wait(gpsd.descriptors, timeout_ms: Self.turn_ms)
      for event in gpsd.receive(ready: ready) {
        switch event {
        case .report(let report): onReport?(report)
        case .devices(let found, let areAll): note(found, areAll: areAll)
        case .lost(let words): problem = words
        case .error, .frame: break
        }
      }
    }
  }

  /// gpsd names all of them at first, and later each that changes.
  private func note(_ found: [GPSDDevice], areAll: Bool) {
    var all = areAll ? [] : devices ?? []
    for device in found {
      all.removeAll { $0.path == device.path }
      all.append(device)
    }
    devices = all
  }
}

/// Switches the module while no agent runs. What is on is switched off at the end, whatever happens.
final class PowerHand {
  private let power: PowerSwitch
  /// Ctrl-C, or a terminal that goes away, must not leave the module on.
  private let signals = try? Signals()
  private var hasEnded = false

  /// Begins with power off. - Returns: nil for a module that is always powered.
  init?(_ settings: GPSPowerSettings) throws(PowerError) {
    if settings.mode == .none { return nil }
    // A press of the key, and what the module has to answer it; twice, as it may be tried again.
    power = try PowerSwitch(
      settings, patience_ms: 8000 + 2 * Int64(settings.pulse_ms + settings.statusTimeout_s * 1000))
    _ = power.finish()
  }

  /// - Returns: what went wrong.
  func set(_ on: Bool) -> String? {
    if case .powerFailed(let words) = power.set(on) { return words }
    return power.finish()
  }

  func finish() { _ = set(false) }

  /// Somebody has asked for the end.
  func isEnded() -> Bool {
    if signals?.receive().isEmpty == false { hasEnded = true }
    return hasEnded
  }
}
