import Glibc
import Testing

@testable import TrackerIO

/// What may stand where a file is expected.
enum Stranger: String, CaseIterable {
  case directory, pipe, pipeBehindLink, device, socket, linkLoop

  /// - Returns: how its error ends.
  var words: String {
    switch self {
    case .directory: "is a directory and not a file: move it away and put the file there"
    case .pipe, .pipeBehindLink: "is a pipe (FIFO) and not a file: move it away and put the file there"
    case .device: "is a device and not a file: move it away and put the file there"
    case .socket: "is a socket and not a file: move it away and put the file there"
    case .linkLoop: "is a link that leads in a circle, or must be none: put the file itself there"
    }
  }

  func make(_ path: String) throws {
    let result: Int32
    switch self {
    case .directory: result = mkdir(path, 0o700)
    case .pipe: result = mkfifo(path, 0o600)
    case .pipeBehindLink: result = mkfifo(path + ".pipe", 0o600) | symlink(path + ".pipe", path)
    case .device: result = symlink("/dev/zero", path)
    case .linkLoop: result = symlink(path, path)
    case .socket:
      let descriptor = try ControlAddress.socket(nonBlocking: true)
      defer { close(descriptor) }
      result = try ControlAddress.with(path) { bind(descriptor, $0, $1) }
    }
    try #require(result == 0)
  }
}

/// The words of whatever `body` throws.
func words(_ body: () throws -> Void) -> String {
  do { try body() } catch { return "\(error)" }
  return ""
}

@Suite("A file whose name comes from outside")
struct OutsideFileTests {
  private let folder = QueueFolder()
  private var path: String { folder.path + "/file" }

  @Test("anything but a regular file is refused in words, at once", arguments: Stranger.allCases)
  func strangers(_ stranger: Stranger) throws {
    try stranger.make(path)
    let expected = "\(path) \(stranger.words)"
    #expect(words { _ = try OutsideFile.read(path, limit_bytes: 100) } == expected)
    #expect(words { try OutsideFile.check(path) } == expected)
    for flags in [O_RDONLY, O_RDWR | O_CREAT, O_WRONLY | O_CREAT | O_TRUNC] {
      #expect(words { _ = try OutsideFile.open(path, flags, mode: 0o600) } == expected)
    }
  }

  @Test("a file is read whole up to its limit, and one byte more is too much")
  func limit() throws {
    try write([UInt8](repeating: 7, count: 20_480))
    #expect(try OutsideFile.read(path, limit_bytes: 20_480).count == 20_480)
    #expect(
      words { _ = try OutsideFile.read(path, limit_bytes: 20_479) }
        == "\(path) is larger than 19 kB, so it is another file")
    // Files of the kernel's have no size.
    #expect(try OutsideFile.read("/proc/self/stat", limit_bytes: 4096).count > 100)
    #expect(throws: OutsideFileError.tooLarge(path: "/proc/self/stat", limit_bytes: 10)) {
      _ = try OutsideFile.read("/proc/self/stat", limit_bytes: 10)
    }
  }

  @Test("a huge file costs nothing")
  func huge() throws {
    try write([])
    truncate(path, 1 << 40)
    #expect(throws: OutsideFileError.tooLarge(path: path, limit_bytes: 1024)) {
      _ = try OutsideFile.read(path, limit_bytes: 1024)
    }
  }

  @Test("a missing file is reported as one, and is no hindrance for who makes it")
  func missing() throws {
    #expect(words { _ = try OutsideFile.read(path, limit_bytes: 10) } == "\(path) is not there")
    #expect(throws: Never.self) { try OutsideFile.check(path) }
    close(try OutsideFile.open(path, O_RDWR | O_CREAT, mode: 0o600))
    #expect(try OutsideFile.read(path, limit_bytes: 10) == [])
  }

  @Test(
    "a secret is for its owner's eyes",
    arguments: [(0o644, false), (0o640, false), (0o600, true), (0o400, true)])
  func privacy(_ mode: Int, _ isFine: Bool) throws {
    try write([1])
    chmod(path, mode_t(mode))
    let expected =
      isFine
      ? "" : "\(path) has mode 0\(String(mode, radix: 8)), but only its owner may read it: chmod 0600 \(path)"
    #expect(words { _ = try OutsideFile.read(path, limit_bytes: 10, isPrivate: true) } == expected)
    #expect(words { try OutsideFile.checkIsPrivate(path) } == expected)
  }

  private func write(_ bytes: [UInt8]) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    #expect(writeAll(bytes, to: file) == 0)
  }

  @Test(
    "a secret is this user's or root's; to root any owner is right",
    arguments: [(999, 999, true), (0, 999, true), (1000, 999, false), (999, 0, true), (0, 0, true)])
  func owner(owner: uid_t, user: uid_t, isTrusted: Bool) {
    #expect(OutsideFile.isTrusted(owner: owner, by: user) == isTrusted)
  }

  @Test("whose a secret is, and what to do about one that may not be read")
  func ownersWords() {
    #expect(
      "\(OutsideFileError.foreignOwner(path: "/t", owner: "pi", user: "godwit"))"
        == "/t belongs to the user pi, and godwit takes secrets of its own or of root alone: sudo chown godwit /t"
    )
    #expect(
      "\(OutsideFileError.notForThisUser(path: "/t", user: "godwit"))"
        == "/t cannot be read by the user godwit: sudo chown godwit /t")
  }

  @Test(
    "a credential is root's or the user's own, and may have the mask of its access list for a mode",
    arguments: [
      (0, 0o440, true), (0, 0o400, true), (999, 0o400, true), (998, 0o440, false), (0, 0o444, false),
      (0, 0o640, false), (0, 0o460, false),
    ] as [(uid_t, mode_t, Bool)])
  func credentialsPrivacy(owner: uid_t, mode: mode_t, isFine: Bool) {
    #expect(CredentialsFolder.isPrivate(owner: owner, mode: mode, user: 999) == isFine)
  }

  @Test("a setting's ${CREDENTIALS_DIRECTORY} is systemd's folder, and only what lies in it is a credential")
  func credentialsFolder() {
    let folder = "/run/credentials/x.service"
    for file in ["${CREDENTIALS_DIRECTORY}/token", folder + "/token"] {
      #expect(CredentialsFolder.expanded(file, folder: folder) == folder + "/token")
      #expect(CredentialsFolder.holds(file, folder: folder))
    }
    for file in [
      "/etc/godwit/token", folder, folder + "/../y.service/token", "", "$CREDENTIALS_DIRECTORY/token",
    ] {
      #expect(CredentialsFolder.expanded(file, folder: folder) == file)
      #expect(!CredentialsFolder.holds(file, folder: folder))
    }
  }

  @Test(
    "a user's name is found in /etc/passwd by the whole number",
    arguments: [
      ("root:x:0:0:root:/root:/bin/bash\ngodwit:x:998:998::/:\n", "godwit"), ("godwit:x:9981:1::/:", nil),
      ("godwit:x:99:998::/:\n", nil), (":x:998:998::/:\n", nil), ("godwit:998\n", nil), ("", nil),
    ] as [(String, String?)])
  func userName(file: String, name: String?) {
    #expect(UserName.name(of: 998, in: Array(file.utf8)) == name)
  }
}
