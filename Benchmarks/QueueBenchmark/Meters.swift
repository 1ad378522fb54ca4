import Glibc

/// What the kernel counts.
enum Meters {
  /// What reached the block device since its start; nothing without a device.
  /// Field 7 of /sys/block/<dev>/stat counts sectors of 512 bytes, whatever the device's own size, and field 16 flushes
  /// (Documentation/block/stat.rst).
  static func written(to device: String?) -> Written {
    guard let device else { return Written() }
    let words = firstLine("/sys/block/\(device)/stat").split(separator: " ").map { Int64($0) ?? 0 }
    return Written(bytes: words.count > 6 ? words[6] * 512 : 0, flushes: words.count > 15 ? words[15] : 0)
  }

  /// Of this process and its threads.
  static var cpu_s: Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }
  static var now_s: Double { seconds(of: CLOCK_MONOTONIC) }

  static var residentKB: Int {
    let words = firstLine("/proc/self/statm").split(separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) / 1024 : 0
  }

  static func syncAll() { sync() }

  private static func seconds(of clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func firstLine(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    guard fgets(&line, Int32(line.count), file) != nil else { return "" }
    return line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }
}

/// What a block device got.
struct Written {
  var bytes: Int64 = 0
  /// Each is waited for: so often something was synchronised.
  var flushes: Int64 = 0

  static func - (later: Written, earlier: Written) -> Written {
    Written(bytes: later.bytes - earlier.bytes, flushes: later.flushes - earlier.flushes)
  }
}

/// Where something is measured: a folder and the block device under it.
struct Place {
  var folder: String
  var device: String?

  /// What `work` and the sync after it write to the device.
  func written(by work: () throws -> Void) rethrows -> Written {
    Meters.syncAll()
    let before = Meters.written(to: device)
    try work()
    Meters.syncAll()
    return Meters.written(to: device) - before
  }
}
