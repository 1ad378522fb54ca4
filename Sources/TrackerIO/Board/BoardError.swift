import Glibc

/// Why the board cannot be put to sleep.
public enum BoardError: Error, Equatable, CustomStringConvertible {
  case noClock(String)
  case noAlarm(String)
  /// - Parameter reads: what stands there instead.
  case alarmDiffers(String, wanted_s: Int64, reads: String)
  case unreadable(String)
  case callFailed(_ call: String, code: Int32, path: String)
  /// logind's words, and its name of the error.
  case refused(words: String, name: String)
  case noBus
  case silent

  public var description: String {
    switch self {
    case .noClock(let path): "there is no clock \(path): host.sleep.rtc names one of /sys/class/rtc"
    case .noAlarm(let path): "this clock has no alarm that wakes the board: there is no \(path)"
    case .alarmDiffers(let path, let wanted_s, let reads):
      "\(path) was set to \(wanted_s), and reads \(reads.isEmpty ? "nothing" : reads)"
    case .unreadable(let words): words
    case .callFailed(let call, let code, let path):
      "\(call) \(path): \(systemWords(code))" + BoardError.advice(code)
    case .refused(let words, let name): "systemd-logind refuses: \(words) (\(name))"
    case .noBus: "there is no system bus, so that systemd-logind cannot be asked"
    case .silent: "systemd-logind does not answer"
    }
  }

  private static func advice(_ code: Int32) -> String {
    switch code {
    case EACCES: ". The package's udev rule gives the group godwit this file."
    case EROFS:
      ". godwit.service may write the alarms of rtc0 and rtc1: another one needs ReadWritePaths= in a drop-in"
    default: ""
    }
  }
}
