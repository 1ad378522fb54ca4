import Glibc

/// A file with the number of the epoch that is not played yet: the world stands still there, and the file is removed. So
/// whoever looks on is never too late for it.
struct UpTo {
  let path: String

  func allows(_ epoch: Int) throws -> Bool {
    guard let end = try number() else { return false }
    if epoch < end { return true }
    unlink(path)
    return false
  }

  private func number() throws -> Int? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0, errno == ENOENT { return nil }
    try checked("open", path, advice: "it is the --up-to file") { file }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = try checked("read", path) { read(file, &bytes, bytes.count) }
    return Int(String(decoding: bytes[..<count].filter { $0 > UInt8(ascii: " ") }, as: UTF8.self))
  }
}
