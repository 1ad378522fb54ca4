import Glibc
import TrackerCore

public enum VoltageError: Error, Equatable, CustomStringConvertible {
  case missing
  case file(OutsideFileError)
  case notANumber

  public var description: String {
    switch self {
    case .missing: "there is no such file: is the driver of the converter loaded?"
    case .file(let error): "\(error)"
    case .notANumber: "the file does not hold a number that a voltage can be"
    }
  }
}

/// A voltage that the kernel shows as a number in a file: hwmon, power_supply, IIO.
public struct VoltageFile {
  private let pattern: String
  private let voltsPerUnit: Double

  public init(_ settings: BatterySettings) {
    (pattern, voltsPerUnit) = (settings.voltageFile, settings.voltsPerUnit)
  }

  /// In volts. Drivers answer within milliseconds.
  public func read() throws(VoltageError) -> Double {
    guard let path = VoltageFile.first(pattern) else { throw .missing }
    let bytes: [UInt8]
    // An attribute in /sys is a page at most.
    do throws(OutsideFileError) { bytes = try OutsideFile.read(path, limit_bytes: 4096) } catch {
      throw .file(error)
    }
    let text = String(decoding: bytes.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    guard let volts = Double(text).map({ $0 * voltsPerUnit }), (0...1000).contains(volts) else {
      throw .notANumber
    }
    return volts
  }

  /// Numbers in names such as hwmon3 change with each boot.
  private static func first(_ pattern: String) -> String? {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern, 0, nil, &found) == 0, let path = found.gl_pathv?[0] else { return nil }
    return String(cString: path)
  }
}
