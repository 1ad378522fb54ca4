import Glibc

/// The folder of systemd's credentials (LoadCredential= and LoadCredentialEncrypted=, systemd.exec(5)): files that root
/// gives to one service. They belong to root with mode 0440, and an access list names the service's user.
public enum CredentialsFolder {
  /// As settings write it.
  static let variable = "${CREDENTIALS_DIRECTORY}"

  /// This process's own, or that of the agent's service for a command beside it.
  public static var path: String {
    getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) } ?? "/run/credentials/godwit.service"
  }

  /// Where a setting's file lies.
  public static func expanded(_ file: String, folder: String = path) -> String {
    file.hasPrefix(variable + "/") ? folder + file.dropFirst(variable.count) : file
  }

  /// How the name of a secret's file should be written; nil if it is well written.
  static func advice(on file: String) -> String? {
    let bare = "$CREDENTIALS_DIRECTORY/"
    if file.hasPrefix(bare) { return "write \(variable)/\(file.dropFirst(bare.count)), with the braces" }
    return file.hasPrefix("/") || file.hasPrefix(variable)
      ? nil : "write its whole path, such as /etc/godwit/token"
  }

  /// Whether the file is a credential. Only systemd writes one.
  public static func holds(_ file: String, folder: String = path) -> Bool {
    expanded(file, folder: folder).hasPrefix(folder + "/") && !file.contains("/../")
  }

  /// Root's or the service's own, written by neither, and nothing for others.
  static func isPrivate(owner: uid_t, mode: mode_t, user: uid_t) -> Bool {
    (owner == 0 || owner == user) && mode & 0o337 == 0
  }
}
