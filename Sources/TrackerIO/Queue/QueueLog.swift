import Glibc

/// The queue's log, read without SQLite, which throws it away beside an empty database.
///
/// Sections 4.1 to 4.4 of sqlite.org/fileformat2.html: a header, then frames of a header and a page each. Only what is
/// whole up to the last commit counts, as for SQLite.
///
/// A page at a time is in memory: a log that grew while nothing could be written to the database may be larger than what
/// a limit on the address space leaves.
final class QueueLog {
  static let headerBytes = 32
  static let frameHeaderBytes = 24
  static let pageBytes = 4096
  /// A log is 2 MB; what is far longer is none of ours.
  static let mostBytes = 64 << 20

  /// nil where there is no log.
  private let file: Int32?
  /// Of the file.
  let bytes: Int
  /// Where the newest committed version of each page begins, by the page's number.
  private var offsets: [Int: Int] = [:]

  /// Empty where there is no log.
  init(path: String) {
    file = try? OutsideFile.open(path)
    var info = stat()
    guard let file, fstat(file, &info) == 0,
      (QueueLog.headerBytes...QueueLog.mostBytes).contains(Int(info.st_size))
    else {
      bytes = 0
      return
    }
    bytes = Int(info.st_size)
    findPages()
  }

  deinit { if let file { close(file) } }

  var isEmpty: Bool { offsets.isEmpty }
  var numbers: [Int] { offsets.keys.sorted() }

  func page(_ number: Int) -> [UInt8]? {
    offsets[number].flatMap { read(QueueLog.pageBytes, at: $0) }
  }

  /// nil where the file is shorter.
  private func read(_ count: Int, at offset: Int) -> [UInt8]? {
    guard let file else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(file, buffer.baseAddress, count, off_t(offset)))
    }
    return bytes.count == count ? bytes : nil
  }

  private func findPages() {
    guard let header = read(QueueLog.headerBytes, at: 0) else { return }
    let magic = QueueLog.word(header, 0)
    guard magic & ~1 == 0x377F_0682, QueueLog.word(header, 8) == QueueLog.pageBytes else { return }
    let isBigEndian = magic & 1 == 1
    var sum = QueueLog.checksum(header, 0..<24, after: (0, 0), isBigEndian)
    guard sum == (QueueLog.word(header, 24), QueueLog.word(header, 28)) else { return }
    var uncommitted: [Int: Int] = [:]
    var start = QueueLog.headerBytes
    let frameBytes = QueueLog.frameHeaderBytes + QueueLog.pageBytes
    while let frame = read(frameBytes, at: start) {
      guard frame[8..<16].elementsEqual(header[16..<24]) else { return }
      sum = QueueLog.checksum(frame, 0..<8, after: sum, isBigEndian)
      sum = QueueLog.checksum(frame, QueueLog.frameHeaderBytes..<frameBytes, after: sum, isBigEndian)
      guard sum == (QueueLog.word(frame, 16), QueueLog.word(frame, 20)) else { return }
      uncommitted[Int(QueueLog.word(frame, 0))] = start + QueueLog.frameHeaderBytes
      if QueueLog.word(frame, 4) != 0 {
        offsets.merge(uncommitted) { $1 }
        uncommitted = [:]
      }
      start += frameBytes
    }
  }

  /// Big-endian.
  static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func checksum(
    _ bytes: [UInt8], _ range: Range<Int>, after sum: (UInt32, UInt32), _ isBigEndian: Bool
  ) -> (UInt32, UInt32) {
    var (first, second) = sum
    bytes.withUnsafeBytes { raw in
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
