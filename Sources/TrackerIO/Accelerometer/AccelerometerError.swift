import Glibc

/// Why the accelerometer cannot be used.
public enum AccelerometerError: Error, Equatable, CustomStringConvertible {
  /// `available`: the names of what there is.
  case missing(name: String, available: [String])
  case ambiguous(name: String, devices: [String])
  case noAxes(name: String)
  case file(OutsideFileError)
  case notANumber(path: String)
  /// The loop waits for it.
  case tooSlow(name: String)
  case callFailed(_ call: String, path: String, code: Int32)

  public var description: String {
    switch self {
    case .missing(let name, let available) where available.isEmpty:
      "there is no accelerometer \"\(name)\", nor any other IIO device (/sys/bus/iio/devices): is its driver loaded?"
    case .missing(let name, let available):
      "there is no accelerometer \"\(name)\": this board has \(available.joined(separator: ", ")). Set accelerometer.name to one of these"
    case .ambiguous(let name, let devices):
      "more than one IIO device is called \"\(name)\": \(devices.joined(separator: ", "))"
    case .noAxes(let name):
      "\"\(name)\" is no accelerometer: it has no in_accel_x_raw, in_accel_y_raw and in_accel_z_raw"
    case .file(let error): "\(error)"
    case .notANumber(let path): "\(path) does not hold a number that an acceleration can be made of"
    case .tooSlow(let name):
      "\"\(name)\" takes more than a quarter of a second for one measurement: set its sampling_frequency to 50 Hz or more"
    case .callFailed(let call, let path, let code): "\(path): \(call): \(systemWords(code))\(Self.hint(code))"
    }
  }

  private static func hint(_ code: Int32) -> String {
    switch code {
    case EROFS, EACCES, EPERM: ". The service may not write there: docs/lines.md, The accelerometer"
    case EBUSY: ". Another program has its events"
    case EINVAL, ERANGE: ". The chip cannot take that value"
    default: ""
    }
  }
}
