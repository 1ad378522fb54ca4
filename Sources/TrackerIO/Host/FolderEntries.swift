import Glibc

/// One name in a folder.
public struct FolderEntry {
  public var name: String
  /// As far as the file system knows.
  var isLink: Bool

  /// Where the file of that name lies.
  public static func folder(of path: String) -> String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  /// The name of a file that was made or replaced is as durable as its folder.
  ///
  /// - Returns: the call that failed and its errno; nil once the name is on storage.
  static func sync(folderOf path: String) -> (call: String, code: Int32)? {
    let (descriptor, code) = uninterrupted { open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { return ("open", code) }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 ? nil : ("fsync", errno)
  }

  /// What is in the folder, `.` and `..` too, in no order; nothing if it cannot be read.
  public static func all(in folder: String) -> [FolderEntry] { all(in: folder, most: .max) ?? [] }

  /// - Returns: nil if there are more than `most`.
  static func all(in folder: String, most: Int) -> [FolderEntry]? {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var entries: [FolderEntry] = []
    while let entry = readdir(directory) {
      if entries.count >= most { return nil }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      entries.append(FolderEntry(name: name, isLink: entry.pointee.d_type == UInt8(DT_LNK)))
    }
    return entries
  }
}
