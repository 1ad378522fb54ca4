import CSystemd
import Glibc

/// Who is logged in, by the files that systemd-logind keeps for everybody (sd-login(3)). Nothing waits.
public enum LoggedIn {
  /// - Returns: the names of the users with a session of their own, sorted; services and login screens have none.
  public static func users() -> [String] {
    var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = sd_get_sessions(&list)
    guard count > 0, let list else {
      free(list)
      return []
    }
    defer {
      for index in 0..<Int(count) { free(list[index]) }
      free(list)
    }
    let names = (0..<Int(count)).compactMap { list[$0].flatMap(user) }
    return Set(names).sorted()
  }

  private static func user(_ session: UnsafeMutablePointer<CChar>) -> String? {
    // Newer systemd has kinds of it, such as user-early. `closing`: the person has gone, and a program of theirs has not.
    guard text({ sd_session_get_class(session, $0) })?.hasPrefix("user") == true,
      text({ sd_session_get_state(session, $0) }) != "closing"
    else { return nil }
    var uid: uid_t = 0
    guard sd_session_get_uid(session, &uid) >= 0 else { return nil }
    return UserName.of(uid)
  }

  private static func text(_ get: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32) -> String? {
    var found: UnsafeMutablePointer<CChar>?
    guard get(&found) >= 0, let found else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}
