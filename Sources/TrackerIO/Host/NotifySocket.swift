import Glibc

/// systemd's socket for a service's notifications (sd_notify(3), "Notes" on the protocol), without waiting for a
/// systemd that does not read it: libsystemd's own sd_notify blocks then, and opens a descriptor each time.
final class NotifySocket {
  private let descriptor: Int32
  private var address: sockaddr_un
  private let length: socklen_t

  /// - Parameter name: what NOTIFY_SOCKET says: a path, or after `@` an abstract name.
  init?(_ name: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    guard bytes.count > 1, bytes.count < MemoryLayout.size(ofValue: address.sun_path),
      bytes[0] == UInt8(ascii: "/") || bytes[0] == UInt8(ascii: "@")
    else { return nil }
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    self.address = address
    length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    descriptor = socket(AF_UNIX, type, 0)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// - Parameter patience_ms: how long to try while systemd's queue is full.
  /// - Returns: whether it was taken.
  @discardableResult
  func send(_ text: String, patience_ms: Int64 = 0) -> Bool {
    let end_ms = HostClock.now().boot_ms + patience_ms
    while true {
      let (sent, code) = sendOnce(text)
      if sent >= 0 { return true }
      guard code == EAGAIN, HostClock.now().boot_ms < end_ms else { return false }
      // An unconnected socket cannot be waited for.
      poll(nil, 0, 20)
    }
  }

  private func sendOnce(_ text: String) -> (Int, Int32) {
    let bytes = Array(text.utf8)
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    return uninterrupted {
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(descriptor, bytes, bytes.count, flags, $0, length)
        }
      }
    }
  }
}
