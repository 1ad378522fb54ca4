import Glibc

/// The queue's log, read without SQLite, which throws it away beside an empty database.
///
/// Sections 4.1 to 4.4 of sqlite.org/fileformat2.html: a header, then frames of a header and a page each. Only what is
/// whole up to the last commit counts, as for SQLite.
struct QueueLog {
  static let headerBytes = 32
  static let frameHeaderBytes = 24
  static let pageBytes = 4096
  /// A log is 2 MB; what is far longer is none of ours.
  static let mostBytes = 64 << 20

  private var content: [UInt8] = []
  /// Where the newest committed version of each page begins, by the page's number.
  private var offsets: [Int: Int] = [:]

  /// Empty where there is no log.
  init(path: String) {
    guard let file = try? OutsideFile.open(path) else { return }
    defer { close(file) }
    var info = stat()
    guard fstat(file, &info) == 0,
      (QueueLog.headerBytes...QueueLog.mostBytes).contains(Int(info.st_size))
    else { return }
    var read = [UInt8](repeating: 0, count: Int(info.st_size))
    let count = pread(file, &read, read.count, 0)
    guard count > 0 else { return }
    content = Array(read.prefix(count))
    findPages()
  }

  /// Of the file.
  var bytes: Int { content.count }
  var isEmpty: Bool { offsets.isEmpty }
  var numbers: [Int] { offsets.keys.sorted() }

  func page(_ number: Int) -> ArraySlice<UInt8>? {
    offsets[number].map { content[$0..<($0 + QueueLog.pageBytes)] }
  }

  private mutating func findPages() {
    let magic = word(0)
    guard magic & ~1 == 0x377F_0682, word(8) == QueueLog.pageBytes else { return }
    let isBigEndian = magic & 1 == 1
    var sum = checksum(0..<24, after: (0, 0), isBigEndian)
    guard sum == (word(24), word(28)) else { return }
    var uncommitted: [Int: Int] = [:]
    var start = QueueLog.headerBytes
    while start + QueueLog.frameHeaderBytes + QueueLog.pageBytes <= content.count {
      let page = start + QueueLog.frameHeaderBytes
      guard word(start + 8) == word(16), word(start + 12) == word(20) else { return }
      sum = checksum(start..<(start + 8), after: sum, isBigEndian)
      sum = checksum(page..<(page + QueueLog.pageBytes), after: sum, isBigEndian)
      guard sum == (word(start + 16), word(start + 20)) else { return }
      uncommitted[Int(word(start))] = page
      if word(start + 4) != 0 {
        offsets.merge(uncommitted) { $1 }
        uncommitted = [:]
      }
      start = page + QueueLog.pageBytes
    }
  }

  /// Big-endian.
  private func word(_ offset: Int) -> UInt32 {
    content[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func checksum(
    _ range: Range<Int>, after sum: (UInt32, UInt32), _ isBigEndian: Bool
  ) -> (UInt32, UInt32) {
    var (first, second) = sum
    content.withUnsafeBytes { raw in
      for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
        let one = raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        let two = raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        first &+= (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
        second &+= (isBigEndian ? UInt32(bigEndian: two) : UInt32(littleEndian: two)) &+ first
      }
    }
    return (first, second)
  }
}
