import Foundation
import Hummingbird
import NIOCore

/// An IP address, as limits count by it.
struct PeerAddress: Hashable, Sendable {
  /// 4 of IPv4 or 16 of IPv6.
  private let bytes: [UInt8]

  /// An IPv4 address that is written as one of IPv6 (RFC 4291, 2.5.5.2) is the IPv4 address.
  init?(_ text: some StringProtocol) {
    var found = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, String(text), &found) == 1 {
      bytes = Array(found.prefix(4))
    } else if inet_pton(AF_INET6, String(text), &found) == 1 {
      let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
      bytes = found.starts(with: mapped) ? Array(found.suffix(4)) : found
    } else {
      return nil
    }
  }

  /// Nil for a Unix socket.
  init?(_ address: SocketAddress?) {
    // A link-local address has its interface behind a %.
    guard let text = address?.ipAddress?.prefix(while: { $0 != "%" }) else { return nil }
    self.init(text)
  }

  var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }

  /// One subscriber: an IPv4 address, or the /64 that an IPv6 subscriber has at least (RFC 6177).
  var subscriber: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }

  /// The network around a subscriber: /24 or /64.
  var network: String {
    let part = bytes.count == 4 ? bytes.prefix(3) : bytes.prefix(8)
    return part.map { String($0) }.joined(separator: ".")
  }
}

extension CollectorContext {
  /// Who has sent a request. A proxy on this machine says it in `X-Forwarded-For`, where its own entry is the last; from
  /// any other sender the header says nothing.
  func sender(of request: Request) -> PeerAddress? {
    guard let peer, peer.isLoopback else { return peer }
    let entry = request.headers[.init("X-Forwarded-For")!]?.split(separator: ",").last
    return entry.flatMap { PeerAddress($0.trimmingCharacters(in: .whitespaces)) } ?? peer
  }
}
