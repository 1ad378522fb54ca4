import Foundation

/// Name servers that take every question and never answer, and a program that has them in its /etc/resolv.conf.
final class SilentNameServers {
  private let descriptors: [Int32]
  private let addresses: [String]

  /// Port 53 and a file system view of its own take root.
  static func missing() -> String? {
    if let part = Rig.missing() { return part }
    if getuid() != 0 { return "only root may listen on port 53 and mount another /etc/resolv.conf" }
    let isSandboxed = Rig.status(of: URL(fileURLWithPath: "/usr/bin/unshare"), ["-m", "/bin/true"]) != 0
    return isSandboxed ? "this machine does not let root mount (unshare -m)" : nil
  }

  /// - Parameter first: the last figure of the first one's address, in a network of this process' own in 127.0.0.0/8.
  init(count: Int, first: Int) throws {
    let network = UInt32(0x7F40_0000) | UInt32(getpid() & 0x3FFF) << 8
    addresses = (first..<first + count).map { "127.\(network >> 16 & 0xFF).\(network >> 8 & 0xFF).\($0)" }
    descriptors = try (first..<first + count).map { last in
      let descriptor = socket(
        AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(53).bigEndian
      address.sin_addr.s_addr = (network | UInt32(last)).bigEndian
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
      }
      guard code == 0 else { throw RigError.socket(errno) }
      return descriptor
    }
  }

  deinit { descriptors.forEach { close($0) } }

  /// Questions since this was last asked.
  func asked() -> Int {
    var count = 0
    var bytes = [UInt8](repeating: 0, count: 2048)
    for descriptor in descriptors { while recv(descriptor, &bytes, bytes.count, 0) > 0 { count += 1 } }
    return count
  }

  /// What starts a program that asks these name servers, to stand before its path. The process id stays the program's.
  func wrapper(in rig: Rig) throws -> [String] {
    let text =
      addresses.map { "nameserver \($0)\n" }.joined()
      + "search fleet.example.org\noptions timeout:30 attempts:5\n"
    try text.write(to: rig.file("resolv.conf"), atomically: true, encoding: .utf8)
    return Self.wrapper(with: rig.file("resolv.conf").path)
  }

  /// What starts a program for which the file at `path` is /etc/resolv.conf.
  static func wrapper(with path: String) -> [String] {
    // A view of its own must not hold on to file systems that other tests want to unmount.
    let script = """
      for place in $(awk '$1 ~ /loop/ && $2 ~ /godwit/ {print $2}' /proc/self/mounts); do umount -l "$place"; done
      mount --bind "$1" /etc/resolv.conf && shift && exec "$@"
      """
    return ["/usr/bin/unshare", "-m", "--propagation", "private", "/bin/sh", "-c", script, "sh", path]
  }
}
