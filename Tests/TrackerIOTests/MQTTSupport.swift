import Glibc
import TrackerBase

@testable import TrackerIO

/// A TCP server on loopback, on the test's own thread, that plays a broker from a script: one reply for each packet.
final class ScriptedBroker: ScriptedPeer {
  enum Reply {
    case bytes([UInt8])
    /// Nothing more, and the connection stays.
    case silence
    case close
  }

  private let listener: Int32
  private var connections: [(descriptor: Int32, received: [UInt8])] = []
  private var replies: [Reply]
  /// Of all connections, in the order in which they were whole.
  private(set) var packets: [[UInt8]] = []
  private(set) var connectionCount = 0
  let port: UInt16

  /// Said as soon as the first bytes of a PUBLISH are here; empty: nothing.
  private var early: [UInt8]

  init(_ replies: [Reply], early: [UInt8] = []) {
    self.replies = replies
    self.early = early
    (listener, port) = makeLoopbackListener()
  }

  deinit {
    for connection in connections { close(connection.descriptor) }
    close(listener)
  }

  var url: String { "mqtt://127.0.0.1:\(port)/fleet/{device}" }

  var descriptors: [PollDescriptor] {
    [PollDescriptor(descriptor: listener)] + connections.map { PollDescriptor(descriptor: $0.descriptor) }
  }

  var timeout_ms: Int { 1000 }

  func drive(ready: [Int32]) {
    for index in connections.indices.reversed() where ready.contains(connections[index].descriptor) {
      if !proceed(&connections[index]) { hangUp(index) }
    }
    guard ready.contains(listener) else { return }
    let descriptor = accept(listener, nil, nil)
    guard descriptor >= 0 else { return }
    connections.append((descriptor, []))
    connectionCount += 1
  }

  /// To everybody who is connected, unasked.
  func say(_ bytes: [UInt8]) {
    for connection in connections { send(connection.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
  }

  func hangUp() { for index in connections.indices.reversed() { hangUp(index) } }

  private func hangUp(_ index: Int) {
    close(connections[index].descriptor)
    connections.remove(at: index)
  }

  /// False when the connection is over.
  private func proceed(_ connection: inout (descriptor: Int32, received: [UInt8])) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(connection.descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    connection.received += buffer[..<count]
    if !early.isEmpty, packets.count == 1, connection.received.first == 0x32 {
      send(connection.descriptor, early, early.count, Int32(MSG_NOSIGNAL))
      early = []
    }
    while let length = wholePacket(connection.received) {
      packets.append(Array(connection.received[..<length]))
      connection.received.removeFirst(length)
      // DISCONNECT gets no reply.
      guard packets.last?.first != 0xE0, !replies.isEmpty else { continue }
      switch replies.removeFirst() {
      case .bytes(let bytes): send(connection.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      case .silence: break
      case .close: return false
      }
    }
    return true
  }

  private func wholePacket(_ bytes: [UInt8]) -> Int? {
    var (length, index) = (0, 1)
    while index < bytes.count {
      length |= Int(bytes[index] & 0x7F) << (7 * (index - 1))
      index += 1
      if bytes[index - 1] < 0x80 { return bytes.count >= index + length ? index + length : nil }
    }
    return nil
  }
}
