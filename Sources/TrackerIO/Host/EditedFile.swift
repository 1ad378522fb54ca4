import Glibc

/// A person's file that a command changes. From reading it to writing it no other such command does: each change is
/// made to what the one before it has left.
public final class EditedFile {
  /// Where the links of the name lead.
  public let path: String
  /// Nothing is there yet.
  public let isNew: Bool
  private let folder: Int32

  /// Waits for its turn.
  public init(_ name: String) throws(HostError) {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    var info = stat()
    if realpath(name, &buffer) != nil {
      path = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    } else {
      // A link that leads nowhere is there, and would be replaced.
      guard errno == ENOENT, lstat(name, &info) != 0 else {
        throw .callFailed("realpath", code: errno == 0 ? ENOENT : errno, path: name)
      }
      path = name
    }
    let place = FolderEntry.folder(of: path)
    let (opened, code) = uninterrupted { open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard opened >= 0 else { throw .callFailed("open", code: code, path: place) }
    // The folder, since the file itself is replaced.
    let (locked, refusal) = uninterrupted { flock(opened, LOCK_EX) }
    guard locked == 0 else {
      close(opened)
      throw .callFailed("flock", code: refusal, path: place)
    }
    folder = opened
    // Only now: the one before may have made it.
    isNew = lstat(path, &info) != 0
  }

  deinit { close(folder) }

  /// On storage once this has returned, with owner, group and mode kept; after a power cut the file has the old text
  /// or the new one.
  ///
  /// - Parameter model: whose owner, group and mode a new file gets.
  public func replace(with text: String, like model: String) throws(HostError) {
    var info = stat()
    let other = isNew ? model : path
    guard stat(other, &info) == 0 else { throw .callFailed("stat", code: errno, path: other) }
    try replaceFile(
      path, text, mode: info.st_mode & 0o777, owner: (info.st_uid, info.st_gid), isDurable: true)
  }
}
