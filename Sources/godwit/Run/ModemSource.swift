import TrackerAgent
import TrackerCore
import TrackerIO

/// Modems as events.
final class ModemSource: Source {
  private let manager = ModemManager()

  var descriptors: [PollDescriptor] { manager.descriptors }

  func receive(ready: [Int32]) -> [Event] {
    manager.drive(at: HostClock.now().boot_ms).map { [.link($0)] } ?? []
  }
}
