import Glibc

/// The folder of the queue, and what may lie there: the file, its log, and what is written beside them. All by the file's
/// path.
enum StoreFolder {
  static let suffixes = ["", "-wal", "-shm"]

  /// The database has not even a header (section 1.3 of sqlite.org/fileformat2.html) and its log is there: SQLite would
  /// begin a new one.
  static func isEmptied(_ path: String) -> Bool {
    size(path) < 100 && size(path + "-wal") >= StoreRoom.logBytes
  }

  /// Where a link in the file's place leads to, which need not be there yet: what lies beside the file lies beside
  /// the real one.
  static func resolved(_ path: String) -> String {
    var path = path
    // As many as Linux follows.
    for _ in 0..<40 {
      var name = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(path, &name, name.count)
      guard count > 0 else { break }
      let target = String(decoding: name[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      path = target.hasPrefix("/") ? target : FolderEntry.folder(of: path) + "/" + target
    }
    return path
  }

  /// Before SQLite, or anybody here, opens one of them by its name: a pipe would be waited for, and a device written.
  static func refuseStrangers(_ path: String) throws(StoreError) {
    for suffix in suffixes + ["-journal", "-probe", ".new", ".new-wal"] {
      do throws(OutsideFileError) { try OutsideFile.check(path + suffix) } catch { throw .notAFile(error) }
    }
  }

  /// Writes something beside the file. (After an ext4 error the mount may still look writable.) A full disk is none of
  /// its business.
  static func probe(besides path: String) throws(StoreError) {
    let name = path + "-probe"
    let file = Glibc.open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    guard file >= 0 else {
      if errno == ENOSPC || errno == EDQUOT { return }
      throw .system("a trial in the queue's folder", errno: errno)
    }
    let bytes = [UInt8](repeating: 0, count: 4096)
    let isWritten = pwrite(file, bytes, bytes.count, 0) == bytes.count && fsync(file) == 0
    let failed = isWritten ? 0 : errno
    Glibc.close(file)
    unlink(name)
    if failed != 0, failed != ENOSPC, failed != EDQUOT {
      throw .system("a trial in the queue's folder", errno: failed)
    }
  }

  static func device(of path: String) -> dev_t? {
    var info = stat()
    return stat(FolderEntry.folder(of: path), &info) == 0 ? info.st_dev : nil
  }

  /// - Throws: when the whole file system of a file is not there: a queue in its place would be hidden by the next mount.
  static func refuseUnmounted(_ path: String, device: dev_t?) throws(StoreError) {
    guard !exists(path), !exists(path + ".new"), self.device(of: path) != device else { return }
    throw .open(call: "look for the queue file", code: ENOENT, words: "its file system is not mounted")
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func size(_ path: String) -> Int64 {
    var info = stat()
    return stat(path, &info) == 0 ? Int64(info.st_size) : 0
  }

  static func makeFolders(of path: String) throws(StoreError) {
    let folder = FolderEntry.folder(of: path)
    if exists(folder) { return }
    try makeFolders(of: folder)
    if mkdir(folder, 0o750) != 0, errno != EEXIST {
      throw .system("mkdir of the queue's folder", errno: errno)
    }
  }

  /// With its mode from the first moment: SQLite gives the log the same.
  static func makeFile(_ path: String) throws(StoreError) {
    if exists(path) { return }
    let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    guard file >= 0 else { throw .system("open of the queue file", errno: errno) }
    // The umask may have taken bits away.
    let failed = fchmod(file, 0o640) != 0 ? errno : 0
    Glibc.close(file)
    if failed != 0 { throw .system("fchmod of the queue file", errno: failed) }
    try syncFolder(of: path)
  }

  static func syncFolder(of path: String) throws(StoreError) {
    guard let failed = FolderEntry.sync(folderOf: path) else { return }
    throw .system("\(failed.call) of the queue's folder", errno: failed.code)
  }
}
