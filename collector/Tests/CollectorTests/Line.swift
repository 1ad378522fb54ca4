import Glibc
import Testing

/// A connection that is read as it comes, which the client of the other tests does not do.
final class Line {
  private let descriptor: Int32

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(result == 0)
  }

  func send(_ text: String) throws {
    try #require(Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count)
  }

  func read(until end: String) throws -> String {
    var (text, piece) = ("", [UInt8](repeating: 0, count: 4096))
    while !text.contains(end) {
      let count = recv(descriptor, &piece, piece.count, 0)
      try #require(count > 0, "ended after \(text)")
      text += String(decoding: piece.prefix(count), as: UTF8.self)
    }
    return text
  }

  deinit { close(descriptor) }
}
