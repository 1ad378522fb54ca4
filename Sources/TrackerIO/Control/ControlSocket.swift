import Glibc
import TrackerCore

/// One line that a command sent to the agent.
public struct ControlRequest: Equatable, Sendable {
  /// For `reply`; never used twice.
  public var id: Int
  /// Without its line break.
  public var line: String
}

/// The agent's end of the Unix socket `control` in its run directory: one line in, one text out, closed.
///
/// Never blocks. At most 8 clients at a time; one that does not send its line, or take its answer, within
/// `patience_ms` is dropped. Who may connect is the file's mode: 0660.
public final class ControlSocket {
  static let maxClients = 8

  private let path: String
  private let listener: Int32
  private let patience_ms: Int64
  private var clients: [ControlConnection] = []
  private var nextID = 1

  /// Takes the place of a socket that nobody listens on any more.
  public init(directory: String, patience_ms: Int64 = 5000) throws(ControlError) {
    path = ControlAddress.path(in: directory)
    self.patience_ms = patience_ms
    try ControlSocket.clearStale(path)
    let listener = try ControlAddress.socket(nonBlocking: true)
    do throws(ControlError) {
      try ControlSocket.listen(listener, path)
    } catch {
      close(listener)
      throw error
    }
    self.listener = listener
  }

  deinit {
    for client in clients { close(client.descriptor) }
    close(listener)
    unlink(path)
  }

  /// What to poll. A client whose line is being worked on is not among them.
  public var descriptors: [PollDescriptor] {
    [PollDescriptor(descriptor: listener)] + clients.compactMap(\.poll)
  }

  /// Does what is possible now and returns the lines that are whole. Each wants a `reply`. `ready` may hold
  /// descriptors of others.
  public func receive(ready: [Int32]) -> [ControlRequest] {
    var requests: [ControlRequest] = []
    for index in clients.indices where ready.contains(clients[index].descriptor) {
      if let line = clients[index].proceed() {
        requests.append(ControlRequest(id: clients[index].id, line: line))
      }
    }
    // After the clients: a new one may get the descriptor of one that was dropped.
    dropFinished()
    if ready.contains(listener) { accept() }
    return requests
  }

  /// Answers and closes, at once or as the client reads. For a client that is gone it does nothing.
  public func reply(id: Int, text: String) {
    guard let index = clients.firstIndex(where: { $0.id == id }) else { return }
    clients[index].answer(Array(text.utf8), deadline_ms: ControlSocket.now_ms() + patience_ms)
    dropFinished()
  }

  // MARK: Parts

  private func accept() {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        return
      }
      guard clients.count < ControlSocket.maxClients, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0,
        fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
      else {
        close(descriptor)
        continue
      }
      let deadline_ms = ControlSocket.now_ms() + patience_ms
      clients.append(ControlConnection(id: nextID, descriptor: descriptor, deadline_ms: deadline_ms))
      nextID += 1
    }
  }

  private func dropFinished() {
    let now_ms = ControlSocket.now_ms()
    clients.removeAll { client in
      guard client.isFinished || client.deadline_ms.map({ $0 <= now_ms }) == true else { return false }
      close(client.descriptor)
      return true
    }
  }

  private static func clearStale(_ path: String) throws(ControlError) {
    let probe = try ControlAddress.socket(nonBlocking: true)
    defer { close(probe) }
    let code = try ControlAddress.with(path) { connect(probe, $0, $1) }
    switch code {
    case ENOENT: return
    case ECONNREFUSED:
      if unlink(path) != 0, errno != ENOENT { throw .system("unlink", errno: errno) }
    // EAGAIN: someone listens, and is busy.
    case 0, EAGAIN: throw .inUse
    default: throw .failed(call: "connect", code: code, words: String(cString: strerror(code)))
    }
  }

  private static func listen(_ listener: Int32, _ path: String) throws(ControlError) {
    let code = try ControlAddress.with(path) { bind(listener, $0, $1) }
    if code != 0 { throw .system("bind", errno: code) }
    // Before listen, so that nobody connects under another mode.
    if chmod(path, 0o660) != 0 { throw .system("chmod", errno: errno) }
    if Glibc.listen(listener, Int32(maxClients)) != 0 { throw .system("listen", errno: errno) }
  }

  private static func now_ms() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}
