import Glibc

/// Keeps a second instance off the queue and the GPS. Held until `deinit` or the end of the process, however it
/// ends.
public final class ProcessLock {
  private let descriptor: Int32

  /// Takes the lock file at `path`, which is made if need be and never removed.
  /// - Throws: `HostError.locked` if another process holds it.
  public init(path: String) throws(HostError) {
    let opened = try Self.opened(path)
    let (taken, code) = uninterrupted { flock(opened, LOCK_EX | LOCK_NB) }
    guard taken == 0 else {
      defer { close(opened) }
      if code == EWOULDBLOCK { throw .locked(path: path, pid: Self.holder(opened)) }
      throw .callFailed("flock", code: code, path: path)
    }
    descriptor = opened
    // Only for the other's error message: a full disk must not keep the agent from starting.
    // Over the old number, whose block a full disk might not give again: `power off --force` needs it.
    let number = "\(getpid())\n".utf8
    if writeAll(number, to: opened) == 0 { ftruncate(opened, off_t(number.count)) }
  }

  /// Closing alone would leave it to a program that is just being started, until that has closed its own.
  deinit {
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func opened(_ path: String) throws(HostError) -> Int32 {
    do throws(OutsideFileError) {
      let opened = try OutsideFile.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
      // Who may open it may lock it. One that another version has made was open to all.
      fchmod(opened, 0o600)
      return opened
    } catch {
      switch error {
      // A file system that takes no writes still locks.
      case .callFailed(_, _, EROFS):
        do { return try OutsideFile.open(path, O_RDONLY | O_NOFOLLOW) } catch { throw .file(error) }
      case .callFailed(_, _, ELOOP), .notAFile, .tooLarge, .readableByOthers, .foreignOwner, .notForThisUser:
        throw .file(error)
      case .callFailed(let call, let path, let code): throw .callFailed(call, code: code, path: path)
      }
    }
  }

  private static func holder(_ descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let (count, _) = uninterrupted { pread(descriptor, &bytes, bytes.count, 0) }
    return Int32(String(decoding: bytes.prefix(max(count, 0)).prefix { $0 > 0x20 }, as: UTF8.self))
  }
}
