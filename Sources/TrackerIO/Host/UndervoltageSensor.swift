import Glibc

/// The board's own alarm that its supply is too low: the attribute `in0_lcrit_alarm` of the hwmon device that
/// Raspberry Pi kernels call `rpi_volt`. The kernel looks every 2 s and wakes poll(2) when it has changed.
public final class UndervoltageSensor {
  public let descriptor: Int32

  static let deviceName = "rpi_volt"
  static let attribute = "in0_lcrit_alarm"

  /// - Parameter folder: where the kernel lists its hwmon devices.
  /// - Returns: nil where the board has no such alarm.
  public init?(folder: String = "/sys/class/hwmon") {
    guard let device = UndervoltageSensor.device(in: folder) else { return nil }
    guard let file = try? OutsideFile.open("\(device)/\(UndervoltageSensor.attribute)") else { return nil }
    descriptor = file
  }

  deinit { close(descriptor) }

  /// Whether the voltage is too low now; nil if the kernel does not say. Until it is read, poll(2) does not wait.
  public func read() -> Bool? {
    var digit: UInt8 = 0
    guard uninterrupted({ pread(descriptor, &digit, 1, 0) }).result == 1 else { return nil }
    switch digit {
    case UInt8(ascii: "0"): return false
    case UInt8(ascii: "1"): return true
    default: return nil
    }
  }

  private static func device(in folder: String) -> String? {
    FolderEntry.all(in: folder).map { "\(folder)/\($0.name)" }
      .first { firstLine(of: "\($0)/name") == deviceName }
  }

  private static func firstLine(of path: String) -> String? {
    // An attribute in /sys is a page at most.
    guard let bytes = try? OutsideFile.read(path, limit_bytes: 4096) else { return nil }
    return String(decoding: bytes.prefix { $0 != 0 && $0 != 10 }, as: UTF8.self)
  }
}
