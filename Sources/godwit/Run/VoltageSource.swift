import TrackerAgent
import TrackerCore
import TrackerIO

/// The board's supply as events.
final class VoltageSource: Source {
  private let sensor: UndervoltageSensor
  private var isLow: Bool?

  /// - Returns: nil where the board has no alarm.
  init?() {
    guard let sensor = UndervoltageSensor() else { return nil }
    self.sensor = sensor
  }

  var descriptors: [PollDescriptor] {
    [PollDescriptor(descriptor: sensor.descriptor, wantsRead: false, wantsPriority: true)]
  }

  func receive(ready: [Int32]) -> [Event] {
    guard isLow == nil || ready.contains(sensor.descriptor) else { return [] }
    let before = isLow
    isLow = sensor.read() ?? false
    return isLow == before || (before == nil && isLow == false) ? [] : [.undervoltage(isLow ?? false)]
  }
}
