import CCurl
import TrackerBase
import TrackerWire

/// One request's libcurl handle with all memory that libcurl writes to or reads from while it runs.
///
/// The owner takes `easy` out of its multi handle before the last reference goes.
final class Transfer {
  let easy: UnsafeMutableRawPointer
  /// Whose addresses are needed before libcurl may begin; nil for a URL that libcurl will refuse.
  let destination: Destination?
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var resolved: UnsafeMutablePointer<curl_slist>?
  private var nameError: NameError?
  private let reply: UnsafeMutablePointer<godwit_curl_reply>
  private let errorBuffer: UnsafeMutablePointer<CChar>
  private let request: UploadRequest
  private let secrets: [String]
  private let time_s: UnsafeMutablePointer<Int64>
  /// The certificate is judged by a time that somebody vouches for.
  private var isClockTrusted = false

  /// A POST.
  convenience init(posting request: UploadRequest, userAgent: String) throws(UploadError) {
    try self.init(request)
    try setHeaders(request)
    try set(CURLOPT_USERAGENT, userAgent)
    if !request.user.isEmpty {
      // Sent with the first request, unasked: libcurl's way with Basic alone, its default.
      try set(CURLOPT_USERNAME, request.user)
      try set(CURLOPT_PASSWORD, request.password)
    }
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    try check("set body", godwit_curl_set_body(easy, request.body, request.body.count))
    reply.pointee.body_count = UInt64(request.body.count)
  }

  /// Nothing but the connection, with TLS where the URL is https://, for `MQTTConnection`.
  convenience init(connecting request: UploadRequest) throws(UploadError) {
    try self.init(request)
    try set(CURLOPT_CONNECT_ONLY, 1)
    // No HTTP: none is offered in TLS, and a proxy of the environment hands the bytes on.
    try set(CURLOPT_SSL_ENABLE_ALPN, 0)
    try set(CURLOPT_HTTPPROXYTUNNEL, 1)
  }

  private init(_ request: UploadRequest) throws(UploadError) {
    guard let easy = curl_easy_init() else {
      throw .setUp(call: "curl_easy_init", code: 0, words: "out of memory")
    }
    self.easy = easy
    reply = .allocate(capacity: 1)
    reply.initialize(to: godwit_curl_reply())
    reply.pointee.limit = max(0, request.maxReply_bytes)
    errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    self.request = request
    destination = Destination(request.url)
    secrets = Transfer.secrets(of: request)
    time_s = .allocate(capacity: 1)
    time_s.initialize(to: request.trustedTime_s ?? 0)
    try setTransport(request)
    try setLimits(request)
    try set(CURLOPT_URL, request.url)
    try setProxy()
    try check("set error buffer", godwit_curl_set_error_buffer(easy, errorBuffer))
    try check("collect", godwit_curl_collect(easy, reply))
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headers)
    curl_slist_free_all(resolved)
    godwit_curl_reply_free(reply)
    reply.deallocate()
    errorBuffer.deallocate()
    time_s.deallocate()
  }

  // MARK: Options

  private func setHeaders(_ request: UploadRequest) throws(UploadError) {
    var fields = request.headers + request.secretHeaders
    fields.append(("Content-Type", request.contentType))
    if !request.bearerToken.isEmpty { fields.append(("Authorization", "Bearer " + request.bearerToken)) }
    for (name, value) in fields {
      let isClean = { (text: String) in !text.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D } }
      guard isClean(name), isClean(value) else { throw .badHeader(name.filter { !$0.isNewline }) }
      // libcurl's way to send a header without a value is a semicolon.
      try append(header: value.isEmpty ? "\(name);" : "\(name): \(value)")
    }
    // Else libcurl waits a second for a "100 Continue" that many servers never send.
    try append(header: "Expect:")
    // `*/*`, libcurl's, is what a request without the header means (RFC 9110, 12.5.1), and costs 13 bytes.
    try append(header: "Accept:")
    try check("set headers", godwit_curl_set_list(easy, CURLOPT_HTTPHEADER, headers))
  }

  private func append(header: String) throws(UploadError) { try append(header, to: &headers) }

  private func append(_ text: String, to list: inout UnsafeMutablePointer<curl_slist>?) throws(UploadError) {
    guard let longer = curl_slist_append(list, text) else {
      throw .setUp(call: "curl_slist_append", code: 0, words: "out of memory")
    }
    list = longer
  }

  private func setProxy() throws(UploadError) {
    // Empty: none, whatever the environment says.
    try set(CURLOPT_PROXY, destination?.proxy ?? "")
    try set(CURLOPT_NOPROXY, "")
    if let destination, !destination.proxy.isEmpty { try set(CURLOPT_PROXYPORT, destination.port) }
  }

  private func setTransport(_ request: UploadRequest) throws(UploadError) {
    let isPlaintext = request.url.lowercased().hasPrefix("http://")
    guard !isPlaintext || request.allowPlaintext || godwit_curl_is_loopback(request.url) else {
      throw .plaintextRefused
    }
    try set(CURLOPT_PROTOCOLS_STR, isPlaintext ? "http" : "https")
    try set(CURLOPT_DEFAULT_PROTOCOL, "https")
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_SSLVERSION, 6)  // CURL_SSLVERSION_TLSv1_2: this one or later.
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    if !request.caFile.isEmpty {
      try set(CURLOPT_CAINFO, request.caFile)
      // The system's folder of authorities would be trusted beside the file.
      try set(CURLOPT_CAPATH, nil)
    }
    try setClientCertificate(request)
    try judgeByTrustedTime(request)
    // With `if!` libcurl does not take the name for an address or a host.
    if !request.interface.isEmpty { try set(CURLOPT_INTERFACE, "if!" + request.interface) }
  }

  private func setClientCertificate(_ request: UploadRequest) throws(UploadError) {
    if request.clientCertFile.isEmpty { return }
    try set(CURLOPT_SSLCERT, request.clientCertFile)
    try set(CURLOPT_SSLKEY, request.clientKeyFile)
    // Else OpenSSL would ask on the terminal for the passphrase of a key that has one.
    try set(CURLOPT_KEYPASSWD, "")
  }

  private func judgeByTrustedTime(_ request: UploadRequest) throws(UploadError) {
    if request.trustedTime_s == nil { return }
    let code = godwit_curl_judge_at(easy, time_s)
    // Without OpenSSL the system's clock judges, and nobody knows what is wrong with it.
    if code == CURLE_NOT_BUILT_IN { return }
    try check("judge at", code)
    isClockTrusted = true
  }

  private func setLimits(_ request: UploadRequest) throws(UploadError) {
    // No signals for time-outs: the agent's belong to the agent.
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_MAXAGE_CONN, Int(Transfer.longestIdle_s))
    // A link that has died under way is noticed before the whole time is up. The limit of bytes is set as the transfer
    // goes on: while the server thinks there is none.
    try set(CURLOPT_LOW_SPEED_LIMIT, 1)
    try set(CURLOPT_LOW_SPEED_TIME, request.silence_s)
  }

  private func set(_ option: CURLoption, _ value: Int) throws(UploadError) {
    try check("option \(option.rawValue)", godwit_curl_set_long(easy, option, value))
  }

  private func set(_ option: CURLoption, _ value: String?) throws(UploadError) {
    try check("option \(option.rawValue)", godwit_curl_set_text(easy, option, value))
  }

  private func check(_ what: String, _ code: CURLcode) throws(UploadError) {
    guard code == CURLE_OK else {
      let words = String(cString: curl_easy_strerror(code))
      throw .setUp(call: "curl_easy_setopt (\(what))", code: Int(code.rawValue), words: words)
    }
  }

  /// Silence after which the kept connection of an HTTP server is no longer used: libcurl's own limit.
  static let longestIdle_s: Int64 = 118

  var interface: String { request.interface }
  /// For the look-up: it counts as a part of making the connection.
  var connectTimeout_ms: Int64 { min(request.connectTimeout_ms, request.requestTimeout_ms) }

  /// The addresses of `destination`, with the time that was spent on them; nil for a URL that libcurl will refuse.
  func use(_ addresses: [String]?, after_ms: Int64) throws(UploadError) {
    try set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, request.connectTimeout_ms - after_ms)))
    try set(CURLOPT_TIMEOUT_MS, Int(max(1, request.requestTimeout_ms - after_ms)))
    if let destination, let addresses {
      if addresses == [destination.host] { return }
      try append(destination.entry(addresses), to: &resolved)
    }
    try check("set addresses", godwit_curl_never_look_up(easy, resolved))
  }

  /// - Returns: libcurl's code for it.
  func lookUpFailed(_ fault: NameError) -> CURLcode {
    nameError = fault
    let isProxy = destination?.proxy.isEmpty == false
    return fault == .noInterface
      ? CURLE_INTERFACE_FAILED : isProxy ? CURLE_COULDNT_RESOLVE_PROXY : CURLE_COULDNT_RESOLVE_HOST
  }

  /// For the first transfer after one whose connection cannot be kept.
  func connectAnew() throws(UploadError) { try set(CURLOPT_FRESH_CONNECT, 1) }

  // MARK: Result

  func result(_ ended: CURLcode) -> UploadResult {
    let code = ended == CURLE_OK && !reply.pointee.has_head ? CURLE_PARTIAL_FILE : ended
    let failure = failure(code) ?? earlyReply
    let contentType = godwit_curl_get_text(easy, CURLINFO_CONTENT_TYPE).map { String(cString: $0) }
    let status = godwit_curl_get_long(easy, CURLINFO_RESPONSE_CODE)
    return UploadResult(
      status: failure == nil ? status : 0,
      cutStatus: failure?.cause == .replyTooLarge && reply.pointee.has_head && earlyReply == nil ? status : 0,
      failure: failure?.cause,
      message: failure?.words ?? "", contentType: contentType ?? "",
      retryAfter_s: retryAfter_s, acceptEncoding: header("Accept-Encoding") ?? "",
      location: header("Location") ?? "",
      body: Array(UnsafeBufferPointer(start: reply.pointee.bytes, count: reply.pointee.count)),
      bytesUp: bytes.up, bytesDown: bytes.down, handshake: handshake)
  }

  /// A 2xx is for what was sent whole before it came. A refusal may come early: 413 does.
  private var earlyReply: (cause: UploadReply.NoReply, words: String)? {
    let status = godwit_curl_get_long(easy, CURLINFO_RESPONSE_CODE)
    let sent = Int(clamping: reply.pointee.body_up_at_head)
    guard (200..<300).contains(status), sent < request.body.count else { return nil }
    let words =
      "the server answered \(status) when \(sent) of the request's \(request.body.count) bytes had been sent, so it cannot have the records"
    return (.earlyReply, words)
  }

  /// A date is measured from the server's own, which stands beside it, or else from the best time there is.
  private var retryAfter_s: Int? {
    guard let text = header("Retry-After") else { return nil }
    func date(_ text: String) -> Int64? {
      let date_s = curl_getdate(text, nil)
      return date_s == -1 ? nil : Int64(date_s)
    }
    let now_s = header("Date").flatMap(date) ?? request.trustedTime_s ?? HostClock.now().wall_ms / 1000
    return RetryAfter.seconds(text, from: now_s, date: date)
  }

  private func header(_ name: String) -> String? {
    godwit_curl_get_header(easy, name).map { String(cString: $0) }
  }

  /// Headers, bodies and what TLS adds to begin with, as libcurl saw them go and come.
  var bytes: (up: Int, down: Int) {
    (Int(clamping: reply.pointee.bytes_up), Int(clamping: reply.pointee.bytes_down))
  }

  /// It went over a connection that an earlier one had made.
  var reusedConnection: Bool { godwit_curl_get_long(easy, CURLINFO_NUM_CONNECTS) == 0 }

  /// That it went from, in figures; empty if there was no connection.
  var localAddress: String { godwit_curl_get_text(easy, CURLINFO_LOCAL_IP).map { String(cString: $0) } ?? "" }

  /// What of the bytes TLS's own messages took.
  var handshake: UploadResult.Bytes {
    UploadResult.Bytes(
      up: Int(clamping: reply.pointee.handshake_up), down: Int(clamping: reply.pointee.handshake_down))
  }

  /// What libcurl's code means for this transfer; nil for success.
  func failure(_ code: CURLcode) -> (cause: UploadReply.NoReply, words: String)? {
    let words = String(cString: errorBuffer)
    let fault = TransferError(
      code, words: words, certificate: godwit_curl_certificate_fault(easy), isRefused: isCertificateRefused,
      request: request, isClockTrusted: isClockTrusted, proxy: destination?.proxyName ?? "")
    guard let fault else { return nil }
    return (reply.pointee.is_over_limit ? .replyTooLarge : fault.failure, message(code, words, fault))
  }

  private var isCertificateRefused: Bool {
    let reply = reply.pointee
    return reply.wants_certificate && !reply.took_certificate && reply.header_count == 0
  }

  private func message(_ code: CURLcode, _ words: String, _ fault: TransferError) -> String {
    if reply.pointee.is_over_limit {
      let isHead = reply.pointee.header_count > Int(GODWIT_CURL_HEADERS)
      return isHead
        ? "the reply's headers are longer than \(GODWIT_CURL_HEADERS / 1024) kB"
        : "the reply is longer than sync.max_reply_kb"
    }
    if let nameError, let destination {
      return redact(nameError.words(host: destination.host), secrets) + "; \(fault.advice)"
    }
    let what = words.isEmpty ? String(cString: curl_easy_strerror(code)) : words
    return redact(what, secrets) + " (curl \(code.rawValue))"
      + (fault.advice.isEmpty ? "" : "; \(fault.advice)")
  }

  // MARK: Secrets

  /// What must not be seen in a message: secrets, and what a URL may hide a key in.
  private static func secrets(of request: UploadRequest) -> [String] {
    let url = request.url.split(separator: "?", maxSplits: 1)
    let authority = url.first?.split(separator: "/").dropFirst().first ?? ""
    let user = authority.split(separator: "@").dropLast().joined(separator: "@")
    let query = url.dropFirst().first.map(String.init) ?? ""
    return request.secrets + [query, user].filter { !$0.isEmpty }
  }
}

/// `text` with `…` for every occurrence of each secret.
func redact(_ text: String, _ secrets: [String]) -> String {
  var bytes = Array(text.utf8)
  for secret in secrets.map({ Array($0.utf8) }) where !secret.isEmpty {
    var index = 0
    while index + secret.count <= bytes.count {
      if bytes[index..<(index + secret.count)].elementsEqual(secret) {
        bytes.replaceSubrange(index..<(index + secret.count), with: "…".utf8)
        index += 3
      } else {
        index += 1
      }
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
