import Glibc

/// Files that a person, another program or a dying card may have replaced by anything: opened without waiting, regular
/// files only, and read up to a bound. Everything that the agent opens by a name from outside goes through here.
///
/// A network file system that hangs still holds up whoever opens a file on it: nothing of the agent belongs there.
public enum OutsideFile {
  /// Opens a regular file; the caller closes it. - Parameter mode: of a file that `O_CREAT` makes.
  public static func open(
    _ path: String, _ flags: Int32 = O_RDONLY, mode: mode_t = 0
  ) throws(OutsideFileError) -> Int32 {
    let path = CredentialsFolder.expanded(path)
    // Before it is opened: opening a device may have effects (a watchdog starts, a modem hangs up).
    try check(path)
    // The name may stand for something else by now: whatever it is, nothing is waited for.
    let careful = flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
    let (file, code) = uninterrupted { Glibc.open(path, careful, mode) }
    guard file >= 0 else { throw .callFailed("open", path: path, code: code) }
    do throws(OutsideFileError) {
      try checkKind(try status(of: file, path), path)
    } catch {
      close(file)
      throw error
    }
    return file
  }

  /// The whole file.
  ///
  /// - Parameter isPrivate: only its owner may read it, who is this user or root; looked at on the file that is open.
  ///   To root any owner is right.
  /// - Throws: `tooLarge` for more than `limit_bytes`, of which nothing is kept.
  public static func read(
    _ path: String, limit_bytes: Int, isPrivate: Bool = false
  ) throws(OutsideFileError) -> [UInt8] {
    let path = CredentialsFolder.expanded(path)
    let file = try open(path)
    defer { close(file) }
    let info = try status(of: file, path)
    if isPrivate { try checkPrivacy(info, path) }
    guard info.st_size <= limit_bytes else { throw .tooLarge(path: path, limit_bytes: limit_bytes) }
    var bytes: [UInt8] = []
    // It may grow meanwhile, and files of the kernel's have no size.
    while bytes.count <= limit_bytes {
      let piece = try piece(of: file, path)
      if piece.isEmpty { return bytes }
      bytes += piece
    }
    throw .tooLarge(path: path, limit_bytes: limit_bytes)
  }

  /// For a file that a library opens by its name: refuses what is there and is no regular file. A missing one is fine,
  /// and what else keeps it from being opened is the library's to find out.
  public static func check(_ path: String, limit_bytes: Int = .max) throws(OutsideFileError) {
    let path = CredentialsFolder.expanded(path)
    var info = stat()
    if stat(path, &info) == 0 {
      try checkKind(info, path)
      guard info.st_size <= limit_bytes else { throw .tooLarge(path: path, limit_bytes: limit_bytes) }
      return
    }
    // A link that leads to itself is there, and nothing can be made in its place.
    if errno == ELOOP { throw .callFailed("open", path: path, code: ELOOP) }
  }

  /// Whether the file at `path` is one, and only its owner may read it. - Throws: what `read` would.
  public static func checkIsPrivate(_ path: String) throws(OutsideFileError) {
    let path = CredentialsFolder.expanded(path)
    var info = stat()
    guard stat(path, &info) == 0 else { throw unread("stat", path, errno) }
    try checkKind(info, path)
    try checkPrivacy(info, path)
    guard mayRead(path) else { throw unread("open", path, errno) }
  }

  /// Why this user may not read what is there; nil where that is not the reason.
  public static func unreadable(_ path: String) -> String? {
    let path = CredentialsFolder.expanded(path)
    return mayRead(path) || errno != EACCES ? nil : unreadableWords(path)
  }

  /// Of a file that is no secret.
  static func unreadableWords(_ path: String) -> String {
    // Root that looks with the agent's eyes has used it.
    let other = getuid() == 0 ? "" : "use sudo; if the agent's user cannot read it either, "
    return
      "\(path) cannot be read by the user \(UserName.own()): \(other)sudo chmod a+r \(path), and a+x for its folders"
  }

  // MARK: Parts

  /// By the effective user, who is not always the real one.
  private static func mayRead(_ path: String) -> Bool { faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 }

  private static func unread(_ call: String, _ path: String, _ code: Int32) -> OutsideFileError {
    if code == EACCES { return .notForThisUser(path: path, user: UserName.own()) }
    return .callFailed(call, path: path, code: code)
  }

  private static func status(of file: Int32, _ path: String) throws(OutsideFileError) -> stat {
    var info = stat()
    guard fstat(file, &info) == 0 else { throw .callFailed("fstat", path: path, code: errno) }
    return info
  }

  private static func checkKind(_ info: stat, _ path: String) throws(OutsideFileError) {
    switch info.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw .notAFile(path: path, kind: .directory)
    case S_IFIFO: throw .notAFile(path: path, kind: .pipe)
    case S_IFSOCK: throw .notAFile(path: path, kind: .socket)
    // Character and block devices; Linux has no further kind.
    default: throw .notAFile(path: path, kind: .device)
    }
  }

  private static func checkPrivacy(_ info: stat, _ path: String) throws(OutsideFileError) {
    let mode = info.st_mode & 0o7777
    if CredentialsFolder.holds(path),
      CredentialsFolder.isPrivate(owner: info.st_uid, mode: mode, user: geteuid())
    {
      return
    }
    guard mode == 0o600 || mode == 0o400 else { throw .readableByOthers(path: path, mode: mode) }
    guard isTrusted(owner: info.st_uid, by: geteuid()) else {
      throw .foreignOwner(path: path, owner: UserName.of(info.st_uid), user: UserName.own())
    }
  }

  /// Whose files a user takes for secrets: root, who may read all, those of whoever the agent runs as.
  static func isTrusted(owner: uid_t, by user: uid_t) -> Bool { owner == user || owner == 0 || user == 0 }

  private static func piece(of file: Int32, _ path: String) throws(OutsideFileError) -> [UInt8] {
    var code: Int32 = 0
    let piece = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
      let (got, failure) = uninterrupted { Glibc.read(file, buffer.baseAddress, 16_384) }
      (count, code) = (max(got, 0), failure)
    }
    guard code == 0 else { throw .callFailed("read", path: path, code: code) }
    return piece
  }
}

/// Why a file cannot be used.
public enum OutsideFileError: Error, Equatable, CustomStringConvertible {
  /// What stands in its place.
  public enum Kind: String, Equatable, Sendable {
    case directory = "a directory"
    case pipe = "a pipe (FIFO)"
    case device = "a device"
    case socket = "a socket"
  }

  case callFailed(_ call: String, path: String, code: Int32)
  case notAFile(path: String, kind: Kind)
  case tooLarge(path: String, limit_bytes: Int)
  case readableByOthers(path: String, mode: UInt32)
  case foreignOwner(path: String, owner: String, user: String)
  /// A secret that this user may not read.
  case notForThisUser(path: String, user: String)

  /// There is nothing of that name.
  public var isMissing: Bool {
    if case .callFailed(_, _, ENOENT) = self { true } else { false }
  }

  public var path: String {
    switch self {
    case .callFailed(_, let path, _), .notAFile(let path, _), .tooLarge(let path, _),
      .readableByOthers(let path, _), .foreignOwner(let path, _, _), .notForThisUser(let path, _):
      path
    }
  }

  /// Without the path, to stand after it.
  public var reason: String {
    switch self {
    case .callFailed(_, let path, ENOENT) where CredentialsFolder.holds(path):
      "is not there: systemd puts credentials there while the service runs, if its unit has LoadCredential="
    case .callFailed(_, _, ENOENT): "is not there"
    case .callFailed(_, _, ELOOP):
      "is a link that leads in a circle, or must be none: put the file itself there"
    case .callFailed(let call, _, let code): "cannot be read: \(call): \(systemWords(code))"
    case .notAFile(_, let kind): "is \(kind.rawValue) and not a file: move it away and put the file there"
    case .tooLarge(_, let limit_bytes): "is larger than \(limit_bytes / 1024) kB, so it is another file"
    case .readableByOthers(let path, let mode):
      "has mode 0\(String(mode, radix: 8)), but only its owner may read it: chmod 0600 \(path)"
    case .foreignOwner(let path, let owner, let user):
      "belongs to the user \(owner), and \(user) takes secrets of its own or of root alone: sudo chown \(user) \(path)"
    case .notForThisUser(let path, let user):
      "cannot be read by the user \(user): sudo chown \(user) \(path)"
    }
  }

  public var description: String { "\(path) \(reason)" }
}
