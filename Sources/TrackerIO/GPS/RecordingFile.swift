import Glibc

/// A file with a recorded track.
public enum RecordingFile {
  /// A month at 1 Hz as CSV or GPX stays below.
  static let largest = 1 << 30
  private static let pieceSize = 65_536

  /// The first `count` bytes, or all of a shorter file.
  public static func head(of path: String, count: Int) throws(RecordingError) -> [UInt8] {
    let file = try open(path)
    defer { close(file) }
    var bytes: [UInt8] = []
    while bytes.count < count, let piece = try next(of: file) { bytes += piece }
    return Array(bytes.prefix(count))
  }

  public static func bytes(of path: String) throws(RecordingError) -> [UInt8] {
    let file = try open(path)
    defer { close(file) }
    var bytes: [UInt8] = []
    while let piece = try next(of: file) {
      bytes += piece
      if bytes.count > largest { throw .tooLarge }
    }
    return bytes
  }

  /// The caller closes it.
  static func open(_ path: String) throws(RecordingError) -> Int32 {
    do throws(OutsideFileError) { return try OutsideFile.open(path) } catch {
      switch error {
      case .callFailed(let call, _, let code): throw .callFailed(call, code: code)
      case .notAFile(_, kind: .directory): throw .directory
      case .notAFile, .tooLarge, .readableByOthers, .foreignOwner, .notForThisUser: throw .notAFile
      }
    }
  }

  /// What comes next, or nil at the end.
  static func next(of file: Int32) throws(RecordingError) -> [UInt8]? {
    var code: Int32 = 0
    let piece = [UInt8](unsafeUninitializedCapacity: pieceSize) { buffer, count in
      let (got, failure) = uninterrupted { Glibc.read(file, buffer.baseAddress, pieceSize) }
      (count, code) = (max(got, 0), failure)
    }
    guard code == 0 else { throw .callFailed("read", code: code) }
    return piece.isEmpty ? nil : piece
  }
}
