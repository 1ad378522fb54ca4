import Glibc
import TrackerBase

/// One line that a command sent to the agent.
public struct ControlRequest: Equatable, Sendable {
  /// For `reply`; never used twice.
  public var id: Int
  /// Without its line break.
  public var line: String
}

/// The agent's end of the Unix socket `control` in its run directory: one line in, one text out, closed.
///
/// Never blocks. At most 8 clients at a time: a further one takes the place of one that has said nothing for a second,
/// or hears that the agent is busy. One that does not send its line, or take its answer, within `patience_ms` is
/// dropped. When descriptors have run out, a spare one answers so too. Who may connect is the file's mode, 0660, and its group.
public final class ControlSocket {
  static let maxClients = 8

  private let path: String
  private let listener: Int32
  private let patience_ms: Int64
  private var clients: [ControlConnection] = []
  private var nextID = 1
  /// Wakes the loop when a client's time is up, or the listener's rest is over.
  private let timer: BootTimer
  private var armedFor_ms: Int64?
  /// Given up for a moment to take a client that could not be taken otherwise.
  private var spare: Int32
  /// Nobody can be taken, not even to be answered so: until then nobody is listened to, or poll(2) would return at once.
  private var restsUntil_ms: Int64?
  private let identity: (device: dev_t, inode: ino_t)

  /// A client that asks sends its line at once: one that has not by then may be dropped for another.
  private let silence_ms: Int64
  static let rest_ms: Int64 = 1000
  /// Those that come at once must not keep the loop.
  static let mostInOneTurn = 64
  static let busyAnswer = "{\"error\":\"\(ControlError.busy)\"}\n"

  /// An agent that runs, though it may hang, has the socket of this directory. Nothing is changed.
  public static func isTaken(in directory: String) -> Bool {
    guard let probe = try? ControlAddress.socket(nonBlocking: true) else { return false }
    defer { close(probe) }
    let code = try? ControlAddress.with(ControlAddress.path(in: directory)) { connect(probe, $0, $1) }
    // EAGAIN: someone listens, and is busy.
    return code == 0 || code == EAGAIN
  }

  /// Takes the place of a socket that nobody listens on any more.
  ///
  /// - Parameter group: who may connect, beside the agent's user.
  public init(
    directory: String, patience_ms: Int64 = 5000, silence_ms: Int64 = 1000,
    group: gid_t? = ControlGroup.onThisSystem()
  ) throws(ControlError) {
    path = ControlAddress.path(in: directory)
    (self.patience_ms, self.silence_ms) = (patience_ms, silence_ms)
    try ControlSocket.clearStale(path)
    do { timer = try BootTimer() } catch { throw .system("timerfd_create", errno: errno) }
    let listener = try ControlAddress.socket(nonBlocking: true)
    do throws(ControlError) {
      try ControlSocket.listen(listener, path, group)
    } catch {
      close(listener)
      throw error
    }
    self.listener = listener
    spare = ControlSocket.openSpare()
    identity = ControlSocket.identity(of: path) ?? (0, 0)
  }

  deinit {
    for client in clients { close(client.descriptor) }
    close(listener)
    if spare >= 0 { close(spare) }
    // Another one's may have taken its place.
    if isInPlace { unlink(path) }
  }

  /// Its name still stands for it: clients find it.
  public var isInPlace: Bool { ControlSocket.identity(of: path).map { $0 == identity } ?? false }

  /// What to poll. A client whose line is being worked on is not among them.
  public var descriptors: [PollDescriptor] {
    let listening = restsUntil_ms == nil ? [PollDescriptor(descriptor: listener)] : []
    let waiting = armedFor_ms == nil ? [] : [PollDescriptor(descriptor: timer.descriptor)]
    return listening + clients.compactMap(\.poll) + waiting
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
    if ready.contains(timer.descriptor) { timer.acknowledge() }
    if let until_ms = restsUntil_ms, until_ms <= HostClock.now().boot_ms { restsUntil_ms = nil }
    if restsUntil_ms == nil, ready.contains(listener) { accept() }
    arm()
    return requests
  }

  /// Answers and closes, at once or as the client reads. For a client that is gone it does nothing.
  public func reply(id: Int, text: String) {
    guard let index = clients.firstIndex(where: { $0.id == id }) else { return }
    clients[index].answer(Array(text.utf8), deadline_ms: HostClock.now().boot_ms + patience_ms)
    dropFinished()
    arm()
  }

  // MARK: Parts

  private func accept() {
    for _ in 0..<ControlSocket.mostInOneTurn {
      let (descriptor, code) = uninterrupted { Glibc.accept(listener, nil, nil) }
      if descriptor >= 0 {
        take(descriptor)
        continue
      }
      switch code {
      case ECONNABORTED: continue
      case EAGAIN: return
      default:
        // EMFILE, ENFILE, ENOMEM: the client stays in the listener's queue, and poll(2) would report it for ever.
        if refuseWithSpare() { continue }
        restsUntil_ms = HostClock.now().boot_ms + ControlSocket.rest_ms
        return
      }
    }
  }

  private func take(_ descriptor: Int32) {
    guard makeRoom(), fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0,
      fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else { return refuse(descriptor) }
    let deadline_ms = HostClock.now().boot_ms + patience_ms
    clients.append(ControlConnection(id: nextID, descriptor: descriptor, deadline_ms: deadline_ms))
    nextID += 1
  }

  /// The client that has been silent longest goes, if it has been so for a second.
  private func makeRoom() -> Bool {
    if clients.count < ControlSocket.maxClients { return true }
    // They are in the order in which they came.
    guard let index = clients.firstIndex(where: \.isReading), let deadline_ms = clients[index].deadline_ms,
      HostClock.now().boot_ms - (deadline_ms - patience_ms) >= silence_ms
    else { return false }
    close(clients.remove(at: index).descriptor)
    return true
  }

  private func refuse(_ descriptor: Int32) {
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    _ = Glibc.send(descriptor, ControlSocket.busyAnswer, ControlSocket.busyAnswer.utf8.count, flags)
    close(descriptor)
  }

  /// - Returns: whether the spare descriptor was enough.
  private func refuseWithSpare() -> Bool {
    guard spare >= 0 else {
      spare = ControlSocket.openSpare()
      return false
    }
    close(spare)
    let descriptor = Glibc.accept(listener, nil, nil)
    if descriptor >= 0 { refuse(descriptor) }
    spare = ControlSocket.openSpare()
    return descriptor >= 0
  }

  private static func openSpare() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }

  /// A timer that refuses to be set costs a client's prompt end, but not the loop.
  private func arm() {
    let next_ms = earliest(clients.compactMap(\.deadline_ms).min(), restsUntil_ms)
    guard next_ms != armedFor_ms else { return }
    armedFor_ms = (try? timer.arm(at: next_ms)) == nil ? nil : next_ms
  }

  private static func identity(of path: String) -> (dev_t, ino_t)? {
    var info = stat()
    return lstat(path, &info) == 0 ? (info.st_dev, info.st_ino) : nil
  }

  private func dropFinished() {
    let now_ms = HostClock.now().boot_ms
    clients.removeAll { client in
      guard client.isFinished || client.deadline_ms.map({ $0 <= now_ms }) == true else { return false }
      close(client.descriptor)
      return true
    }
  }

  private static func clearStale(_ path: String) throws(ControlError) {
    var info = stat()
    // To connect(2) whatever is no socket is one on which nobody listens.
    if lstat(path, &info) == 0, info.st_mode & S_IFMT != S_IFSOCK { throw .notASocket(path: path) }
    let probe = try ControlAddress.socket(nonBlocking: true)
    defer { close(probe) }
    let code = try ControlAddress.with(path) { connect(probe, $0, $1) }
    switch code {
    case ENOENT: return
    case ECONNREFUSED:
      if unlink(path) != 0, errno != ENOENT { throw .system("unlink", errno: errno) }
    // EAGAIN: someone listens, and is busy.
    case 0, EAGAIN: throw .inUse
    default: throw .failed(call: "connect", code: code)
    }
  }

  private static func listen(_ listener: Int32, _ path: String, _ group: gid_t?) throws(ControlError) {
    let code = try ControlAddress.with(path) { bind(listener, $0, $1) }
    if code != 0 { throw .system("bind", errno: code) }
    // Root may, and who is in the group; for others the socket stays their own.
    if let group { _ = lchown(path, uid_t.max, group) }
    // Before listen, so that nobody connects under another mode.
    if chmod(path, 0o660) != 0 { throw .system("chmod", errno: errno) }
    if Glibc.listen(listener, Int32(maxClients)) != 0 { throw .system("listen", errno: errno) }
  }
}
