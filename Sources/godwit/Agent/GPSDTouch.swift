import TrackerAgent
import TrackerBase
import TrackerIO

/// Makes gpsd let go of the serial port of a module without power.
///
/// gpsd closes a device after a minute without a watcher, but (3.22) looks for such ones only when something wakes it,
/// and a module without power never does. So a minute after the agent's own watch has ended it connects once more, asks
/// for nothing, and goes.
final class GPSDTouch: Source {
  /// gpsd's RELEASE_TIMEOUT is 60 s.
  static let after_ms: Int64 = 65_000

  private let connection: GPSDConnection
  private let timer: BootTimer
  private let after_ms: Int64
  private var isArmed = false

  init(settings: GPSSettings, after_ms: Int64 = GPSDTouch.after_ms) throws(HostError) {
    connection = GPSDConnection(host: settings.host, port: settings.port)
    timer = try BootTimer()
    self.after_ms = after_ms
    // Before a start or a reload another one's watch may have ended: of an agent that was killed, or of its old settings.
    watchEnded()
  }

  var descriptors: [PollDescriptor] {
    connection.descriptors + (isArmed ? [PollDescriptor(descriptor: timer.descriptor)] : [])
  }

  func watchEnded() { arm(at: HostClock.now().boot_ms + after_ms) }
  func watchBegan() { arm(at: nil) }

  func receive(ready: [Int32]) -> [Event] {
    if isArmed, ready.contains(timer.descriptor) {
      timer.acknowledge()
      isArmed = false
      connection.touch()
    } else if !connection.isClosed {
      _ = connection.receive(ready: ready)
    }
    return []
  }

  // Failing to set a timer that exists is no case to plan for: the port then stays open, as it did.
  private func arm(at boot_ms: Int64?) {
    isArmed = (try? timer.arm(at: boot_ms)) != nil && boot_ms != nil
  }
}
