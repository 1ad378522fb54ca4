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
