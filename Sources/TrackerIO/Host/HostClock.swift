import CHost
import Glibc
import TrackerBase

/// The host's clocks and names.
public enum HostClock {
  /// Both clocks, read one after the other.
  public static func now() -> Moment {
    Moment(boot_ms: read_ms(CLOCK_BOOTTIME), wall_ms: read_ms(CLOCK_REALTIME))
  }

  /// How long the machine was suspended in this boot: the boot clock ran on, and the other did not.
  public static func suspended_ms() -> Int64 { read_ms(CLOCK_BOOTTIME) - read_ms(CLOCK_MONOTONIC) }

  /// Whether somebody keeps the wall clock right (NTP, or chrony from gpsd).
  ///
  /// The kernel bounds the clock's error by less than 16 s only while it is disciplined; this is systemd's test
  /// for `NTPSynchronized` too. `STA_UNSYNC` says less: chrony leaves it set unless `rtcsync` is configured.
  public static func isSynchronised() -> Bool { maxError_s() != nil }

  /// The kernel's own bound of that error; nil while nobody keeps the clock right.
  static func maxError_s() -> Double? {
    let maxError_us = chost_clock_max_error_us()
    return maxError_us >= 0 && maxError_us < 16_000_000 ? Double(maxError_us) / 1_000_000 : nil
  }

  /// Unix milliseconds at `now` if somebody keeps the wall clock right.
  public static func trusted_ms(at now: Moment) -> Int64? { isSynchronised() ? now.wall_ms : nil }

  /// The id of this boot, which a reading of the boot clock is meaningless without. Empty only without /proc.
  public static func bootID() -> String { thisBoot }
  private static let thisBoot = firstLine("/proc/sys/kernel/random/boot_id") ?? ""

  /// The machine id of the operating system; nil if it has none yet. - Parameter root: before the file's path.
  public static func machineID(root: String = "") -> String? {
    guard let id = firstLine(root + "/etc/machine-id"), id != "uninitialized" else { return nil }
    return id
  }

  private static func read_ms(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  private static func firstLine(_ path: String) -> String? {
    guard let bytes = try? OutsideFile.read(path, limit_bytes: 4096) else { return nil }
    let line = bytes.prefix { $0 > 0x20 }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
