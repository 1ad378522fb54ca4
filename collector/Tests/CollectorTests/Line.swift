import Dispatch
import Glibc
import Testing

/// A connection that is read as it comes, which the client of the other tests does not do.
final class Line: Sendable {
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

  func read(until end: String) async throws -> String {
    var text = ""
    while !text.contains(end) {
      guard let piece = await piece() else { throw Ended(text: text) }
      text += piece
    }
    return text
  }

  /// What comes until the other side closes.
  @discardableResult
  func readToEnd() async -> String {
    var text = ""
    while let piece = await piece() { text += piece }
    return text
  }

  struct Ended: Error { var text: String }

  /// Away from the threads on which the collector itself runs here. Nil: the other side has closed.
  private func piece() async -> String? {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [self] in
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &piece, piece.count, 0)
        continuation.resume(returning: count > 0 ? String(decoding: piece.prefix(count), as: UTF8.self) : nil)
      }
    }
  }

  deinit { close(descriptor) }
}
