import Glibc

/// An input for boards without GPIO: a file that holds the line's level, `0` or `1`, watched with inotify(7).
public final class SimulatedInput: LevelInput {
  public let descriptor: Int32
  private let path: String
  private let activeLow: Bool
  private var level: Bool?

  /// Opens the file `line` in `directory`, or makes it with an inactive level.
  public init(directory: String, line: String, activeLow: Bool) throws(GPIOError) {
    guard !line.isEmpty, line != ".", line != "..", !line.contains("/") else { throw .badFileName(line) }
    path = directory + "/" + line
    self.activeLow = activeLow
    descriptor = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
    guard descriptor >= 0 else { throw .fileFailed(path: path, call: "inotify_init1", code: errno) }
    do throws(GPIOError) {
      try makeFile()
      // The folder, not the file: the file may be replaced by a rename.
      let changes = UInt32(IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
      guard inotify_add_watch(descriptor, directory, changes) >= 0 else {
        throw .fileFailed(path: path, call: "inotify_add_watch", code: errno)
      }
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  public func receive() throws(GPIOError) -> [Bool] {
    clearEvents()
    guard let reached = try Self.read(path, activeLow: activeLow), reached != level else { return [] }
    level = reached
    return [reached]
  }

  private func clearEvents() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while uninterrupted({ Glibc.read(descriptor, &buffer, buffer.count) }).result > 0 {}
  }

  /// nil while the file is empty: it is being rewritten, and another event will come.
  static func read(_ path: String, activeLow: Bool) throws(GPIOError) -> Bool? {
    let file: Int32
    do throws(OutsideFileError) { file = try OutsideFile.open(path, O_RDONLY | O_NOFOLLOW) } catch {
      throw .file(error)
    }
    defer { close(file) }
    var character: UInt8 = 0
    let (count, readCode) = uninterrupted { Glibc.read(file, &character, 1) }
    guard count >= 0 else { throw .fileFailed(path: path, call: "read", code: readCode) }
    guard count == 1 else { return nil }
    switch character {
    case UInt8(ascii: "0"): return activeLow
    case UInt8(ascii: "1"): return !activeLow
    default: throw .badLevel(path: path)
    }
  }

  private func makeFile() throws(GPIOError) {
    let (file, code) = uninterrupted { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) }
    if file < 0, code == EEXIST { return }
    guard file >= 0 else { throw .fileFailed(path: path, call: "open", code: code) }
    defer { close(file) }
    var inactive = UInt8(ascii: activeLow ? "1" : "0")
    let (written, writeCode) = uninterrupted { write(file, &inactive, 1) }
    guard written == 1 else { throw .fileFailed(path: path, call: "write", code: writeCode) }
  }
}
