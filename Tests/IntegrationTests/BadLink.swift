import Foundation

/// A link in user space between the agent and the collector, as bad as a test wants it to be.
///
/// Each connection of the agent has a fate. Threads of its own copy the bytes; what they share is behind `lock`.
final class BadLink: @unchecked Sendable {
  enum Fate: Sendable {
    case through
    /// Accepted and closed.
    case refused
    /// Accepted, and then nothing.
    case stalled
    /// The request goes through and is stored; its reply is lost.
    case replyLost
    /// The connection is cut after so many bytes of both directions.
    case cut(bytes: Int)
    /// Somebody else answers, and closes.
    case says(String)
    /// Somebody else takes all that comes, and says more than that: members of the reply, such as `"config":{…}`.
    case takes(and: String)
    /// Somebody else answers, and never stops.
    case floods(String, with: String)
    /// The same, one byte every hundredth of a second.
    case drips(String, with: String)
  }

  private let lock = NSLock()
  private let listener: Int32
  private let serverPort: Int
  private let delay_ms: Int
  private let bytesPerSecond: Int
  private let fate: @Sendable (_ connection: Int) -> Fate
  private var count = 0
  private var open: Set<Int32> = []
  private var isUp = true
  private var requestHeads: [String] = []
  private var arrived = 0
  let port: Int

  /// - Parameter fate: of each connection, from 0 on.
  init(
    to server: String, delay_ms: Int = 0, bytesPerSecond: Int = .max,
    _ fate: @escaping @Sendable (_ connection: Int) -> Fate
  ) throws {
    serverPort = Int(server.split(separator: ":").last ?? "") ?? 0
    self.delay_ms = delay_ms
    self.bytesPerSecond = bytesPerSecond
    self.fate = fate
    (listener, port) = try listenOnLoopback()
    let thread = Thread { [weak self, listener] in
      while true {
        let accepted = accept(listener, nil, nil)
        guard accepted >= 0, let self else { return }
        self.begin(accepted)
      }
    }
    thread.start()
  }

  /// Ends the thread that accepts, which holds no reference.
  func end() {
    setUp(false)
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  var url: String { "http://127.0.0.1:\(port)/v1/locations" }
  var connections: Int { lock.withLock { count } }
  /// Request lines and headers that arrived, as far as they were seen at the beginning of a read.
  var heads: [String] { lock.withLock { requestHeads } }

  /// What has arrived at the agent, whether or not it has read it: TCP says so.
  var bytesDown: Int {
    lock.withLock { arrived + open.reduce(0) { $0 + acknowledgedBytes($1) } }
  }

  /// Down: what is open is cut, what comes is refused.
  func setUp(_ up: Bool) {
    lock.withLock {
      isUp = up
      if !up { for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }
  }

  // MARK: one connection

  private func begin(_ descriptor: Int32) {
    let fate: Fate? = lock.withLock {
      guard isUp else { return nil }
      count += 1
      open.insert(descriptor)
      return self.fate(count - 1)
    }
    guard let fate else {
      close(descriptor)
      return
    }
    Thread.detachNewThread { [self] in
      live(fate, descriptor)
      lock.withLock {
        open.remove(descriptor)
        arrived += acknowledgedBytes(descriptor)
      }
      shutdown(descriptor, Int32(SHUT_RDWR))
      close(descriptor)
    }
  }

  private func live(_ fate: Fate, _ descriptor: Int32) {
    switch fate {
    case .through: relay(descriptor, most: .max, replies: true)
    case .cut(let bytes): relay(descriptor, most: bytes, replies: true)
    case .replyLost: relay(descriptor, most: .max, replies: false)
    case .refused: break
    case .stalled: while receive(descriptor) != nil {}
    case .says(let text):
      readRequest(descriptor)
      _ = send(Array(text.utf8), to: descriptor)
    case .takes(let more):
      let body = "{\"ack\":\(batch(readRequest(descriptor))),\(more)}"
      let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
      _ = send(Array("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8), to: descriptor)
    case .floods(let text, let more):
      readRequest(descriptor)
      var bytes = Array(text.utf8)
      let block = Array(repeatElement(Array(more.utf8), count: 500).joined())
      while send(bytes, to: descriptor) { bytes = block }
    case .drips(let text, let more):
      readRequest(descriptor)
      guard send(Array(text.utf8), to: descriptor) else { return }
      var index = 0
      let bytes = Array(more.utf8)
      while send([bytes[index % bytes.count]], to: descriptor) {
        index += 1
        usleep(10_000)
      }
    }
  }

  /// Copies both ways until an end closes, `most` bytes have passed, or the first reply had to be lost.
  private func relay(_ client: Int32, most: Int, replies: Bool) {
    guard let server = connectToLoopback(serverPort) else { return }
    defer { close(server) }
    let left = Allowance(most)
    let back = Thread { [self] in
      while let bytes = receive(server) {
        guard replies, copy(bytes, to: client, left) else { break }
      }
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
      left.isDone.signal()
    }
    back.start()
    while let bytes = receive(client) {
      note(bytes)
      guard copy(bytes, to: server, left) else { break }
    }
    shutdown(server, Int32(SHUT_RDWR))
    left.isDone.wait()
  }

  private func copy(_ bytes: [UInt8], to descriptor: Int32, _ left: Allowance) -> Bool {
    // The link's own time: nothing is waited for here.
    if delay_ms > 0 { usleep(UInt32(delay_ms * 1000)) }
    if bytesPerSecond < .max { usleep(UInt32(bytes.count * 1_000_000 / bytesPerSecond)) }
    let allowed = left.take(bytes.count)
    return send(Array(bytes.prefix(allowed)), to: descriptor) && allowed == bytes.count
  }

  private func note(_ bytes: [UInt8]) {
    let text = String(decoding: bytes.prefix(2000), as: UTF8.self)
    guard text.hasPrefix("POST ") else { return }
    let head = text.components(separatedBy: "\r\n\r\n")[0]
    lock.withLock { requestHeads.append(head) }
  }

  /// What `ack` says of the request with this head.
  private func batch(_ head: String) -> String {
    let line = head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("godwit-batch: ") }
    let batch = line?.dropFirst(14) ?? "status"
    return batch == "status" ? "[]" : "\"\(batch)\""
  }

  /// - Returns: its head.
  @discardableResult
  private func readRequest(_ descriptor: Int32) -> String {
    var request = ""
    while let bytes = receive(descriptor) {
      if request.isEmpty { note(bytes) }
      // One character a byte, also of a compressed body.
      request += String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
      let parts = request.components(separatedBy: "\r\n\r\n")
      let length = parts[0].components(separatedBy: "\r\n").first { $0.hasPrefix("Content-Length: ") }
        .flatMap { Int($0.dropFirst(16)) }
      if let length, request.unicodeScalars.count >= parts[0].unicodeScalars.count + 4 + length {
        return parts[0]
      }
    }
    return ""
  }

  private func receive(_ descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? Array(bytes[..<count]) : nil
  }

  private func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let rest = Array(bytes[sent...])
      let count = Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}

/// Bytes that may still pass, counted by the two threads of a connection.
private final class Allowance: @unchecked Sendable {
  private let lock = NSLock()
  private var left: Int
  let isDone = DispatchSemaphore(value: 0)

  init(_ bytes: Int) { left = bytes }

  func take(_ wanted: Int) -> Int {
    lock.withLock {
      let taken = min(wanted, left)
      left -= taken
      return taken
    }
  }
}

/// `tcpi_bytes_acked` of Linux's `struct tcp_info`: what the other end's TCP has taken.
private func acknowledgedBytes(_ descriptor: Int32) -> Int {
  let TCP_INFO: Int32 = 11
  var info = [UInt8](repeating: 0, count: 128)
  var size = socklen_t(info.count)
  guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0, size == 128 else { return 0 }
  return Int(info[120..<128].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
}

private func loopback(_ port: Int) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

func listenOnLoopback() throws -> (Int32, Int) {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = loopback(0)
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let result = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0 ? getsockname(descriptor, $0, &size) : -1
    }
  }
  guard result == 0 else { throw RigError.socket(errno) }
  return (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
}

private func connectToLoopback(_ port: Int) -> Int32? {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { return nil }
  var address = loopback(port)
  let result = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  if result == 0 { return descriptor }
  close(descriptor)
  return nil
}
