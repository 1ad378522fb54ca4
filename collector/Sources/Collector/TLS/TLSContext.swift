import COpenSSL

/// The settings that connections share: certificate and key of a server, trusted authorities of a client. TLS 1.2 or
/// newer; beyond that Debian's policy in `/etc/ssl/openssl.cnf` applies.
///
/// `@unchecked Sendable`: the pointer never changes, nothing changes the context after `init`, and OpenSSL counts its
/// references atomically (openssl-threads(7)).
final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer

  private init(isServer: Bool) throws(TLSFailure) {
    guard let pointer = copenssl_context(isServer ? 1 : 0) else { throw TLSFailure.last }
    self.pointer = pointer
    // OpenSSL would ask on the terminal for the password of a file that has one.
    SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in -1 }
  }

  deinit { SSL_CTX_free(pointer) }

  /// A server's, of PEM files. Throws a ``TLSError`` that names the wrong file.
  static func server(certificate: String, key: String) throws -> TLSContext {
    let context = try TLSContext(isServer: true)
    guard SSL_CTX_use_certificate_chain_file(context.pointer, certificate) == 1 else {
      throw TLSError.certificate(certificate)
    }
    guard let secret = privateKey(key) else { throw TLSError.key(key) }
    defer { EVP_PKEY_free(secret) }
    guard SSL_CTX_use_PrivateKey(context.pointer, secret) == 1,
      SSL_CTX_check_private_key(context.pointer) == 1
    else { throw TLSError.pair(certificate: certificate, key: key) }
    copenssl_offer_http1(context.pointer)
    return context
  }

  /// A client's.
  ///
  /// - Parameter authority: a PEM file with the trusted authorities; nil: the system's.
  static func client(authority: String?) throws(TLSFailure) -> TLSContext {
    let context = try TLSContext(isServer: false)
    let isDone =
      if let authority {
        SSL_CTX_load_verify_file(context.pointer, authority)
      } else {
        SSL_CTX_set_default_verify_paths(context.pointer)
      }
    guard isDone == 1 else { throw TLSFailure.last }
    SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
    return context
  }

  private static func privateKey(_ file: String) -> OpaquePointer? {
    guard let bio = BIO_new_file(file, "r") else { return nil }
    defer { BIO_free(bio) }
    return PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
  }
}

/// Why a connection with TLS failed, in OpenSSL's words.
struct TLSFailure: Error, Equatable, CustomStringConvertible {
  var description: String

  static let closedInHandshake = TLSFailure(
    description: "TLS: the other side closed the connection during the handshake")

  /// The oldest error of this thread is the cause of those behind it.
  static var last: TLSFailure {
    let code = ERR_peek_error()
    let reason = ERR_reason_error_string(code).map { String(cString: $0) }
    return TLSFailure(description: "TLS: \(reason ?? "error \(code)")")
  }

  static func certificate(_ result: Int) -> TLSFailure {
    let reason = String(cString: X509_verify_cert_error_string(result))
    return TLSFailure(description: "certificate verify failed: \(reason)")
  }
}
