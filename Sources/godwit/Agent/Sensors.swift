import TrackerAgent
import TrackerBase
import TrackerIO

/// A device that is left alone for a while, or tried again: its timer is then waited for instead of it.
private final class Rest {
  private let timer: BootTimer
  private var isResting = false
  private var failure: String?

  static let retry_ms: Int64 = 60_000

  /// It ends with the first turn of the loop, which opens the device.
  init() throws(HostError) {
    timer = try BootTimer()
    begin(0)
  }

  func descriptors(_ device: Int32?) -> [PollDescriptor] {
    (isResting ? timer.descriptor : device).map { [PollDescriptor(descriptor: $0)] } ?? []
  }

  /// Whether the rest is over, or without one the device has something.
  func isOver(_ ready: [Int32], _ device: Int32?) -> Bool {
    guard descriptors(device).contains(where: { ready.contains($0.descriptor) }) else { return false }
    if isResting { timer.acknowledge() }
    isResting = false
    return true
  }

  func begin(_ pause_ms: Int64) {
    // A timer that refuses to be set costs the rest, or a lost device its return, but not the loop.
    isResting = (try? timer.arm(at: HostClock.now().boot_ms + pause_ms)) != nil
  }

  /// The device is lost, and tried again. - Returns: whether to report it: each failure once.
  func failed(_ words: String, retry_ms: Int64 = Rest.retry_ms) -> Bool {
    begin(retry_ms)
    defer { failure = words }
    return words != failure
  }

  func worked() { failure = nil }
}

/// An input line as events. One that cannot be read is no reason not to track: it is tried again.
final class LineSource: Source {
  private let line: InputLine
  private let settings: InputLineSettings
  private let rest: Rest
  private var input: (any LevelInput)?

  /// Between edges the line is left alone for so long: a storm of them must not keep the board awake.
  private static let rest_ms: Int64 = 100

  init(_ line: InputLine, settings: InputLineSettings) throws(HostError) {
    (self.line, self.settings) = (line, settings)
    rest = try Rest()
  }

  var descriptors: [PollDescriptor] { rest.descriptors(input?.descriptor) }

  func receive(ready: [Int32]) -> [Event] {
    guard rest.isOver(ready, input?.descriptor) else { return [] }
    do throws(GPIOError) {
      return try read()
    } catch {
      input = nil
      let words = error.words(settings: line.rawValue)
      return rest.failed(words) ? [.lineFailed(line, words)] : []
    }
  }

  private func read() throws(GPIOError) -> [Event] {
    let isFirst = input == nil
    let levels = try opened().receive()
    rest.worked()
    if !levels.isEmpty { rest.begin(LineSource.rest_ms) }
    switch line {
    case .ignition: return levels.map { .ignitionEdge(level: $0) }
    case .externalPower: return levels.map { .externalPowerEdge(level: $0) }
    // The level that is found is no edge.
    case .vibration: return levels.dropFirst(isFirst ? 1 : 0).map { _ in .vibrationEdge }
    }
  }

  private func opened() throws(GPIOError) -> any LevelInput {
    if let input { return input }
    let opened = try LevelInputs.open(settings)
    input = opened
    return opened
  }
}

/// The accelerometer as events. One that is not there is no reason not to track: it is tried again.
final class AccelerometerSource: AccelerometerPort {
  private let settings: AccelerometerSettings
  private let open: (AccelerometerSettings) throws(AccelerometerError) -> IIOAccelerometer
  private let rest: Rest
  private var device: IIOAccelerometer?

  /// What is shaken goes on being shaken: each event is a wake-up.
  private static let rest_ms: Int64 = 10_000
  /// To try that holds up the loop.
  private static let slowRetry_ms: Int64 = 3_600_000

  init(
    _ settings: AccelerometerSettings,
    open: @escaping (AccelerometerSettings) throws(AccelerometerError) -> IIOAccelerometer = {
      (settings) throws(AccelerometerError) in try IIOAccelerometer(settings)
    }
  ) throws(HostError) {
    (self.settings, self.open) = (settings, open)
    rest = try Rest()
  }

  var descriptors: [PollDescriptor] { rest.descriptors(device?.descriptor) }

  func receive(ready: [Int32]) -> [Event] {
    guard rest.isOver(ready, device?.descriptor) else { return [] }
    do throws(AccelerometerError) {
      guard let device else { return try opened() }
      guard try device.receive() else { return [] }
      rest.begin(AccelerometerSource.rest_ms)
      return [.acceleration(.exceeded)]
    } catch {
      return failed(error)
    }
  }

  /// One that is there and cannot be read is none: else it would be found and lost again with each look.
  private func opened() throws(AccelerometerError) -> [Event] {
    let device = try open(settings)
    _ = try device.read()
    self.device = device
    rest.worked()
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

  private func failed(_ error: AccelerometerError) -> [Event] {
    device = nil
    let isSlow = if case .tooSlow = error { true } else { false }
    let isNew = rest.failed("\(error)", retry_ms: isSlow ? AccelerometerSource.slowRetry_ms : Rest.retry_ms)
    return isNew ? [.acceleration(.failed("\(error)"))] : []
  }
}

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
