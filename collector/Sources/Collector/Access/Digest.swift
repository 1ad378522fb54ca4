import COpenSSL
import Foundation

/// Hashes, by Debian's OpenSSL.
enum Digest {
  static func sha256(_ message: Data) -> Data { hash(message, EVP_sha256()) }

  /// For names, not for secrets.
  static func sha1(_ message: Data) -> Data { hash(message, EVP_sha1()) }

  private static func hash(_ message: Data, _ kind: OpaquePointer) -> Data {
    bytes { digest, length in
      message.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, digest, &length, kind, nil) == 1 }
    }
  }

  /// HMAC-SHA256 (RFC 2104).
  static func code(_ message: Data, key: Data) -> Data {
    bytes { digest, length in
      message.withUnsafeBytes { text in
        key.withUnsafeBytes { key in
          // A key of no bytes is one, and not "the key of last time", which nil stands for.
          HMAC(
            EVP_sha256(), key.baseAddress ?? UnsafeRawPointer(digest), Int32(key.count),
            text.bindMemory(to: UInt8.self).baseAddress, text.count, digest, &length) != nil
        }
      }
    }
  }

  /// Takes as long for what is nearly the same as for what is all different.
  static func isSame(_ one: Data, _ other: Data) -> Bool {
    one.count == other.count
      && one.withUnsafeBytes { one in
        other.withUnsafeBytes { CRYPTO_memcmp(one.baseAddress, $0.baseAddress, one.count) == 0 }
      }
  }

  /// scrypt (RFC 7914). - Returns: nil where the cost is none that it takes, or there is no memory for it.
  static func scrypt(_ password: Data, salt: Data, cost: PasswordHash.Cost, bytes count: Int) -> Data? {
    var key = Data(count: count)
    let most_bytes: UInt64 = 1 << 30
    let isDone = key.withUnsafeMutableBytes { key in
      salt.withUnsafeBytes { salt in
        password.withUnsafeBytes { password in
          EVP_PBE_scrypt(
            password.bindMemory(to: CChar.self).baseAddress, password.count,
            salt.bindMemory(to: UInt8.self).baseAddress, salt.count, UInt64(max(0, cost.rounds)),
            UInt64(max(0, cost.blockSize)), UInt64(max(0, cost.parallelism)), most_bytes,
            key.bindMemory(to: UInt8.self).baseAddress, count) == 1
        }
      }
    }
    return isDone ? key : nil
  }

  private static func bytes(
    _ fill: (UnsafeMutablePointer<UInt8>, inout UInt32) -> Bool
  ) -> Data {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    let isDone = digest.withUnsafeMutableBufferPointer { fill($0.baseAddress!, &length) }
    precondition(isDone, "OpenSSL cannot hash")
    return Data(digest[..<Int(length)])
  }
}
