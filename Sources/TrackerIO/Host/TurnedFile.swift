import CHost
import Glibc

/// A small file of the agent's that must survive a power cut, and that can still be replaced on a disk which another process
/// has filled: beside it lies the version before, and the next one is written over that, in blocks that are there already.
enum TurnedFile {
  /// A file grows by so much. What the text leaves of it are spaces.
  static let roomBytes = 4096
  /// Where the next version is written.
  static func spare(of path: String) -> String { path + ".next" }

  /// After a power cut the file has the old text or the new one, and the new one once this has returned. Only its owner may
  /// read it.
  ///
  /// - Parameters:
  ///   - text: lines; the last one gets the spaces.
  ///   - owner: nil: this process' own.
  static func write(_ path: String, _ text: String, owner: OwnedFile.Owner?) throws(HostError) {
    let spare = spare(of: path)
    let room = (text.utf8.count / roomBytes + 1) * roomBytes
    let spaces = String(repeating: " ", count: room - text.utf8.count)
    try put(text.dropLast() + spaces + "\n", into: spare, owner)
    // What is no file is not exchanged, and not every file system can do it.
    guard isFile(path) && chost_exchange(spare, path) == 0 || rename(spare, path) == 0 else {
      throw .callFailed("rename", code: errno, path: path)
    }
    if let failed = FolderEntry.sync(folderOf: path) {
      throw .callFailed(failed.call, code: failed.code, path: FolderEntry.folder(of: path))
    }
    // Without room for it the next version needs new blocks, and reports it where there are none.
    if !isFile(spare) { try? put(String(repeating: " ", count: room), into: spare, owner) }
  }

  private static func put(_ text: String, into path: String, _ owner: OwnedFile.Owner?) throws(HostError) {
    let descriptor = try open(path)
    defer { close(descriptor) }
    try fill(
      descriptor, path, text, mode: 0o600, owner: owner.map { ($0.user, $0.group) }, isDurable: true)
  }

  /// Another thing in its place goes; a directory if it is empty.
  private static func open(_ path: String) throws(HostError) -> Int32 {
    if !isFile(path), unlink(path) != 0, errno == EISDIR { rmdir(path) }
    let (descriptor, code) = uninterrupted {
      Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    }
    guard descriptor >= 0 else { throw .callFailed("open", code: code, path: path) }
    return descriptor
  }

  private static func isFile(_ path: String) -> Bool {
    var info = stat()
    return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
  }
}
