import TrackerAgent
import TrackerBase
import TrackerIO

/// The accelerometer as events. One that is not there is no reason not to track: it is tried again.
final class AccelerometerSource: AccelerometerPort {
  private let settings: AccelerometerSettings
  private let open: (AccelerometerSettings) throws(AccelerometerError) -> IIOAccelerometer
  private let timer: BootTimer
  private var device: IIOAccelerometer?
  /// The timer is waited for instead of the device.
  private var isResting = false
  private var failure: String?

  /// What is shaken goes on being shaken: each event is a wake-up.
  static let rest_ms: Int64 = 10_000
  static let retry_ms: Int64 = 60_000
  /// To try that holds up the loop.
  static let slowRetry_ms: Int64 = 3_600_000

  init(
    _ settings: AccelerometerSettings,
    open: @escaping (AccelerometerSettings) throws(AccelerometerError) -> IIOAccelerometer = {
      (settings) throws(AccelerometerError) in try IIOAccelerometer(settings)
    }
  ) throws(HostError) {
    (self.settings, self.open) = (settings, open)
    timer = try BootTimer()
    // The first turn of the loop opens it.
    rest(0)
  }

  var descriptors: [PollDescriptor] {
    if isResting { return [PollDescriptor(descriptor: timer.descriptor)] }
    return device?.descriptor.map { [PollDescriptor(descriptor: $0)] } ?? []
  }

  func receive(ready: [Int32]) -> [Event] {
    guard descriptors.contains(where: { ready.contains($0.descriptor) }) else { return [] }
    if isResting { timer.acknowledge() }
    isResting = false
    do throws(AccelerometerError) {
      guard let device else { return try opened() }
      guard try device.receive() else { return [] }
      rest(AccelerometerSource.rest_ms)
      return [.acceleration(.exceeded)]
    } catch {
      return failed(error)
    }
  }

  /// One that is there and cannot be read is none: else it would be found and lost again with each look.
  private func opened() throws(AccelerometerError) -> [Event] {
    let device = try open(settings)
    _ = try device.read()
    (self.device, failure) = (device, nil)
    let opened = Event.acceleration(.opened(hasEvent: device.descriptor != nil))
    return [opened] + (device.eventProblem.map { [.acceleration(.eventRefused("\($0)"))] } ?? [])
  }

  func perform(_ order: AccelerationOrder) -> [Event] {
    guard let device else { return [] }
    switch order {
    case .read:
      do throws(AccelerometerError) { return [.acceleration(.samples(try device.read()))] } catch {
        return failed(error)
      }
    case .tell(let above_mps2):
      do throws(AccelerometerError) {
        try device.tell(above_mps2: above_mps2)
        return []
      } catch {
        return [.acceleration(.eventRefused("\(error)"))]
      }
    }
  }

  /// Reports each failure once.
  private func failed(_ error: AccelerometerError) -> [Event] {
    device = nil
    let words = "\(error)"
    if case .tooSlow = error {
      rest(AccelerometerSource.slowRetry_ms)
    } else {
      rest(AccelerometerSource.retry_ms)
    }
    guard words != failure else { return [] }
    failure = words
    return [.acceleration(.failed(words))]
  }

  private func rest(_ pause_ms: Int64) {
    // A timer that refuses to be set costs the rest, or a lost device its return, but not the loop.
    isResting = (try? timer.arm(at: HostClock.now().boot_ms + pause_ms)) != nil
  }
}
