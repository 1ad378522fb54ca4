import Glibc

/// A file with the number of the epoch that is not played yet. The world stands still there, so that whoever looks on is
/// never too late for it.
struct UpTo {
  let path: String

  /// 0 while there is no number.
  func epoch() throws -> Int {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0, errno == ENOENT { return 0 }
    try checked("open", path, advice: "it is the --up-to file") { file }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = try checked("read", path) { read(file, &bytes, bytes.count) }
    return Int(String(decoding: bytes[..<count].filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)) ?? 0
  }
}
