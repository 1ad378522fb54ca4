import Glibc
import TrackerCore

/// Debian's gpsd.socket lists [::1] too. Where there is no IPv6 it fails whole, and gpsd is never started.
enum NoIPv6 {
  /// gpsd is to run on this machine.
  static func isLocal(_ settings: GPSSettings) -> Bool {
    settings.host == "localhost" || settings.host == "::1" || settings.host.hasPrefix("127.")
  }

  /// What to do; nil where there is IPv6, or gpsd is on another machine.
  static func words(_ settings: GPSSettings, hasIPv6: Bool = hasLoopback()) -> String? {
    guard isLocal(settings), !hasIPv6 else { return nil }
    return
      "this machine has no IPv6, and Debian's gpsd.socket fails without: sudo godwit-setup --board has it listen on 127.0.0.1 alone"
  }

  private static func hasLoopback() -> Bool {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
      }
    }
  }
}
