import CHost
import Glibc

/// The module's end of a serial line: a pseudo-terminal whose other end gpsd opens.
final class PlayedTerminal {
  /// As gpsd is to open it, and names it.
  let path: String
  private let descriptor: Int32

  init() {
    var path = [CChar](repeating: 0, count: 64)
    descriptor = chost_open_pty(&path, 64)
    self.path = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit { close(descriptor) }

  /// What has arrived; empty where nothing has.
  func read() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  func write(_ bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
