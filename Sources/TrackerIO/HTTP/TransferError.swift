import CCurl
import TrackerBase
import TrackerWire

/// What libcurl's code for a failed transfer means, and what an operator can do about it.
struct TransferError {
  var failure: UploadReply.NoReply
  /// Empty where there is nothing to add to libcurl's words.
  var advice = ""

  /// - Parameters:
  ///   - words: libcurl's own for this transfer.
  ///   - isRefused: the server has asked for this device's certificate, and said nothing after it.
  ///   - isClockTrusted: whether the certificate's dates were judged by a time that somebody vouches for.
  ///   - proxy: that was connected to, as host and port; empty: none.
  init?(
    _ code: CURLcode, words: String, certificate: godwit_curl_certificate, isRefused: Bool,
    request: UploadRequest, isClockTrusted: Bool, proxy: String = ""
  ) {
    switch code {
    case CURLE_OK: return nil
    case CURLE_COULDNT_RESOLVE_HOST:
      self.init(failure: .resolve, advice: "is the host in sync.url right, and does DNS work?")
    case CURLE_COULDNT_RESOLVE_PROXY:
      self.init(failure: .resolve, advice: "is the proxy in the environment right, and does DNS work?")
    case CURLE_COULDNT_CONNECT:
      self.init(
        failure: .connect,
        advice: proxy.isEmpty ? "" : "cannot reach the proxy \(proxy), which the environment names")
    case CURLE_INTERFACE_FAILED:
      self.init(failure: .interface, advice: "sync.interface is not there, or has no address")
    case CURLE_PEER_FAILED_VERIFICATION:
      self.init(certificate, request: request, isClockTrusted: isClockTrusted)
    case CURLE_SSL_CACERT_BADFILE: self.init(failure: .tls, advice: "look at sync.ca_file")
    case CURLE_SSL_CERTPROBLEM: self.init(failure: .tls, advice: TransferError.clientFiles)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED,
      CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
      self.init(failure: .tls, advice: TransferError.adviceOnAlert(words))
    case CURLE_OPERATION_TIMEDOUT: self.init(failure: .timeout)
    case CURLE_FILESIZE_EXCEEDED, TransferError.tooLarge: self.init(failure: .replyTooLarge)
    case CURLE_UNSUPPORTED_PROTOCOL where words.contains("HTTP/"), CURLE_WEIRD_SERVER_REPLY:
      self.init(failure: .notHTTP, advice: "what answers at sync.url is no web server")
    // TLS 1.3 refuses a client's certificate only after the handshake, and the connection may be gone before its alert
    // is read: libcurl then reports a reset, or "bad write retry".
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING:
      let isAlert = words.contains("SSL routines") && words.contains("alert")
      self.init(
        failure: isAlert || isRefused ? .tls : .dropped,
        advice: isRefused ? TransferError.refused : isAlert ? TransferError.adviceOnAlert(words) : "")
    case CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_BAD_CONTENT_ENCODING,
      CURLE_SEND_FAIL_REWIND, CURLE_WRITE_ERROR:
      self.init(failure: .dropped)
    default: self.init(failure: .setup)
    }
  }

  private init(failure: UploadReply.NoReply, advice: String = "") {
    self.failure = failure
    self.advice = advice
  }

  private init(_ certificate: godwit_curl_certificate, request: UploadRequest, isClockTrusted: Bool) {
    switch certificate {
    case GODWIT_CERTIFICATE_NOT_YET_VALID, GODWIT_CERTIFICATE_EXPIRED:
      self.init(
        failure: isClockTrusted ? .tls : .tlsClock,
        advice: isClockTrusted
          ? TransferError.advice(certificate, at_ms: (request.trustedTime_s ?? 0) * 1000)
          : "this device's clock is not set, so it may be the clock: sync waits for the time from GPS or NTP")
    case GODWIT_CERTIFICATE_UNVOUCHED, GODWIT_CERTIFICATE_NO_ISSUER:
      let unsigned =
        request.caFile.isEmpty
        ? "none of the system's authorities has signed it: name your own in sync.ca_file"
        : "the authority in sync.ca_file has not signed it"
      self.init(
        failure: .tls,
        advice: certificate == GODWIT_CERTIFICATE_UNVOUCHED
          ? unsigned
          : "\(unsigned); or the server does not send its intermediate certificate with its own (fullchain.pem)"
      )
    // libcurl compares names itself, after the certificate was found fine.
    case GODWIT_CERTIFICATE_FINE:
      self.init(failure: .tls, advice: "the certificate is for another host than that of sync.url")
    default: self.init(failure: .tls)
    }
  }

  /// The clock may have been set wrong by whoever is trusted: the date by which it was judged warns a person.
  private static func advice(_ certificate: godwit_curl_certificate, at_ms: Int64) -> String {
    let what = certificate == GODWIT_CERTIFICATE_EXPIRED ? "has expired" : "is not yet valid"
    return
      "the server's certificate \(what) by this device's clock, which says \(ISO8601.text(ms: at_ms).prefix(10)): if that is not today, the clock is wrong (look at chrony and the GPS), else the server needs a certificate of today"
  }

  /// CURLE_TOO_LARGE, which bookworm's headers do not name yet.
  private static let tooLarge = CURLcode(100)

  private static let clientFiles =
    "look at sync.client_cert_file and sync.client_key_file: PEM, a pair, the key without a passphrase"

  /// RFC 8446, 6.2: how a server says that it dislikes the client's certificate or misses it.
  private static func adviceOnAlert(_ words: String) -> String {
    // OpenSSL's words for an answer that is not TLS.
    if words.contains("wrong version number") {
      return "the server speaks no TLS on this port: http:// or another port?"
    }
    let isAboutUs =
      words.contains("alert") && ["certif", "handshake", "unknown ca"].contains { words.contains($0) }
    return isAboutUs ? refused : ""
  }

  private static let refused =
    "the server refuses this device's certificate, or wants one: look at sync.client_cert_file"
}
