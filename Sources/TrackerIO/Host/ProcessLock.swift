import Glibc

/// Keeps a second instance off the queue and the GPS. Held until `deinit` or the end of the process, however it
/// ends.
public final class ProcessLock {
  private let descriptor: Int32

  /// Takes the lock file at `path`, which is made if need be and never removed.
  /// - Throws: `HostError.locked` if another process holds it.
  public init(path: String) throws(HostError) {
    var (opened, openCode) = uninterrupted { open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644) }
    // A file system that takes no writes still locks.
    if openCode == EROFS { opened = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
    guard opened >= 0 else { throw .callFailed("open", code: openCode, path: path) }
    let (taken, code) = uninterrupted { flock(opened, LOCK_EX | LOCK_NB) }
    guard taken == 0 else {
      defer { close(opened) }
      if code == EWOULDBLOCK { throw .locked(path: path, pid: Self.holder(opened)) }
      throw .callFailed("flock", code: code, path: path)
    }
    descriptor = opened
    // Only for the other's error message: a full disk must not keep the agent from starting.
    ftruncate(opened, 0)
    try? writeAll(Array("\(getpid())\n".utf8), to: opened, path: path)
  }

  deinit { close(descriptor) }

  private static func holder(_ descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let (count, _) = uninterrupted { pread(descriptor, &bytes, bytes.count, 0) }
    return Int32(String(decoding: bytes.prefix(max(count, 0)).prefix { $0 > 0x20 }, as: UTF8.self))
  }
}
