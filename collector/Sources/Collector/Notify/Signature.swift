import Foundation

/// That a webhook's body comes from this collector, now: HMAC-SHA256 over the time and the body.
enum Signature {
  /// `t=1767226200,v1=…`: Unix seconds, and the code of `SECONDS.BODY` in hexadecimal digits.
  static func header(_ body: String, secret: String, at now_ms: Int64) -> String {
    let seconds = now_ms / 1000
    return "t=\(seconds),v1=\(Digest.code(Data("\(seconds).\(body)".utf8), key: Data(secret.utf8)).hex)"
  }
}
