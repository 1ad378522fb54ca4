import TrackerBase

/// A pulse on one line, the module's key, switches to and fro; another line reports whether the module is on.
///
/// Without that line nobody could know after a crash which way the next pulse goes.
final class PulseSupply: PowerSupply {
  private enum State: Equatable {
    case idle
    /// The key is pressed. - Parameter to: what the module is to become.
    case pressing(to: Bool)
    /// The key is released, and the status line has not followed yet.
    case waiting(to: Bool)
  }

  private let key: any PowerLine
  private let status: any LevelInput
  private let timer: BootTimer
  private let pulse_ms: Int64
  private let timeout_s: Double
  private var state = State.idle
  private var wanted = false
  private var isOn = false
  /// That the module is not as wanted has been reported since the last order: a status line may flicker.
  private var isReported = false

  init(key: any PowerLine, settings: GPSPowerSettings) throws(PowerError) {
    self.key = key
    pulse_ms = Int64(settings.pulse_ms)
    timeout_s = settings.statusTimeout_s
    do { timer = try BootTimer() } catch { throw .host(error) }
    do { status = try LevelInputs.open(settings.statusInput) } catch { throw .statusLine(error) }
    try set(false)
  }

  var descriptors: [PollDescriptor] {
    [timer.descriptor, status.descriptor].map { PollDescriptor(descriptor: $0) }
  }
  var isBusy: Bool { state != .idle }

  func set(_ on: Bool) throws(PowerError) {
    wanted = on
    isReported = false
    try look()
    try pressIfNeeded()
  }

  func receive(ready: [Int32]) throws(PowerError) {
    if ready.contains(status.descriptor) { try look() }
    let timeIsUp = ready.contains(timer.descriptor)
    if timeIsUp { timer.acknowledge() }
    switch state {
    case .idle: try watch()
    case .pressing(let on):
      if timeIsUp { try release(to: on) }
    case .waiting(let on):
      if isOn == on { return try done() }
      if timeIsUp { try gaveNoAnswer(to: on) }
    }
  }

  /// A late answer, a button, a supply that broke down. Whoever hears of it gives the order once more.
  private func watch() throws(PowerError) {
    guard isOn != wanted, !isReported else { return }
    isReported = true
    throw .strayed(on: isOn)
  }

  private func pressIfNeeded() throws(PowerError) {
    guard state == .idle, isOn != wanted else { return }
    try press(true)
    state = .pressing(to: wanted)
    try wait(pulse_ms)
  }

  private func release(to on: Bool) throws(PowerError) {
    state = .idle
    try press(false)
    if isOn == on { return try done() }
    state = .waiting(to: on)
    try wait(milliseconds(timeout_s))
  }

  private func done() throws(PowerError) {
    state = .idle
    try wait(nil)
    try pressIfNeeded()
  }

  private func gaveNoAnswer(to on: Bool) throws(PowerError) {
    state = .idle
    guard on == wanted else { return }
    isReported = true
    throw .noAnswer(on: on, timeout_s: timeout_s)
  }

  private func look() throws(PowerError) {
    do { isOn = try status.receive().last ?? isOn } catch { throw .statusLine(error) }
  }

  private func press(_ down: Bool) throws(PowerError) {
    do { try key.set(down) } catch { throw .line(error) }
  }

  private func wait(_ pause_ms: Int64?) throws(PowerError) {
    do { try timer.arm(at: pause_ms.map { HostClock.now().boot_ms + $0 }) } catch { throw .host(error) }
  }
}
