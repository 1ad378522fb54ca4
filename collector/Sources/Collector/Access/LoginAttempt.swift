import Foundation
import Hummingbird

/// A password that is tried, and by what it is counted: guesses from elsewhere do not close a name to its owner.
struct LoginAttempt: Sendable {
  /// Wrong passwords in ``LoginLimit/span_ms`` after which no further one is looked at.
  struct Limit: Equatable, Sendable {
    var key: String
    var most: Int

    /// - Parameter words: hashed, since a name that nobody has may be a password that slipped into the wrong field.
    fileprivate init(_ words: String..., most: Int) {
      key = Secret.hash(words.joined(separator: "\n")).hex
      self.most = most
    }
  }

  static let mostOfNameInNetwork = 10
  static let mostOfNetwork = 50
  /// From all networks together: against guesses that come from many.
  static let mostOfName = 100

  var name: String
  /// /24 or /64; see ``PeerAddress/network``.
  var network: String
  /// Of a browser that has proved before to be of this name, or of a session: it has a limit of its own.
  var browser: String?

  /// In one order for all, since each is locked until the end of a transaction.
  var limits: [Limit] {
    if let browser { return [Limit("browser", name, browser, most: Self.mostOfNameInNetwork)] }
    return [
      Limit("name in network", name, network, most: Self.mostOfNameInNetwork),
      Limit("network", network, most: Self.mostOfNetwork), Limit("name", name, most: Self.mostOfName),
    ].sorted { $0.key < $1.key }
  }

  /// Those that a right password clears: no guesser must be able to clear them by a login of his own.
  var ownLimits: [Limit] {
    [
      browser.map { Limit("browser", name, $0, most: 0) }
        ?? Limit("name in network", name, network, most: 0)
    ]
  }
}

/// A browser that has logged in under a name before, by a cookie that only the collector can have made. It opens nothing:
/// it keeps a flood of wrong passwords from closing the name to the browsers of its owner. (OWASP, "Slow Down Online
/// Guessing Attacks with Device Cookies".)
///
/// The key is what is kept of the password, so that a new password ends all cookies.
enum KnownBrowser {
  static let cookie = "godwit_browser"
  static let longest_ms: Int64 = 180 * 86_400_000

  static func mark(of name: String, with password: PasswordHash, at now_ms: Int64) -> String {
    let claim = "\(now_ms).\(Data(Secret.random(16)).hex)"
    return "\(claim).\(Digest.code(message(name, claim), key: key(password)).hex)"
  }

  /// - Parameter password: nil for a name that nobody has.
  /// - Returns: what tells it from other browsers; nil if it is not known.
  static func claim(
    in request: Request, of name: String, with password: PasswordHash?, at now_ms: Int64
  ) -> String? {
    guard let password, let mark = request.cookies[cookie].map({ String($0.value) }),
      let dot = mark.lastIndex(of: "."), let code = Secret.hash(hex: String(mark[mark.index(after: dot)...]))
    else { return nil }
    let claim = String(mark[..<dot])
    guard
      Digest.isSame(code, Digest.code(message(name, claim), key: key(password))),
      let made_ms = claim.split(separator: ".").first.flatMap({ Int64($0) }), now_ms - made_ms < longest_ms
    else { return nil }
    return claim
  }

  static func header(_ mark: String, isSecure: Bool) -> String {
    "\(cookie)=\(mark); Path=\(Routes.sessionPath); Max-Age=\(longest_ms / 1000); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
  }

  private static func message(_ name: String, _ claim: String) -> Data {
    Data("godwit browser 1\n\(name)\n\(claim)".utf8)
  }

  private static func key(_ password: PasswordHash) -> Data { Data(password.text.utf8) }
}

extension Data {
  var hex: String { map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined() }
}
