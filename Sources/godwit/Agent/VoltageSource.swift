import TrackerAgent
import TrackerBase
import TrackerIO

/// The board's supply as events.
final class VoltageSource: Source {
  /// nil once it can no longer be read, as when its driver is unloaded: poll(2) would never wait again.
  private var sensor: UndervoltageSensor?
  private let log: Log
  private var isLow: Bool?

  init(_ sensor: UndervoltageSensor, log: Log) {
    self.sensor = sensor
    self.log = log
  }

  var descriptors: [PollDescriptor] {
    sensor.map { [PollDescriptor(descriptor: $0.descriptor, wantsRead: false, wantsPriority: true)] } ?? []
  }

  func receive(ready: [Int32]) -> [Event] {
    guard let sensor, isLow == nil || ready.contains(sensor.descriptor) else { return [] }
    guard let level = sensor.read() else {
      log.write(.warning, "the supply voltage is no longer watched: the kernel's alarm cannot be read")
      self.sensor = nil
      return []
    }
    let before = isLow ?? false
    isLow = level
    return level == before ? [] : [.undervoltage(level)]
  }
}
