import Glibc

/// A text file that others read while it grows, or that appears whole.
enum OutputFile {
  /// Opens an empty file for lines.
  static func create(_ path: String) throws -> Int32 {
    try checked("open", path) { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
  }

  /// Writes all of `text`.
  static func append(_ text: String, to file: Int32, path: String) throws {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let rest = bytes[written...]
      written += try checked("write", path) { rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } }
    }
  }

  /// Puts a file with `text` in place: a reader finds all of it or none.
  static func place(_ text: String, at path: String) throws {
    let temporary = "\(path).\(getpid())"
    let file = try create(temporary)
    defer { close(file) }
    try append(text, to: file, path: temporary)
    try checked("rename", path) { rename(temporary, path) }
  }
}
