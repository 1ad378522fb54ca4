import Glibc

/// What must not be slept over: packages that are being changed, and a version of the agent that is on trial.
public enum Upgrades {
  /// There while `godwit-update` installs a version, tries it or takes it back.
  public static let trial = "/var/lib/godwit-update/trial"

  /// - Parameter root: before the paths.
  /// - Returns: which of them it is; nil for none.
  public static func words(root: String = "", locks: [String] = PackageLocks.files) -> String? {
    if let file = PackageLocks.held(root: root, files: locks) {
      return "packages are being changed: \(file) is locked"
    }
    return access(root + trial, F_OK) == 0 ? "a version is on trial: `godwit-update` says which" : nil
  }
}

/// Whether packages are being installed or upgraded: the locks of dpkg and apt, by the kernel's list of all locks, which
/// tells anybody who holds one.
public enum PackageLocks {
  /// apt and dpkg keep one of these for as long as they change anything.
  public static let files = [
    "/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", "/var/cache/apt/archives/lock",
  ]

  /// - Parameter root: before the paths.
  /// - Returns: the file that is locked; nil for none.
  public static func held(root: String = "", files: [String] = PackageLocks.files) -> String? {
    guard let bytes = try? OutsideFile.read(root + "/proc/locks", limit_bytes: 1 << 20) else { return nil }
    let locks = Set(String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap(inode))
    return files.first { path in
      var info = stat()
      return stat(path, &info) == 0 && locks.contains(UInt64(info.st_ino))
    }
  }

  /// `1: POSIX  ADVISORY  WRITE 1234 08:02:5678 0 EOF`; a process that waits has `->` before its kind. The device is not
  /// looked at: on some file systems (btrfs) it is another one than stat(2) says.
  private static func inode(_ line: Substring) -> UInt64? {
    let words = line.split(separator: " ")
    guard words.count >= 6, words[1] != "->", words[3] == "WRITE" else { return nil }
    return words[5].split(separator: ":").last.flatMap { UInt64($0) }
  }
}
