import Glibc

/// A clock that runs while the board is off, and whose alarm starts it: the kernel's attributes `since_epoch` and
/// `wakealarm` (Documentation/ABI/testing/sysfs-class-rtc).
public struct WakeClock: Sendable {
  let folder: String

  /// - Parameters:
  ///   - name: such as rtc0.
  ///   - root: before the path.
  public init(_ name: String, root: String = "") { folder = "\(root)/sys/class/rtc/\(name)" }

  var alarmPath: String { "\(folder)/wakealarm" }

  /// What it shows, in seconds: Unix time, if it runs by UTC and was set right.
  public func now_s() throws(BoardError) -> Int64 {
    guard access(folder, F_OK) == 0 else { throw .noClock(folder) }
    let text = try read("\(folder)/since_epoch")
    guard let now_s = Int64(text) else { throw .unreadable("\(folder)/since_epoch is no number") }
    // Sums with it must fit, whatever a broken clock shows.
    guard now_s.magnitude <= 1_000_000_000_000 else {
      throw .unreadable("\(folder)/since_epoch shows no time: \(now_s)")
    }
    return now_s
  }

  /// Set, and read back. - Returns: the alarm, in seconds of this clock.
  public func setAlarm(in_ms: Int64) throws(BoardError) -> Int64 {
    let alarm_s = try now_s() + in_ms / 1000
    guard access(alarmPath, F_OK) == 0 else { throw .noAlarm(alarmPath) }
    // The kernel takes no alarm while one is set.
    try write("0")
    try write("\(alarm_s)")
    try checkAlarm(alarm_s)
    return alarm_s
  }

  /// It is still as it was set.
  public func checkAlarm(_ alarm_s: Int64) throws(BoardError) {
    let reads = try read(alarmPath)
    guard Int64(reads) == alarm_s else { throw .alarmDiffers(alarmPath, wanted_s: alarm_s, reads: reads) }
  }

  public func clearAlarm() throws(BoardError) { try write("0") }

  private func read(_ path: String) throws(BoardError) -> String {
    do throws(OutsideFileError) {
      let bytes = try OutsideFile.read(path, limit_bytes: 4096)
      return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    } catch { throw .unreadable("\(error)") }
  }

  private func write(_ text: String) throws(BoardError) {
    let (file, openCode) = uninterrupted { Glibc.open(alarmPath, O_WRONLY | O_CLOEXEC | O_NONBLOCK) }
    guard file >= 0 else { throw .callFailed("open", code: openCode, path: alarmPath) }
    defer { close(file) }
    let bytes = Array("\(text)\n".utf8)
    let (written, code) = uninterrupted { Glibc.write(file, bytes, bytes.count) }
    guard written == bytes.count else { throw .callFailed("write", code: code, path: alarmPath) }
  }
}
