import Glibc

/// A line for boards without GPIO: a file that holds the line's level, `0` or `1`.
///
/// It is written in place, one byte at once, so that a reader never finds it empty and inotify(7) wakes a watcher
/// of each change.
public final class SimulatedPowerLine: PowerLine {
  private let path: String
  private let activeLow: Bool
  private var isClosed = false

  /// Opens or makes the file `line` in `directory`, with the power off.
  public init(directory: String, line: String, activeLow: Bool) throws(GPIOError) {
    guard !line.isEmpty, line != ".", line != "..", !line.contains("/") else { throw .badFileName(line) }
    path = directory + "/" + line
    self.activeLow = activeLow
    try set(false)
  }

  public func set(_ on: Bool) throws(GPIOError) {
    // Opened anew each time: the folder may have been emptied, and a write to a removed file would be lost.
    let descriptor = try open()
    defer { Glibc.close(descriptor) }
    var level = UInt8(ascii: on != activeLow ? "1" : "0")
    let (written, code) = uninterrupted { pwrite(descriptor, &level, 1, 0) }
    guard written == 1 else { throw .fileFailed(path: path, call: "write", code: code) }
    ftruncate(descriptor, 1)
  }

  public func read() throws(GPIOError) -> Bool {
    guard !isClosed else { throw .closed }
    guard let on = try SimulatedInput.read(path, activeLow: activeLow) else { throw .badLevel(path: path) }
    return on
  }

  public func close() { isClosed = true }

  private func open() throws(GPIOError) -> Int32 {
    guard !isClosed else { throw .closed }
    do throws(OutsideFileError) {
      return try OutsideFile.open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, mode: 0o644)
    } catch { throw .file(error) }
  }
}
