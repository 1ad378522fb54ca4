import Glibc
import TrackerBase

public enum VoltageError: Error, Equatable, CustomStringConvertible {
  case missing
  case tooManyNames
  case file(OutsideFileError)
  case notANumber

  public var description: String {
    switch self {
    case .missing: "there is no such file: is the driver of the converter loaded?"
    case .tooManyNames:
      "its pattern leads through more than \(VoltageFile.mostNames) names: write out the folders before the first * or between two"
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

  /// In volts.
  public func read() throws(VoltageError) -> Double {
    let volts = try number() * voltsPerUnit
    guard (0...1000).contains(volts) else { throw .notANumber }
    return volts
  }

  /// What the file holds. Drivers answer within milliseconds.
  public func number() throws(VoltageError) -> Double {
    guard let path = try path() else { throw .missing }
    let bytes: [UInt8]
    // An attribute in /sys is a page at most.
    do throws(OutsideFileError) { bytes = try OutsideFile.read(path, limit_bytes: 4096) } catch {
      throw .file(error)
    }
    let text = String(decoding: bytes.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    guard let number = Double(text) else { throw .notANumber }
    return number
  }

  /// The folders of devices have some tens, and reading thousands takes milliseconds.
  static let mostNames = 4096

  /// The first match by name: numbers in names such as hwmon3 change with each boot. nil: there is none.
  public func path() throws(VoltageError) -> String? {
    var left = VoltageFile.mostNames
    let parts = pattern.split(separator: "/").map { String($0) }
    return try VoltageFile.first(of: parts[...], in: pattern.hasPrefix("/") ? "/" : "", &left)
  }

  /// What glob(3) would find, but it has no bound: `/*/*/*/*` is the whole disk.
  ///
  /// - Parameter folder: with its `/`; empty is the working directory.
  private static func first(
    of parts: ArraySlice<String>, in folder: String, _ left: inout Int
  ) throws(VoltageError) -> String? {
    guard let part = parts.first else { return nil }
    let rest = parts.dropFirst()
    for name in try names(like: part, in: folder, &left) {
      let path = folder + name
      if rest.isEmpty {
        if access(path, F_OK) == 0 { return path }
      } else if let found = try first(of: rest, in: path + "/", &left) {
        return found
      }
    }
    return nil
  }

  private static func names(
    like part: String, in folder: String, _ left: inout Int
  ) throws(VoltageError) -> [String] {
    guard part.contains(where: { "*?[\\".contains($0) }) else { return [part] }
    guard let entries = FolderEntry.all(in: folder.isEmpty ? "." : folder, most: left) else {
      throw .tooManyNames
    }
    left -= entries.count
    return entries.map(\.name).filter { fnmatch(part, $0, FNM_PERIOD) == 0 }.sorted()
  }
}
