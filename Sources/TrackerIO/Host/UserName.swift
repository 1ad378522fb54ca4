import Glibc

/// What a user is called.
public enum UserName {
  /// Of this process, for messages: from `/etc/passwd` alone, since a name service that is away would hold the agent up.
  /// The number where that has no name, which chown(1) takes as well.
  public static func own() -> String { of(geteuid()) }

  public static func of(_ user: uid_t) -> String {
    let file = try? OutsideFile.read("/etc/passwd", limit_bytes: 1 << 20)
    return file.flatMap { name(of: user, in: $0) } ?? "\(user)"
  }

  /// - Parameter file: as passwd(5) says, `name:password:number:…` in each line.
  static func name(of user: uid_t, in file: [UInt8]) -> String? {
    for line in file.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard fields.count >= 3, !fields[0].isEmpty, fields[2].elementsEqual("\(user)".utf8) else { continue }
      return String(decoding: fields[0], as: UTF8.self)
    }
    return nil
  }
}
