import CCurl
import TrackerCore

/// libcurl's multi handle, with what it wants from the caller's poll. Name look-up runs on a thread of libcurl's own,
/// which reports through a descriptor.
final class CurlMulti {
  private let multi: UnsafeMutableRawPointer
  private let wants: UnsafeMutablePointer<godwit_curl_wants>

  init() throws(UploadError) {
    guard CurlMulti.isLibraryReady, let multi = curl_multi_init() else {
      throw .setUp(call: "curl_multi_init", code: 0, words: "out of memory")
    }
    self.multi = multi
    wants = .allocate(capacity: 1)
    wants.initialize(to: godwit_curl_wants())
    let code = godwit_curl_watch(multi, wants)
    guard code == CURLM_OK else { throw CurlMulti.failure("curl_multi_setopt", code) }
  }

  /// Every transfer has been removed before.
  deinit {
    // Closing the idle connections still calls back into `wants`.
    curl_multi_cleanup(multi)
    wants.deallocate()
  }

  /// What libcurl wants watched.
  var descriptors: [PollDescriptor] {
    (0..<wants.pointee.socket_count).map {
      let socket = godwit_curl_wanted(wants, $0)
      return PollDescriptor(
        descriptor: socket.descriptor, wantsRead: socket.wants_read, wantsWrite: socket.wants_write)
    }
  }

  var timeout_ms: Int? {
    let remaining_ms = godwit_curl_remaining_ms(wants)
    return remaining_ms < 0 ? nil : Int(remaining_ms)
  }

  func add(_ transfer: Transfer) throws(UploadError) {
    let code = curl_multi_add_handle(multi, transfer.easy)
    guard code == CURLM_OK else { throw CurlMulti.failure("curl_multi_add_handle", code) }
  }

  /// A connection of its own (`CURLOPT_CONNECT_ONLY`) is closed with it.
  func remove(_ transfer: Transfer) { curl_multi_remove_handle(multi, transfer.easy) }

  /// Lets libcurl work. - Returns: the result, once, of the one transfer that was added and has ended.
  func drive(ready: [Int32]) -> CURLcode? {
    var code = CURLM_OK
    for descriptor in ready where descriptors.contains(where: { $0.descriptor == descriptor }) {
      code = max(code, godwit_curl_act(multi, wants, descriptor))
    }
    if timeout_ms == 0 { code = max(code, godwit_curl_act(multi, wants, -1)) }
    var result = CURLE_OK
    if godwit_curl_next_result(multi, &result) { return result }
    // libcurl itself is at fault, such as for want of memory: give the request up rather than wait for it.
    return code == CURLM_OK ? nil : CURLE_FAILED_INIT
  }

  /// libcurl's own rule: once in a process, before anything else.
  private static let isLibraryReady = godwit_curl_init() == CURLE_OK

  private static func failure(_ call: String, _ code: CURLMcode) -> UploadError {
    .setUp(call: call, code: Int(code.rawValue), words: String(cString: curl_multi_strerror(code)))
  }
}

private func max(_ a: CURLMcode, _ b: CURLMcode) -> CURLMcode { a.rawValue > b.rawValue ? a : b }
