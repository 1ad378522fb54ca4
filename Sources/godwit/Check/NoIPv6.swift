import TrackerBase
import TrackerIO

/// Debian's gpsd.socket lists [::1] too. Where there is no IPv6 it fails whole, and gpsd is never started.
enum NoIPv6 {
  /// What to do; nil where there is IPv6, or gpsd is on another machine.
  static func words(_ settings: GPSSettings) -> String? {
    guard ServerURL.isLoopback(host: settings.host), !hasLoopback else { return nil }
    return
      "this machine has no IPv6, and Debian's gpsd.socket fails without: sudo godwit-setup --board has it listen on 127.0.0.1 alone"
  }

  /// The kernel lists ::1 where there is IPv6.
  private static var hasLoopback: Bool {
    let lines = (try? OutsideFile.read("/proc/net/if_inet6", limit_bytes: 65_536)) ?? []
    return lines.split(separator: UInt8(ascii: "\n"))
      .contains { $0.starts(with: "00000000000000000000000000000001 ".utf8) }
  }
}
