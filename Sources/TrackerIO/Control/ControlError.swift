import Glibc

/// What can go wrong with the control socket, at either end.
public enum ControlError: Error, Equatable {
  case failed(call: String, code: Int32)
  /// Another agent answers on the socket.
  case inUse
  /// Something else has the socket's place.
  case notASocket(path: String)
  /// The path does not fit into a socket address.
  case pathTooLong(limit: Int)
  /// The agent is not there.
  case notRunning(code: Int32)
  case notAllowed(code: Int32)
  /// The agent took the line and did not answer in time.
  case noAnswer
  case lineTooLong(limit: Int)
  /// The agent is there, and has no room for one more that asks.
  case busy

  static func system(_ call: String, errno code: Int32) -> ControlError {
    switch (call, code) {
    case ("connect", ENOENT), ("connect", ECONNREFUSED): .notRunning(code: code)
    case ("connect", EACCES), ("connect", EPERM): .notAllowed(code: code)
    case (_, EAGAIN): .noAnswer
    default: .failed(call: call, code: code)
    }
  }
}

extension ControlError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .failed(let call, let code) where code == ECONNRESET || code == EPIPE:
      "the agent ended while it was asked: \(call): \(words(code)); ask again, or see systemctl status godwit"
    case .failed(let call, let code):
      "control socket: \(call): \(words(code)); run.directory must exist and belong to the agent's user"
    case .inUse: "control socket: another godwit is running; stop it first"
    case .notASocket(let path):
      "control socket: \(path) is no socket: move it away, the agent makes its own there"
    case .pathTooLong(let limit): "control socket: run.directory is too long; it may have \(limit) bytes"
    case .notRunning(let code): "connect: \(words(code)); is it running? systemctl status godwit shows it"
    case .notAllowed(let code):
      "not allowed to reach the agent: connect: \(words(code)); join the group godwit, or use sudo"
    case .noAnswer: "the agent did not answer in time; see journalctl -u godwit"
    case .busy: "the agent is busy with others that ask it; ask again"
    case .lineTooLong(let limit): "the command is too long; it may have \(limit) bytes"
    }
  }

  private func words(_ code: Int32) -> String { "\(String(cString: strerror(code))) (\(code))" }
}
