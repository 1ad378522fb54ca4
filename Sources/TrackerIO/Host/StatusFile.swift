import Glibc

/// A small file that others read while it is replaced.
public enum StatusFile {
  /// Replaces the file at `path`, readable by all: a reader sees the old text or the new one, never a part. It is
  /// meant for a file system in memory, so nothing is forced to a disk.
  public static func write(_ path: String, _ text: String) throws(HostError) {
    try replaceFile(path, text, isOurs: true, mode: 0o644)
  }
}

/// A small file of the agent's own that must survive a power cut. Only its owner may read it: it may name places, the
/// device, and what was asked of it.
public enum DurableFile {
  /// More than this is another file.
  static let maxBytes = 65_536

  /// - Returns: nil where there is none.
  public static func read(_ path: String) throws(HostError) -> String? {
    do throws(OutsideFileError) {
      return String(decoding: try OutsideFile.read(path, limit_bytes: maxBytes), as: UTF8.self)
    } catch {
      if error.isMissing { return nil }
      throw .file(error)
    }
  }

  /// Replaces the file: after a power cut it has the old text or the new one, and the new one once this has
  /// returned.
  public static func write(_ path: String, _ text: String) throws(HostError) {
    try replaceFile(path, text, isOurs: true, mode: 0o600, isDurable: true)
  }
}

/// A file that root writes for the agent's user, and that must survive a power cut.
public enum OwnedFile {
  public struct Owner: Equatable, Sendable {
    public var user: uid_t
    public var group: gid_t
  }

  /// To whom the file or folder at `path` belongs. Nil where that cannot be given to anybody: this is not root, or there
  /// is nothing.
  public static func owner(of path: String) -> Owner? {
    var info = stat()
    guard geteuid() == 0, stat(path, &info) == 0 else { return nil }
    return Owner(user: info.st_uid, group: info.st_gid)
  }

  /// Replaces the file, in a folder of the agent's: after a power cut it has the old text or the new one, and the new one
  /// once this has returned.
  ///
  /// - Parameter owner: nil: this process' own.
  public static func write(
    _ path: String, _ text: String, mode: mode_t, owner: Owner?
  ) throws(HostError) {
    try replaceFile(
      path, text, isOurs: true, mode: mode, owner: owner.map { ($0.user, $0.group) }, isDurable: true)
  }

  /// Durably, too. One that is not there is gone.
  public static func remove(_ path: String) throws(HostError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw .callFailed("unlink", code: errno, path: path) }
    if let failed = FolderEntry.sync(folderOf: path) {
      throw .callFailed(failed.call, code: failed.code, path: FolderEntry.folder(of: path))
    }
  }
}

/// A file that a person asked for, and that holds positions.
public enum ReportFile {
  /// Replaces the file at `path`, with the mode that the process' umask gives; a device or a pipe is no place for it.
  public static func write(_ path: String, _ text: String) throws(HostError) {
    try refuseOther(path)
    try replaceFile(path, text, mode: nil)
  }

  /// Whether it can be written, as far as can be known beforehand.
  public static func check(_ path: String) throws(HostError) {
    try refuseOther(path)
    let new = try openNew(beside: path)
    close(new.descriptor)
    unlink(new.path)
  }

  /// Whether both name one file that exists, also by way of a link.
  public static func isSame(_ path: String, _ other: String) -> Bool {
    var (one, two) = (stat(), stat())
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev
      && one.st_ino == two.st_ino
  }

  private static func refuseOther(_ path: String) throws(HostError) {
    var info = stat()
    if stat(path, &info) == 0 {
      if info.st_mode & S_IFMT == S_IFREG { return }
      throw .callFailed("rename", code: info.st_mode & S_IFMT == S_IFDIR ? EISDIR : EEXIST, path: path)
    }
    // What it is called until it is whole is not too long.
    if errno == ENAMETOOLONG { throw .callFailed("open", code: errno, path: path) }
  }
}

/// What is written until it gets its name.
private typealias Part = (descriptor: Int32, path: String)

/// A file in a folder of our own, whatever had its name before: nothing piles up there.
private func openPart(of path: String) throws(HostError) -> Part {
  let part = path + ".part"
  // What a process before this one left, or a pipe that somebody put there; a directory goes if it is empty.
  if unlink(part) != 0, errno == EISDIR { rmdir(part) }
  let (descriptor, code) = make(part)
  guard descriptor >= 0 else { throw .callFailed("open", code: code, path: part) }
  return (descriptor, part)
}

/// A file by a name that nobody has. In a person's folder nothing is ours but what was made just now: not even what a
/// power cut has left of a run before this one.
private func openNew(beside path: String) throws(HostError) -> Part {
  while true {
    let name = ".godwit-" + String(UInt64.random(in: 0...(.max)), radix: 36)
    let new = FolderEntry.folder(of: path) + "/" + name
    let (descriptor, code) = make(new)
    if descriptor >= 0 { return (descriptor, new) }
    if code != EEXIST { throw .callFailed("open", code: code, path: path) }
  }
}

private func make(_ path: String) -> (result: Int32, code: Int32) {
  uninterrupted { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666) }
}

/// - Parameters:
///   - isOurs: the folder is our own.
///   - mode: nil: as the process' umask gives it.
///   - owner: nil: the process' own.
func replaceFile(
  _ path: String, _ text: String, isOurs: Bool = false, mode: mode_t?,
  owner: (user: uid_t, group: gid_t)? = nil, isDurable: Bool = false
) throws(HostError) {
  let (descriptor, part) = isOurs ? try openPart(of: path) : try openNew(beside: path)
  do throws(HostError) {
    defer { close(descriptor) }
    try fill(descriptor, path, text, mode: mode, owner: owner, isDurable: isDurable)
    guard rename(part, path) == 0 else { throw .callFailed("rename", code: errno, path: path) }
  } catch {
    unlink(part)
    throw error
  }
  if isDurable, let failed = FolderEntry.sync(folderOf: path) {
    throw .callFailed(failed.call, code: failed.code, path: FolderEntry.folder(of: path))
  }
}

/// An open file has that owner and mode, and this text from its beginning to its end. - Parameter path: for messages.
func fill(
  _ descriptor: Int32, _ path: String, _ text: String, mode: mode_t?, owner: (user: uid_t, group: gid_t)?,
  isDurable: Bool
) throws(HostError) {
  if let owner, fchown(descriptor, owner.user, owner.group) != 0 {
    throw .callFailed("fchown", code: errno, path: path)
  }
  // The process' umask must not decide who reads the status.
  if let mode, fchmod(descriptor, mode) != 0 { throw .callFailed("fchmod", code: errno, path: path) }
  let code = writeAll(text.utf8, to: descriptor)
  if code != 0 { throw .callFailed("write", code: code, path: path) }
  // Of what it had before.
  guard ftruncate(descriptor, off_t(text.utf8.count)) == 0 else {
    throw .callFailed("ftruncate", code: errno, path: path)
  }
  if isDurable, fsync(descriptor) != 0 { throw .callFailed("fsync", code: errno, path: path) }
}

/// Writes every byte, in as many calls as it takes. - Returns: 0 or errno.
public func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Int32 {
  var rest = Array(bytes)[...]
  while !rest.isEmpty {
    let (count, code) = uninterrupted {
      rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
    guard count > 0 else { return count < 0 ? code : EIO }
    rest = rest.dropFirst(count)
  }
  return 0
}
