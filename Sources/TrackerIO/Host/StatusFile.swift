import Glibc

/// A small file that others read while it is replaced.
public enum StatusFile {
  /// Replaces the file at `path`, readable by all: a reader sees the old text or the new one, never a part. It is
  /// meant for a file system in memory, so nothing is forced to a disk.
  public static func write(_ path: String, _ text: String) throws(HostError) {
    try replaceFile(path, text, readableByAll: true)
  }
}

/// A file that a person asked for, and that holds positions.
public enum ReportFile {
  /// Replaces the file at `path`, with the mode that the process' umask gives; a device or a pipe is no place for it.
  public static func write(_ path: String, _ text: String) throws(HostError) {
    try refuseOther(path)
    try replaceFile(path, text, readableByAll: false)
  }

  /// Whether it can be written, as far as one can tell beforehand.
  public static func check(_ path: String) throws(HostError) {
    try refuseOther(path)
    close(try openPart(path + ".part"))
    unlink(path + ".part")
  }

  /// Whether both name one file that exists, also by way of a link.
  public static func isSame(_ path: String, _ other: String) -> Bool {
    var (one, two) = (stat(), stat())
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev
      && one.st_ino == two.st_ino
  }

  private static func refuseOther(_ path: String) throws(HostError) {
    var info = stat()
    if stat(path, &info) == 0, info.st_mode & S_IFMT != S_IFREG {
      throw .callFailed("rename", code: info.st_mode & S_IFMT == S_IFDIR ? EISDIR : EEXIST, path: path)
    }
  }
}

private func openPart(_ part: String) throws(HostError) -> Int32 {
  let (descriptor, code) = uninterrupted {
    open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
  }
  guard descriptor >= 0 else { throw .callFailed("open", code: code, path: part) }
  return descriptor
}

private func replaceFile(_ path: String, _ text: String, readableByAll: Bool) throws(HostError) {
  let part = path + ".part"
  let descriptor = try openPart(part)
  do throws(HostError) {
    defer { close(descriptor) }
    // The process' umask must not decide who reads the status.
    if readableByAll, fchmod(descriptor, 0o644) != 0 {
      throw .callFailed("fchmod", code: errno, path: part)
    }
    try writeAll(Array(text.utf8), to: descriptor, path: part)
    guard rename(part, path) == 0 else { throw .callFailed("rename", code: errno, path: path) }
  } catch {
    unlink(part)
    throw error
  }
}

/// Writes every byte, in as many calls as it takes.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(HostError) {
  var written = 0
  while written < bytes.count {
    let (count, code) = bytes.withUnsafeBytes { buffer in
      uninterrupted { write(descriptor, buffer.baseAddress! + written, buffer.count - written) }
    }
    guard count > 0 else { throw .callFailed("write", code: code, path: path) }
    written += count
  }
}
