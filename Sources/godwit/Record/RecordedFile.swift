import ArgumentParser
import Glibc
import TrackerIO

/// The file that a recording goes to, line by line: what is in it stays, however the recorder ends.
final class RecordedFile {
  private let descriptor: Int32
  private let path: String
  private(set) var bytes: Int64 = 0

  /// Only its owner may read it: it says where a vehicle was.
  init(_ path: String) throws {
    self.path = path
    if path == "-" {
      descriptor = STDOUT_FILENO
      return
    }
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor >= 0 { return }
    if errno == EEXIST {
      throw ExitReason.cannotCreate.exit("\(path) is there already: name another file, or move it away")
    }
    throw ExitReason.cannotCreate.exit("\(path): \(String(cString: strerror(errno))); name another file")
  }

  /// gpsd ends its lines with CR and LF; files here end theirs with LF.
  func write(_ line: [UInt8]) throws {
    let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
    let code = writeAll(text + [UInt8(ascii: "\n")], to: descriptor)
    if code != 0 { throw failure(code) }
    bytes += Int64(text.count) + 1
  }

  /// What is written is on storage then. Standard output may be none that can be flushed.
  func flush() throws {
    if path != "-", fdatasync(descriptor) != 0 { throw failure(errno) }
  }

  /// Nobody wants a file without a report, which would be in the way of the next try.
  func remove() { if path != "-" { unlink(path) } }

  private func failure(_ code: Int32) -> ExitCode {
    // Whoever reads a pipe has ended: what `| head` does.
    if code == EPIPE { return ExitCode(0) }
    if path == "-" {
      return ExitReason.output.exit(
        "standard output: \(String(cString: strerror(code))); the recording is not whole")
    }
    return ExitReason.cannotCreate.exit("\(path): \(String(cString: strerror(code))); what is in it stays")
  }
}
