import ArgumentParser
import Glibc

/// A file that did not exist before, or standard output for `-`. Only its owner may read it: it says where a
/// vehicle was.
final class ExportFile {
  private let path: String
  private var descriptor: Int32
  private var isFinished = false

  init(_ path: String) throws {
    self.path = path
    if path == "-" {
      descriptor = STDOUT_FILENO
      return
    }
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { return }
    if errno == EEXIST {
      throw ExitReason.cannotCreate.exit("\(path) is there already: name another file, or move it away")
    }
    throw ExitReason.cannotCreate.exit("\(path): \(String(cString: strerror(errno))); name another file")
  }

  /// A part of an export would pass for a whole one.
  deinit {
    if isFinished || path == "-" { return }
    close(descriptor)
    unlink(path)
  }

  func write(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        throw failure(errno)
      }
      rest = rest.dropFirst(written)
    }
  }

  /// Everything is on storage.
  func finish() throws {
    if path == "-" { return }
    guard fsync(descriptor) == 0, close(descriptor) == 0 else { throw failure(errno) }
    isFinished = true
  }

  private func failure(_ code: Int32) -> ExitCode {
    ExitReason.cannotCreate.exit(
      "\(path): \(String(cString: strerror(code))); nothing was exported, try another place")
  }
}
