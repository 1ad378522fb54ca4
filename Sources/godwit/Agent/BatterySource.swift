import TrackerAgent
import TrackerBase
import TrackerIO

/// The voltage of the vehicle's battery as events: read now and then, since nothing announces its changes.
final class BatterySource: Source {
  private let file: VoltageFile
  private let timer: BootTimer
  private let interval_ms: Int64
  private var hasFailed = false

  init(_ settings: BatterySettings) throws(HostError) {
    file = VoltageFile(settings)
    interval_ms = Int64(settings.readInterval_s * 1000)
    timer = try BootTimer()
    timer.arm(after_ms: 0)
  }

  var descriptors: [PollDescriptor] { [PollDescriptor(descriptor: timer.descriptor)] }

  func receive(ready: [Int32]) -> [Event] {
    guard ready.contains(timer.descriptor) else { return [] }
    timer.acknowledge()
    timer.arm(after_ms: interval_ms)
    do throws(VoltageError) {
      let volts = try file.read()
      hasFailed = false
      return [.batteryRead(volts: volts)]
    } catch {
      defer { hasFailed = true }
      return hasFailed ? [] : [.batteryFailed("\(error)")]
    }
  }
}
