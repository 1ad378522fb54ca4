import CHost
import Glibc

/// The front file on storage: two slots, allocated once and then overwritten in place, in turn. Behind each is one for
/// what is saved periodically.
///
/// A write is durable when it returns. It goes past the page cache (`O_DIRECT`) in as few sectors as it needs;
/// where the file system refuses that or is not trusted with it, through it.
final class FrontFile {
  /// The slots lie apart: what a dying card loses together is smaller than this.
  static let stride = 65_536
  static let bytes = stride + 2 * FrontSlot.bytes

  private var descriptor: Int32
  private let path: String
  private let buffer: UnsafeMutableRawPointer
  /// Writes start and end on multiples of it.
  private var sector = 512
  private var isDirect: Bool

  /// Opens the file, making or completing it. - Returns: nil and why when it cannot be made, such as on a full
  /// disk.
  static func open(
    path: String, synchronous: QueueSynchronous = .full
  ) throws(QueueError) -> (file: FrontFile?, fault: QueueError?) {
    let code = try allocate(path)
    if code != 0 { return (nil, .front("allocation", errno: code)) }
    return (try FrontFile(path: path, synchronous: synchronous), nil)
  }

  private init(path: String, synchronous: QueueSynchronous) throws(QueueError) {
    self.path = path
    let direct = synchronous == .full ? chost_open_direct(path) : -1
    isDirect = direct >= 0
    let waiting = synchronous == .full ? O_DSYNC : 0
    descriptor = isDirect ? direct : Glibc.open(path, O_RDWR | waiting | O_CLOEXEC)
    guard descriptor >= 0 else { throw .front("open", errno: errno) }
    // A page of its own, which is as much as any device wants.
    buffer = UnsafeMutableRawPointer.allocate(byteCount: FrontSlot.bytes, alignment: 4096)
  }

  deinit {
    close(descriptor)
    buffer.deallocate()
  }

  /// Its name now stands for another file, or for none.
  var hasMoved: Bool {
    var (own, named) = (stat(), stat())
    guard fstat(descriptor, &own) == 0 else { return false }
    return stat(path, &named) != 0 || own.st_ino != named.st_ino || own.st_dev != named.st_dev
  }

  /// Somebody has taken a part of it away.
  var isCut: Bool {
    var own = stat()
    return fstat(descriptor, &own) == 0 && own.st_size < off_t(FrontFile.bytes)
  }

  enum Kind: Int {
    case commits, periodic
  }

  private static func offset(_ slot: Int, _ kind: Kind) -> off_t {
    off_t(slot * stride + kind.rawValue * FrontSlot.bytes)
  }

  /// The bytes of both slots, nil for one that cannot be read, fewer of one that the file does not reach; empty
  /// without a file.
  static func read(_ path: String, _ kind: Kind = .commits) -> [[UInt8]?] {
    guard let file = try? OutsideFile.open(path) else { return [] }
    defer { close(file) }
    return (0..<2).map { slot in
      var bytes = [UInt8](repeating: 0, count: FrontSlot.bytes)
      let count = pread(file, &bytes, bytes.count, offset(slot, kind))
      return count < 0 ? nil : Array(bytes.prefix(count))
    }
  }

  /// Overwrites one slot. After an error its content is unknown.
  func write(_ bytes: [UInt8], slot: Int, _ kind: Kind = .commits) throws(QueueError) {
    while true {
      let length = (bytes.count + sector - 1) / sector * sector
      memset(buffer, 0, FrontSlot.bytes)
      bytes.withUnsafeBytes { _ = memcpy(buffer, $0.baseAddress!, $0.count) }
      let written = pwrite(descriptor, buffer, length, FrontFile.offset(slot, kind))
      if written == length { return }
      let code = written < 0 ? errno : EIO
      if code == EINTR { continue }
      guard code == EINVAL, isDirect, settleForLess() else { throw .front("write", errno: code) }
    }
  }

  /// A larger sector, then the way through the page cache. - Returns: false when nothing is left to try.
  private func settleForLess() -> Bool {
    if sector < 4096 {
      sector = 4096
      return true
    }
    let buffered = Glibc.open(path, O_RDWR | O_DSYNC | O_CLOEXEC)
    guard buffered >= 0 else { return false }
    close(descriptor)
    descriptor = buffered
    isDirect = false
    return true
  }

  /// Real blocks under every byte, so that a write needs none: zeros where the file does not yet reach.
  ///
  /// - Returns: 0, or why there is no room for it (errno): then what is there stays as it is.
  /// - Throws: for a file that is there and cannot be used: it may hold records.
  private static func allocate(_ path: String) throws(QueueError) -> Int32 {
    let isThere = access(path, F_OK) == 0
    let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    if file < 0, !isThere { return errno }
    guard file >= 0 else { throw .front("open", errno: errno) }
    defer { close(file) }
    var info = stat()
    guard fstat(file, &info) == 0 else { throw .front("fstat", errno: errno) }
    let missing = FrontFile.bytes - Int(info.st_size)
    if missing <= 0 { return 0 }
    let zeros = [UInt8](repeating: 0, count: missing)
    // A short write says nothing by itself.
    errno = 0
    guard pwrite(file, zeros, missing, off_t(info.st_size)) == missing, fchmod(file, 0o640) == 0,
      fsync(file) == 0, (try? QueueFile.syncFolder(of: path)) != nil
    else {
      let code = errno == 0 ? ENOSPC : errno
      // Blocks that it took are needed elsewhere. What it had before may be the newest records.
      if isThere { ftruncate(file, info.st_size) } else { unlink(path) }
      return code
    }
    return 0
  }
}
