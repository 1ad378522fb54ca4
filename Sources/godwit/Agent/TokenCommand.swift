import TrackerAgent
import TrackerBase
import TrackerIO

/// Runs `sync.auth_command`, one at a time.
final class TokenCommand: TokenPort {
  /// As in `Event`.
  private let server: Int
  let command: [String]
  private let timeout_s: Double
  private var child: ChildProcess?

  static let timeout_s = 60.0

  init(server: Int = 0, _ command: [String], timeout_s: Double = TokenCommand.timeout_s) {
    self.server = server
    self.command = command
    self.timeout_s = timeout_s
  }

  var descriptors: [PollDescriptor] { child?.descriptors ?? [] }

  func renew() -> Event? {
    guard child == nil, let program = command.first else { return nil }
    do {
      child = try ChildProcess(command, timeout_s: timeout_s)
      return nil
    } catch {
      return .tokenCommandEnded(problem: "\(program) could not be started: \(error)", server: server)
    }
  }

  func receive(ready: [Int32]) -> [Event] {
    guard let end = child?.poll() else { return [] }
    child = nil
    return [
      .tokenCommandEnded(problem: end.problem(of: command[0], timeout_s: timeout_s), server: server)
    ]
  }
}
