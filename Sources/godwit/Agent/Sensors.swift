import TrackerAgent
import TrackerBase
import TrackerIO

/// An input line as events. One that cannot be read is no reason not to track: it is tried again.
final class LineSource: Source {
  private let line: InputLine
  private let settings: InputLineSettings
  private let timer: BootTimer
  private var input: (any LevelInput)?
  /// The timer is waited for instead of the line.
  private var isResting = false
  private var failure: String?

  /// Between edges the line is left alone for so long: a storm of them must not keep the board awake.
  static let rest_ms: Int64 = 100
  static let retry_ms: Int64 = 60_000

  init(_ line: InputLine, settings: InputLineSettings) throws(HostError) {
    self.line = line
    self.settings = settings
    timer = try BootTimer()
    // The first turn of the loop opens the line and reads its level.
    rest(0)
  }

  var descriptors: [PollDescriptor] {
    if isResting { return [PollDescriptor(descriptor: timer.descriptor)] }
    return input.map { [PollDescriptor(descriptor: $0.descriptor)] } ?? []
  }

  func receive(ready: [Int32]) -> [Event] {
    guard descriptors.contains(where: { ready.contains($0.descriptor) }) else { return [] }
    if isResting { timer.acknowledge() }
    isResting = false
    do throws(GPIOError) {
      return try read()
    } catch {
      return failed(error.words(settings: line.rawValue))
    }
  }

  private func read() throws(GPIOError) -> [Event] {
    let isFirst = input == nil
    let levels = try opened().receive()
    failure = nil
    if !levels.isEmpty { rest(LineSource.rest_ms) }
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

  /// Reports each failure once.
  private func failed(_ words: String) -> [Event] {
    input = nil
    rest(LineSource.retry_ms)
    guard words != failure else { return [] }
    failure = words
    return [.lineFailed(line, words)]
  }

  private func rest(_ pause_ms: Int64) {
    // A timer that refuses to be set costs the rest, or a lost line its return, but not the loop.
    isResting = (try? timer.arm(at: HostClock.now().boot_ms + pause_ms)) != nil
  }
}

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
