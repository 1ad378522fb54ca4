import Foundation
import Hummingbird

/// That somebody is logged in: a secret in his browser's cookie, whose hash the database has.
struct Session: Equatable, Sendable {
  var name: String
  var role: Role

  static let cookie = "godwit_session"
  /// Unused for so long it ends.
  static let idle_ms: Int64 = 12 * 3_600_000
  /// It ends in any case.
  static let longest_ms: Int64 = 7 * 86_400_000
  /// A use is written down at most so often.
  static let usesApart_ms: Int64 = 300_000

  static func newSecret() -> String { Secret.token(Secret.random(32)) }

  static func secret(in request: Request) -> String? {
    request.cookies[cookie].map { String($0.value) }
  }

  /// What the page sends beside the cookie. Who can make a browser send the cookie cannot read this.
  static func csrf(of secret: String) -> String {
    Digest.code(Data("godwit csrf 1".utf8), key: Data(secret.utf8)).base64EncodedString()
  }

  /// - Parameter secret: nil: takes the cookie back.
  static func header(_ secret: String?, isSecure: Bool) -> String {
    let age_s = secret == nil ? 0 : longest_ms / 1000
    return
      "\(cookie)=\(secret ?? ""); Path=/; Max-Age=\(age_s); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
  }
}
