import COpenSSL
import NIOCore

/// One connection's TLS, away from any socket: encrypted bytes go in by ``receive(_:)`` and come out by ``takeOutput()``.
///
/// OpenSSL keeps the errors of a thread in a queue, so each call empties it first.
final class TLSSession {
  /// The content of a record has at most so many bytes (RFC 8446, 5.1). The buffers of OpenSSL never shrink: more at once
  /// would stay allocated as long as the connection lasts.
  static let piece_bytes = 16_384

  private let ssl: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer

  /// A server's side.
  init(server context: TLSContext) throws(TLSFailure) {
    (ssl, input, output) = try Self.make(context)
    SSL_set_accept_state(ssl)
  }

  /// A client's side.
  ///
  /// - Parameter host: the name or address that the server's certificate must have.
  init(client context: TLSContext, host: String) throws(TLSFailure) {
    (ssl, input, output) = try Self.make(context)
    SSL_set_connect_state(ssl)
    let wanted = SSL_get0_param(ssl)
    // An address is not sent to the server: RFC 6066, 3, allows names only. Its zone is this machine's own (RFC 4007, 11.2).
    let address = host.contains(":") ? String(host.prefix { $0 != "%" }) : host
    if X509_VERIFY_PARAM_set1_ip_asc(wanted, address) == 1 { return }
    X509_VERIFY_PARAM_set_hostflags(wanted, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    // OpenSSL would take an empty name as "any name", and a dot in front as "any name below".
    guard !name.isEmpty, !name.hasPrefix("."), X509_VERIFY_PARAM_set1_host(wanted, name, 0) == 1,
      copenssl_name_server(ssl, name) == 1
    else { throw TLSFailure(description: "TLS: \(host) is not a host name") }
  }

  private static func make(
    _ context: TLSContext
  ) throws(TLSFailure) -> (ssl: OpaquePointer, input: OpaquePointer, output: OpaquePointer) {
    ERR_clear_error()
    guard let ssl = SSL_new(context.pointer) else { throw TLSFailure.last }
    guard let input = BIO_new(BIO_s_mem()) else {
      SSL_free(ssl)
      throw TLSFailure.last
    }
    guard let output = BIO_new(BIO_s_mem()) else {
      BIO_free(input)
      SSL_free(ssl)
      throw TLSFailure.last
    }
    SSL_set_bio(ssl, input, output)
    return (ssl, input, output)
  }

  /// Frees the BIOs, too.
  deinit { SSL_free(ssl) }

  /// - Parameter bytes: at most ``piece_bytes``. If memory is short, they are lost, and the next record fails.
  func receive(_ bytes: ByteBuffer) {
    bytes.withUnsafeReadableBytes { _ = BIO_write(input, $0.baseAddress, Int32($0.count)) }
  }

  /// Returns whether the handshake is complete.
  func handshake() throws(TLSFailure) -> Bool {
    ERR_clear_error()
    let code = SSL_do_handshake(ssl)
    if code == 1 { return true }
    guard SSL_get_error(ssl, code) != SSL_ERROR_ZERO_RETURN else { throw TLSFailure.closedInHandshake }
    try requireWaiting(code)
    return false
  }

  /// Appends what has come to `bytes`, even if it throws. Returns false after the last byte of the other side
  /// (close_notify).
  func read(into bytes: inout ByteBuffer) throws(TLSFailure) -> Bool {
    while true {
      ERR_clear_error()
      var (code, count) = (Int32(0), 0)
      bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.piece_bytes) { space in
        code = SSL_read_ex(ssl, space.baseAddress, space.count, &count)
        return count
      }
      if code == 1 { continue }
      if SSL_get_error(ssl, code) == SSL_ERROR_ZERO_RETURN { return false }
      try requireWaiting(code)
      return true
    }
  }

  /// Returns the records of `bytes`. Only after the handshake.
  func encrypt(_ bytes: ByteBuffer) throws(TLSFailure) -> ByteBuffer {
    var (rest, records) = (bytes, ByteBuffer())
    while let piece = rest.readSlice(length: min(rest.readableBytes, Self.piece_bytes)),
      piece.readableBytes > 0
    {
      ERR_clear_error()
      var count = 0
      // A BIO in memory takes everything at once.
      let code = piece.withUnsafeReadableBytes { SSL_write_ex(ssl, $0.baseAddress, $0.count, &count) }
      guard code == 1 else { throw TLSFailure.last }
      if var record = takeOutput() { records.writeBuffer(&record) }
    }
    return records
  }

  /// Says that nothing more comes from this side (close_notify). Only after the handshake, and not after a failure.
  func shutDown() {
    ERR_clear_error()
    _ = SSL_shutdown(ssl)
  }

  var hasOutput: Bool { BIO_ctrl_pending(output) > 0 }

  /// What is to be sent to the other side; nil: nothing.
  func takeOutput() -> ByteBuffer? {
    let length = BIO_ctrl_pending(output)
    guard length > 0 else { return nil }
    var bytes = ByteBuffer()
    bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: length) {
      max(0, Int(BIO_read(output, $0.baseAddress, Int32(length))))
    }
    return bytes
  }

  private func requireWaiting(_ code: Int32) throws(TLSFailure) {
    guard SSL_get_error(ssl, code) != SSL_ERROR_WANT_READ else { return }
    let result = SSL_get_verify_result(ssl)
    throw result == Int(X509_V_OK) ? TLSFailure.last : TLSFailure.certificate(result)
  }
}
