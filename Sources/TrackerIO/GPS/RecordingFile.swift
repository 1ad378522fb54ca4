import CZlib
import Glibc

/// A file with a recorded track. One that gzip has packed is unpacked as it is read.
public enum RecordingFile {
  /// A month at 1 Hz as CSV or GPX stays below.
  static let largest = 1 << 30
  private static let pieceSize = 65_536

  /// The first `count` bytes, or all of a shorter file.
  public static func head(of path: String, count: Int) throws(RecordingError) -> [UInt8] {
    let file = try Unpacked(path)
    var bytes: [UInt8] = []
    while bytes.count < count, let piece = try file.next() { bytes += piece }
    return Array(bytes.prefix(count))
  }

  public static func bytes(of path: String) throws(RecordingError) -> [UInt8] {
    let file = try Unpacked(path)
    var bytes: [UInt8] = []
    while let piece = try file.next() { bytes += piece }
    return bytes
  }

  /// For another program to read, which knows no gzip. The caller closes it.
  static func openPlain(_ path: String) throws(RecordingError) -> Int32 {
    let file = try open(path)
    var magic: [UInt8] = [0, 0]
    guard pread(file, &magic, 2, 0) == 2, magic == [0x1F, 0x8B] else { return file }
    defer { close(file) }
    var name = "/var/tmp/godwit-track-XXXXXX".utf8CString
    let copy = name.withUnsafeMutableBufferPointer { mkstemp($0.baseAddress!) }
    guard copy >= 0 else { throw .callFailed("mkstemp in /var/tmp", code: errno) }
    // Gone with whoever has it open.
    _ = name.withUnsafeBufferPointer { unlink($0.baseAddress!) }
    do throws(RecordingError) {
      try unpack(Unpacked(path), into: copy)
    } catch {
      close(copy)
      throw error
    }
    return copy
  }

  private static func unpack(_ packed: Unpacked, into copy: Int32) throws(RecordingError) {
    while let piece = try packed.next() {
      let code = writeAll(piece, to: copy)
      if code != 0 { throw .callFailed("write to /var/tmp", code: code) }
    }
    guard lseek(copy, 0, SEEK_SET) == 0 else { throw .callFailed("lseek", code: errno) }
  }

  /// The caller closes it.
  fileprivate static func open(_ path: String) throws(RecordingError) -> Int32 {
    do throws(OutsideFileError) { return try OutsideFile.open(path) } catch {
      switch error {
      case .callFailed(let call, _, let code): throw .callFailed(call, code: code)
      case .notAFile(_, kind: .directory): throw .directory
      case .notAFile, .tooLarge, .readableByOthers, .foreignOwner, .notForThisUser: throw .notAFile
      }
    }
  }

  /// What comes next from a pipe, or nil at the end.
  static func next(of file: Int32) throws(RecordingError) -> [UInt8]? {
    var code: Int32 = 0
    let piece = [UInt8](unsafeUninitializedCapacity: pieceSize) { buffer, count in
      let (got, failure) = uninterrupted { Glibc.read(file, buffer.baseAddress, pieceSize) }
      (count, code) = (max(got, 0), failure)
    }
    guard code == 0 else { throw .callFailed("read", code: code) }
    return piece.isEmpty ? nil : piece
  }

  /// An open file, of which no more than `largest` is read; closed with this.
  public final class Unpacked {
    private let handle: OpaquePointer
    private var count = 0

    public init(_ path: String) throws(RecordingError) {
      let file = try RecordingFile.open(path)
      defer { close(file) }
      guard let handle = godwit_gunzip_open(file) else { throw .outOfMemory }
      self.handle = handle
    }

    deinit { godwit_gunzip_close(handle) }

    /// The next bytes, or nil at the end.
    public func next() throws(RecordingError) -> [UInt8]? {
      var (code, isDamaged): (Int32, Bool) = (0, false)
      let piece = [UInt8](unsafeUninitializedCapacity: pieceSize) { buffer, count in
        let got = godwit_gunzip_read(handle, buffer.baseAddress, pieceSize, &isDamaged)
        (count, code) = (max(got, 0), got < 0 ? errno : 0)
      }
      if isDamaged { throw .damagedGzip }
      count += piece.count
      if count > largest { throw .tooLarge }
      guard code == 0 else { throw .callFailed("read", code: code) }
      return piece.isEmpty ? nil : piece
    }
  }
}
