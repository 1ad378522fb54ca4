import CCurl
import TrackerCore

/// Posts to the server through libcurl, one request at a time, without ever blocking.
///
/// The agent's loop polls `descriptors` for at most `timeout_ms` and calls `drive` with what is ready. The
/// connection is kept for the next request. Name look-up runs on a thread of libcurl's own, which reports
/// through a descriptor.
public final class HTTPUploader {
  private let multi: UnsafeMutableRawPointer
  private let wants: UnsafeMutablePointer<godwit_curl_wants>
  private let userAgent: String
  private var transfer: Transfer?
  /// Of the connection that is kept, or -1.
  private var keptSocket: Int32 = -1

  /// `version` is the program's, for `User-Agent: godwit/VERSION`.
  public init(version: String) throws(HTTPError) {
    guard HTTPUploader.isLibraryReady, let multi = curl_multi_init() else {
      throw .setUp(call: "curl_multi_init", code: 0, words: "out of memory")
    }
    self.multi = multi
    wants = .allocate(capacity: 1)
    wants.initialize(to: godwit_curl_wants())
    userAgent = "godwit/\(version)"
    let code = godwit_curl_watch(multi, wants)
    guard code == CURLM_OK else { throw HTTPUploader.failure("curl_multi_setopt", code) }
  }

  deinit {
    cancel()
    // Closing the idle connections still calls back into `wants`.
    curl_multi_cleanup(multi)
    wants.deallocate()
  }

  public var isInFlight: Bool { transfer != nil }

  /// What libcurl wants watched; may change with every call of `start` and `drive`.
  public var descriptors: [PollDescriptor] {
    (0..<wants.pointee.socket_count).map {
      let socket = godwit_curl_wanted(wants, $0)
      return PollDescriptor(
        descriptor: socket.descriptor, wantsRead: socket.wants_read, wantsWrite: socket.wants_write)
    }
  }

  /// In how many milliseconds `drive` wants to be called even if nothing is ready; nil for never.
  public var timeout_ms: Int? {
    let remaining_ms = godwit_curl_remaining_ms(wants)
    return remaining_ms < 0 ? nil : Int(remaining_ms)
  }

  /// Begins a request; its result comes from a later `drive`, never from here.
  public func start(_ request: UploadRequest) throws(HTTPError) {
    guard transfer == nil else { throw .inFlight }
    let started = try Transfer(request, userAgent: userAgent)
    // What a server says unasked must not be taken for its reply to this request.
    if keptSocket >= 0, godwit_curl_has_input(keptSocket) { try started.connectAnew() }
    keptSocket = -1
    let code = curl_multi_add_handle(multi, started.easy)
    guard code == CURLM_OK else { throw HTTPUploader.failure("curl_multi_add_handle", code) }
    transfer = started
  }

  /// Goes on as far as is possible now. `ready` may hold descriptors of others: they are passed over. The
  /// result comes once for each `start` that was not cancelled.
  public func drive(ready: [Int32]) -> UploadResult? {
    var code = CURLM_OK
    for descriptor in ready where descriptors.contains(where: { $0.descriptor == descriptor }) {
      code = max(code, godwit_curl_act(multi, wants, descriptor))
    }
    if timeout_ms == 0 { code = max(code, godwit_curl_act(multi, wants, -1)) }
    var result = CURLE_OK
    if godwit_curl_next_result(multi, &result) { return finish(result) }
    // libcurl itself is at fault, such as for want of memory: give the request up rather than wait for it.
    return code == CURLM_OK ? nil : finish(CURLE_FAILED_INIT)
  }

  /// Drops the request in flight, if there is one. The server may still have taken it.
  public func cancel() {
    guard let transfer else { return }
    curl_multi_remove_handle(multi, transfer.easy)
    self.transfer = nil
  }

  private func finish(_ code: CURLcode) -> UploadResult? {
    guard let transfer else { return nil }
    let result = transfer.result(code)
    keptSocket = godwit_curl_kept_socket(transfer.easy)
    cancel()
    return result
  }

  /// libcurl's own rule: once in a process, before anything else.
  private static let isLibraryReady = godwit_curl_init() == CURLE_OK

  private static func failure(_ call: String, _ code: CURLMcode) -> HTTPError {
    .setUp(call: call, code: Int(code.rawValue), words: String(cString: curl_multi_strerror(code)))
  }
}

private func max(_ a: CURLMcode, _ b: CURLMcode) -> CURLMcode { a.rawValue > b.rawValue ? a : b }
