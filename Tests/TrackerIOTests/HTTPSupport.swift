import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

/// A TCP server on loopback, on the test's own thread, that answers each whole request from a script.
final class ScriptedServer: ScriptedPeer {
  enum After: Equatable {
    case keep, close, stall
    /// The same again and again.
    case flood
    /// One byte every hundredth of a second, also of the reply itself.
    case drip
  }

  struct Reply {
    var bytes: [UInt8]
    var after: After
    /// What floods or drips once `bytes` are sent.
    var more: [UInt8]

    init(_ text: String, after: After = .keep, more: String = "x") {
      bytes = Array(text.utf8)
      self.after = after
      self.more = Array(more.utf8)
    }

    static func json(_ status: String, _ body: String, headers: String = "") -> Reply {
      Reply(
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(headers)Content-Length: \(body.utf8.count)"
          + "\r\n\r\n\(body)")
    }
  }

  private struct Connection {
    var descriptor: Int32
    var received: [UInt8] = []
    var unsent: [UInt8] = []
    var after = After.keep
    var more: [UInt8] = []
    var dripsAt = ContinuousClock.now
  }

  private let listener: Int32
  private var connections: [Connection] = []
  private var replies: [Reply]
  /// Sent to whoever connects, before any request.
  private let greeting: Reply?
  /// Answers when the headers are there, and reads no more before it has answered.
  var answersEarly = false
  /// Closes a connection on the next bytes that come over it.
  var hangsUpNext = false
  private(set) var requests: [[UInt8]] = []
  private(set) var connectionCount = 0
  let port: UInt16

  init(_ replies: [Reply], greeting: Reply? = nil) {
    self.replies = replies
    self.greeting = greeting
    (listener, port) = makeLoopbackListener()
  }

  deinit {
    for connection in connections { close(connection.descriptor) }
    close(listener)
  }

  var url: String { "http://127.0.0.1:\(port)/track" }

  var descriptors: [PollDescriptor] {
    [PollDescriptor(descriptor: listener)]
      + connections.map {
        PollDescriptor(
          descriptor: $0.descriptor, wantsRead: $0.after != .stall,
          wantsWrite: $0.after != .drip && (!$0.unsent.isEmpty || $0.after == .flood))
      }
  }

  /// In how many milliseconds the next byte drips.
  var timeout_ms: Int { connections.contains { $0.after == .drip } ? 10 : 1000 }

  func drive(ready: [Int32]) {
    for index in connections.indices.reversed() {
      let drips = connections[index].after == .drip && connections[index].dripsAt <= .now
      guard drips || ready.contains(connections[index].descriptor) else { continue }
      if !proceed(&connections[index]) {
        close(connections[index].descriptor)
        connections.remove(at: index)
      }
    }
    guard ready.contains(listener) else { return }
    let descriptor = accept(listener, nil, nil)
    guard descriptor >= 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { return }
    connections.append(Connection(descriptor: descriptor))
    connectionCount += 1
    if let greeting { answer(greeting, &connections[connections.count - 1]) }
  }

  /// To everybody who is connected, unasked.
  func say(_ text: String) {
    for connection in connections { send(connection.descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }
  }

  /// False when the connection is over.
  private func proceed(_ connection: inout Connection) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(connection.descriptor, &buffer, buffer.count, 0)
    if count == 0 || (count < 0 && errno != EAGAIN) { return false }
    if hangsUpNext, count > 0 {
      hangsUpNext = false
      return false
    }
    if count > 0 { connection.received += buffer[..<count] }
    if answersEarly {
      if !connection.received.isEmpty, !replies.isEmpty { answer(replies.removeFirst(), &connection) }
      connection.received = []
    } else if let length = wholeRequest(connection.received), !replies.isEmpty {
      requests.append(Array(connection.received[..<length]))
      connection.received.removeFirst(length)
      answer(replies.removeFirst(), &connection)
    }
    return flush(&connection)
  }

  private func answer(_ reply: Reply, _ connection: inout Connection) {
    (connection.unsent, connection.after, connection.more) = (reply.bytes, reply.after, reply.more)
  }

  private func flush(_ connection: inout Connection) -> Bool {
    if connection.unsent.isEmpty {
      switch connection.after {
      case .flood:
        connection.unsent = Array(
          repeatElement(connection.more, count: 8192 / connection.more.count).joined())
      case .drip: connection.unsent = connection.more
      case .keep, .stall: return true
      case .close: return false
      }
    }
    if connection.after == .drip {
      guard connection.dripsAt <= .now else { return true }
      connection.dripsAt = .now + .milliseconds(10)
    }
    let most = connection.after == .drip ? 1 : connection.unsent.count
    let count = send(connection.descriptor, connection.unsent, most, Int32(MSG_NOSIGNAL))
    if count < 0 { return errno == EAGAIN }
    connection.unsent.removeFirst(count)
    return !(connection.unsent.isEmpty && connection.after == .close)
  }

  /// Length of the first request in `bytes`, once it is there with its body.
  private func wholeRequest(_ bytes: [UInt8]) -> Int? {
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    guard let end = lines.firstIndex(of: "") else { return nil }
    let head = lines[..<end].reduce(0) { $0 + $1.utf8.count + 2 } + 2
    let length = lines[..<end].first { $0.lowercased().hasPrefix("content-length: ") }
      .flatMap { Int($0.split(separator: " ").last ?? "") }
    let whole = head + (length ?? 0)
    return bytes.count >= whole ? whole : nil
  }
}

/// A listening socket on 127.0.0.1 and its port.
func makeLoopbackListener() -> (Int32, UInt16) {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      _ = bind(listener, $0, length)
      _ = listen(listener, 8)
      _ = getsockname(listener, $0, &length)
    }
  }
  return (listener, UInt16(bigEndian: address.sin_port))
}

/// The other side of a connection, on the test's own thread.
protocol ScriptedPeer {
  var descriptors: [PollDescriptor] { get }
  var timeout_ms: Int { get }
  func drive(ready: [Int32])
}

/// The agent's loop in small: polls for both sides until the request has its result.
func finish(_ uploader: any Uploader, with server: (any ScriptedPeer)? = nil) throws -> UploadResult {
  let end = ContinuousClock.now + .seconds(300)
  while ContinuousClock.now < end {
    let ready = waitForDescriptors(
      uploader.descriptors + (server?.descriptors ?? []),
      timeout_ms: min(uploader.timeout_ms ?? 1000, server?.timeout_ms ?? 1000))
    server?.drive(ready: ready)
    if let result = uploader.drive(ready: ready) { return result }
  }
  throw WaitedTooLong()
}

struct WaitedTooLong: Error {}

/// poll(2); returns what is ready.
func waitForDescriptors(_ wanted: [PollDescriptor], timeout_ms: Int) -> [Int32] {
  var polled = wanted.map {
    pollfd(
      fd: $0.descriptor, events: Int16(($0.wantsRead ? POLLIN : 0) | ($0.wantsWrite ? POLLOUT : 0)),
      revents: 0)
  }
  poll(&polled, nfds_t(polled.count), Int32(timeout_ms))
  return polled.filter { $0.revents != 0 }.map(\.fd)
}
