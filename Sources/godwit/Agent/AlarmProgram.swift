import TrackerAgent
import TrackerBase
import TrackerIO

/// The program of `host.sleep.command`, one at a time. It belongs to the process and not to the settings in force: one
/// that takes an alarm back goes on when these are exchanged.
final class AlarmProgram: Source {
  private let timeout_s: Double
  private var running: (child: ChildProcess, name: String, sets: Bool, log: Log)?

  init(timeout_s: Double = 30) { self.timeout_s = timeout_s }

  var descriptors: [PollDescriptor] { running?.child.descriptors ?? [] }

  /// One that still runs is of no use any more, and is killed.
  ///
  /// - Parameter sets: what becomes of it is told; else only a failure is logged.
  /// - Returns: why it could not be started.
  func begin(_ command: [String], sets: Bool, log: Log) -> String? {
    running = nil
    let name = command.first ?? ""
    do throws(HostError) {
      running = (try ChildProcess(command, timeout_s: timeout_s), name, sets, log)
      return nil
    } catch { return "host.sleep.command: \(name) could not be started: \(error)" }
  }

  func receive(ready: [Int32]) -> [Event] {
    guard let (child, name, sets, log) = running, let end = child.poll() else { return [] }
    running = nil
    let problem = end.problem(of: name, timeout_s: timeout_s).map { "host.sleep.command: \($0)" }
    if !sets {
      if let problem { log.write(.warning, "the wake alarm is not taken back: \(problem)") }
      return []
    }
    return [.board(problem.map { .alarmFailed($0) } ?? .alarmSet(alarm_s: nil))]
  }
}
