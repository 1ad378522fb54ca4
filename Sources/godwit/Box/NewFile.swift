import ArgumentParser
import Glibc
import TrackerIO

/// A file that did not exist before, or standard output for `-`. Only its owner may read it: it says where a
/// vehicle was. It is closed with the process.
struct NewFile {
  private let path: String
  private let descriptor: Int32
  /// For messages: what is written, and what becomes of a file that cannot be written to its end.
  private let (content, remains): (String, String)
  private let endsWithReader: Bool

  /// What is at `path` already, whatever it is, stays as it is.
  ///
  /// - Parameter endsWithReader: a reader that closes the pipe has read what it wanted, as `head` does; else the content is
  ///   not whole.
  init(_ path: String, content: String, remains: String, endsWithReader: Bool = false) throws {
    (self.path, self.content, self.remains) = (path, content, remains)
    self.endsWithReader = endsWithReader
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    descriptor = path == "-" ? STDOUT_FILENO : open(path, flags, 0o600)
    if descriptor >= 0 { return }
    if errno == EEXIST {
      throw ExitReason.cannotCreate.exit("\(path) is there already: name another file, or move it away")
    }
    throw ExitReason.cannotCreate.exit("\(path): \(String(cString: strerror(errno))); name another file")
  }

  func write(_ bytes: some Sequence<UInt8>) throws {
    let code = writeAll(bytes, to: descriptor)
    if code != 0 { throw failure(code) }
  }

  /// What is written is on storage then. Standard output may be none that can be flushed.
  func flush() throws {
    if path != "-", fsync(descriptor) != 0 { throw failure(errno) }
  }

  /// Unless something else has taken its name meanwhile.
  func remove() {
    var (own, named) = (stat(), stat())
    if path != "-", fstat(descriptor, &own) == 0, lstat(path, &named) == 0, own.st_ino == named.st_ino,
      own.st_dev == named.st_dev
    {
      unlink(path)
    }
  }

  private func failure(_ code: Int32) -> ExitCode {
    if endsWithReader, code == EPIPE { return ExitCode(0) }
    let words = String(cString: strerror(code))
    return path == "-"
      ? ExitReason.output.exit("standard output: \(words); the \(content) is not whole")
      : ExitReason.cannotCreate.exit("\(path): \(words); \(remains)")
  }
}
