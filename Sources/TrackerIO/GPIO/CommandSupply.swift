import TrackerBase

/// A program switches: it is called with `on` or `off` as its last argument. One runs at a time.
final class CommandSupply: PowerSupply {
  private let command: [String]
  private let timeout_s: Double
  private var running: (child: ChildProcess, on: Bool)?
  private var wanted = false

  init(_ command: [String], timeout_s: Double = GPSPowerSettings.commandTimeout_s) throws(PowerError) {
    self.command = command
    self.timeout_s = timeout_s
    try begin()
  }

  var descriptors: [PollDescriptor] { running?.child.descriptors ?? [] }
  var isBusy: Bool { running != nil }

  func set(_ on: Bool) throws(PowerError) {
    wanted = on
    if running == nil { try begin() }
  }

  func receive(ready: [Int32]) throws(PowerError) {
    guard let (child, on) = running, let end = child.poll() else { return }
    running = nil
    // Of a command that nobody wants any more only its end matters.
    if on != wanted { return try begin() }
    if let problem = end.problem(of: "\(command[0]) … \(on ? "on" : "off")", timeout_s: timeout_s) {
      throw .command(problem)
    }
  }

  private func begin() throws(PowerError) {
    do throws(HostError) {
      running = (try ChildProcess(command + [wanted ? "on" : "off"], timeout_s: timeout_s), wanted)
    } catch {
      throw .command("\(command[0]) could not be started: \(error)")
    }
  }
}
