import Glibc

/// A file with secrets that is used once, on a partition that any computer can read: overwritten, then removed.
///
/// A power cut may fall anywhere. First its beginning alone is replaced by a mark, which lies in one sector and so is there
/// wholly or not at all; a file that begins with the mark was used, whatever follows. On flash the old bytes may live on in
/// blocks that the card has put aside: nothing that writes through the file system can reach those.
public enum WipedFile {
  private static let mark = Array("# godwit has used this file: it may be removed\n".utf8)

  public static func isUsed(_ bytes: [UInt8]) -> Bool { bytes.starts(with: mark) }

  /// On storage once this has returned. What the file gave must be there before.
  ///
  /// - Parameter marked: what is to be done while the file is there, and known as used.
  public static func wipe(
    _ path: String, marked: () throws(HostError) -> Void = {}
  ) throws(HostError) {
    let file: Int32
    do throws(OutsideFileError) { file = try OutsideFile.open(path, O_RDWR | O_NOFOLLOW) } catch {
      if case .callFailed(let call, let path, let code) = error {
        throw .callFailed(call, code: code, path: path)
      }
      throw .file(error)
    }
    defer { close(file) }
    var info = stat()
    guard fstat(file, &info) == 0 else { throw .callFailed("fstat", code: errno, path: path) }
    try write(mark, at: 0, to: file, path)
    try marked()
    let blank = [UInt8](repeating: UInt8(ascii: "\n"), count: 65_536)
    var place = mark.count
    while place < info.st_size {
      let count = min(blank.count, Int(info.st_size) - place)
      try write(Array(blank[..<count]), at: place, to: file, path, isLast: place + count >= info.st_size)
      place += count
    }
    try OwnedFile.remove(path)
  }

  private static func write(
    _ bytes: [UInt8], at place: Int, to file: Int32, _ path: String, isLast: Bool = true
  ) throws(HostError) {
    var done = 0
    while done < bytes.count {
      let (count, code) = uninterrupted {
        bytes[done...].withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(place + done)) }
      }
      guard count > 0 else { throw .callFailed("pwrite", code: count < 0 ? code : EIO, path: path) }
      done += count
    }
    guard !isLast || fsync(file) == 0 else { throw .callFailed("fsync", code: errno, path: path) }
  }
}
