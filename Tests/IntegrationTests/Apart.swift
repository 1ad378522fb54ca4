import Glibc

/// A loopback port that nobody listens on, and that this process has for itself as long as it lives. The kernel gives
/// the ports of this range to nobody who asks for any; that no other test takes one is kept by the name of a socket.
func freePort() -> Int {
  while true {
    let port = Int.random(in: 10_000..<30_000)
    if isReserved(port), isUnused(port) { return port }
  }
}

/// The name stays taken until this process ends, however it ends.
private func isReserved(_ port: Int) -> Bool {
  let holder = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  // Abstract (unix(7)): no file, and gone with its socket.
  let name = [0] + Array("godwit-test-port-\(port)".utf8)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
  let size = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + name.count
  let code = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(holder, $0, socklen_t(size)) }
  }
  if code != 0 { close(holder) }
  return code == 0
}

private func isUnused(_ port: Int) -> Bool {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(listener) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(port).bigEndian
  address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}

/// What stands before a gpsd's command, so that it has the shared memory for itself that all gpsds of a machine write
/// into (System V IPC). Nothing where the machine allows no name spaces.
let ownIPC: [String] =
  [["/usr/bin/unshare", "-i"], ["/usr/bin/unshare", "--map-current-user", "-i"]].first {
    system("\($0.joined(separator: " ")) true 2>/dev/null") == 0
  } ?? []
