import ArgumentParser
import Glibc
import TrackerIO

/// A file that did not exist before, or standard output for `-`. Only its owner may read it: it says where a
/// vehicle was.
struct ExportFile {
  private let path: String
  private let descriptor: Int32

  /// Hands a new file to `body` and keeps it once that is done: a part of an export would pass for a whole one.
  ///
  /// What is at `path` already, whatever it is, stays as it is.
  static func write(to path: String, _ body: (ExportFile) throws -> Void) throws {
    if path == "-" { return try body(ExportFile(path: path, descriptor: STDOUT_FILENO)) }
    let file = ExportFile(path: path, descriptor: try make(path))
    do {
      try body(file)
      try file.finish()
    } catch {
      file.discard()
      throw error
    }
  }

  private static func make(_ path: String) throws -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor >= 0 { return descriptor }
    if errno == EEXIST {
      throw ExitReason.cannotCreate.exit("\(path) is there already: name another file, or move it away")
    }
    throw ExitReason.cannotCreate.exit("\(path): \(String(cString: strerror(errno))); name another file")
  }

  func write(_ text: String) throws {
    let code = writeAll(text.utf8, to: descriptor)
    if code != 0 { throw failure(code) }
  }

  /// Everything is on storage.
  private func finish() throws {
    guard fsync(descriptor) == 0 else { throw failure(errno) }
    close(descriptor)
  }

  /// Removes what `make` has made, unless something else has taken its name meanwhile.
  private func discard() {
    var (own, named) = (stat(), stat())
    let isOwn =
      fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
      && own.st_dev == named.st_dev
    close(descriptor)
    if isOwn { unlink(path) }
  }

  private func failure(_ code: Int32) -> ExitCode {
    if path == "-" {
      return ExitReason.output.exit(
        "standard output: \(String(cString: strerror(code))); the export is not whole")
    }
    return ExitReason.cannotCreate.exit(
      "\(path): \(String(cString: strerror(code))); nothing was exported, try another place")
  }
}
