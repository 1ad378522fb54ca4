import Glibc

/// Where the control socket is, and the few calls that both of its ends make.
enum ControlAddress {
  /// The longest line either way of asking, without its line break.
  static let maxLine_bytes = 1024

  static func path(in directory: String) -> String { directory + "/control" }

  static func socket(nonBlocking: Bool) throws(ControlError) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = Glibc.socket(AF_UNIX, type | (nonBlocking ? Int32(SOCK_NONBLOCK.rawValue) : 0), 0)
    guard descriptor >= 0 else { throw .system("socket", errno: errno) }
    return descriptor
  }

  /// Calls `bind` or `connect` with the address of `path`; 0 or errno.
  static func with(
    _ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(ControlError) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let limit = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard path.utf8.count <= limit else { throw .pathTooLong(limit: limit - "/control".utf8.count) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call($0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
      }
    }
  }

  /// Bytes sent or received, or minus errno.
  static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int {
    let (count, code) = uninterrupted {
      bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
    return count >= 0 ? count : -Int(code)
  }

  static func receive(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int {
    let (count, code) = uninterrupted { recv(descriptor, &buffer, buffer.count, 0) }
    return count >= 0 ? count : -Int(code)
  }
}
