import Glibc
import TrackerBase

@testable import TrackerIO

/// A name server on loopback, over UDP and TCP, on the test's own thread.
final class NameServer: ScriptedPeer {
  enum Kind: UInt16 {
    case a = 1
    case aaaa = 28
  }

  enum Answer: Equatable {
    case addresses([String])
    /// The name is another's, whose addresses come with it.
    case alias(String, [String])
    /// RFC 1035, 4.1.1: 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED.
    case code(UInt8)
    /// Too long for UDP: to be asked for over TCP.
    case truncated
    case silence
    /// Not before `sayWhatWaits`.
    case later([String])
    /// The header of an answer, and then this.
    case garbage([UInt8])
  }

  struct Question: Equatable {
    var name: String
    var kind: Kind
    var isTCP = false
  }

  private let datagrams: Int32
  private let listener: Int32
  private var connections: [Int32] = []
  private var waiting: [(bytes: [UInt8], to: sockaddr_in)] = []
  private let answer: (Question) -> Answer
  private(set) var questions: [Question] = []
  let port: UInt16

  init(_ answer: @escaping (Question) -> Answer) {
    self.answer = answer
    let datagrams = socket(
      AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    func isTakenByUDP(_ port: UInt16) -> Bool {
      var address = loopbackAddress(port)
      return withSocketAddress(&address) { bind(datagrams, $0, $1) } != 0
    }
    // The number of a free TCP port may be somebody's with UDP.
    var (listener, port) = makeLoopbackListener()
    while isTakenByUDP(port) {
      close(listener)
      (listener, port) = makeLoopbackListener()
    }
    (self.listener, self.port, self.datagrams) = (listener, port, datagrams)
  }

  deinit { for descriptor in connections + [datagrams, listener] { close(descriptor) } }

  /// For `nameServers`.
  var address: String { "127.0.0.1:\(port)" }
  var timeout_ms: Int { 1000 }
  var descriptors: [PollDescriptor] {
    ([datagrams, listener] + connections).map { PollDescriptor(descriptor: $0) }
  }

  func drive(ready: [Int32]) {
    if ready.contains(datagrams) { answerDatagrams() }
    for descriptor in connections where ready.contains(descriptor) { answerConnection(descriptor) }
    if ready.contains(listener) { connections.append(accept(listener, nil, nil)) }
  }

  func sayWhatWaits() {
    for (bytes, var peer) in waiting {
      _ = withSocketAddress(&peer) { sendto(datagrams, bytes, bytes.count, 0, $0, $1) }
    }
    waiting = []
  }

  // MARK: Messages

  private func answerDatagrams() {
    var bytes = [UInt8](repeating: 0, count: 2048)
    var peer = sockaddr_in()
    while true {
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let count = withSocketAddress(&peer) { peer, _ in
        recvfrom(datagrams, &bytes, bytes.count, 0, peer, &size)
      }
      guard count > 12 else { return }
      let query = Array(bytes[..<count])
      guard let (message, isLater) = reply(to: query, isTCP: false) else { continue }
      if isLater {
        waiting.append((message, peer))
      } else {
        _ = withSocketAddress(&peer) { sendto(datagrams, message, message.count, 0, $0, $1) }
      }
    }
  }

  private func answerConnection(_ descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: 2048)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else {
      close(descriptor)
      connections.removeAll { $0 == descriptor }
      return
    }
    // Each message has its length before it.
    var rest = bytes[..<count]
    while rest.count > 14 {
      let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
      let query = Array(rest.dropFirst(2).prefix(length))
      rest = rest.dropFirst(2 + length)
      guard let (message, _) = reply(to: query, isTCP: true) else { continue }
      let framed = be16(UInt16(message.count)) + message
      send(descriptor, framed, framed.count, Int32(MSG_NOSIGNAL))
    }
  }

  private func reply(to query: [UInt8], isTCP: Bool) -> (bytes: [UInt8], isLater: Bool)? {
    var (labels, index) = ([String](), 12)
    while index < query.count, query[index] > 0 {
      let end = min(query.count, index + 1 + Int(query[index]))
      labels.append(String(decoding: query[(index + 1)..<end], as: UTF8.self))
      index = end
    }
    guard index + 5 <= query.count, let kind = Kind(rawValue: UInt16(query[index + 2])) else { return nil }
    let question = Question(name: labels.joined(separator: "."), kind: kind, isTCP: isTCP)
    questions.append(question)
    let asked = Array(query[12..<(index + 5)])
    func message(_ records: [[UInt8]] = [], code: UInt8 = 0, flags: UInt8 = 0) -> [UInt8] {
      var bytes = Array(query[..<2])
      bytes += [0x81 | flags, 0x80 | code]
      for count in [1, records.count, 0, 0] { bytes += be16(UInt16(count)) }
      return bytes + asked + records.joined()
    }
    func records(_ addresses: [String], of name: [UInt8]) -> [[UInt8]] {
      addresses.compactMap(figures).filter { ($0.count == 4) == (kind == .a) }
        .map { record(name, kind.rawValue, $0) }
    }
    switch answer(question) {
    case .silence: return nil
    case .addresses(let all): return (message(records(all, of: [0xC0, 12])), false)
    case .later(let all): return (message(records(all, of: [0xC0, 12])), true)
    case .alias(let name, let all):
      let alias = record([0xC0, 12], 5, encoded(name))
      return (message([alias] + records(all, of: encoded(name))), false)
    case .code(let code): return (message(code: code), false)
    case .truncated: return (message(flags: 2), false)
    case .garbage(let bytes): return (Array(message().prefix(12)) + bytes, false)
    }
  }

  private func record(_ name: [UInt8], _ type: UInt16, _ data: [UInt8]) -> [UInt8] {
    name + be16(type) + be16(1) + [0, 0, 1, 44] + be16(UInt16(data.count)) + data
  }

  private func encoded(_ name: String) -> [UInt8] {
    name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }

  private func figures(_ address: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, address, &bytes) == 1 { return Array(bytes.prefix(4)) }
    return inet_pton(AF_INET6, address, &bytes) == 1 ? bytes : nil
  }
}

private func be16(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

private func loopbackAddress(_ port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

private func withSocketAddress<Value>(
  _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Value
) -> Value {
  withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
