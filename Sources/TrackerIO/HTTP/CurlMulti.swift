import CCurl
import TrackerBase

/// libcurl's multi handle, with what it wants from the caller's poll, for one transfer at a time.
///
/// A transfer has two phases: first the addresses of its destination are looked up here, then libcurl gets it with them.
/// libcurl itself never looks up a name: it does so on a thread and waits for that thread's end, with the whole loop,
/// when the transfer is over before the name servers have answered.
final class CurlMulti {
  private enum Phase {
    case idle
    case lookingUp(NameLookUp, Transfer, began_ms: Int64)
    /// The result is known and `drive` reports it.
    case ended(Transfer, CURLcode)
    case transferring(Transfer)
  }

  private let multi: UnsafeMutableRawPointer
  private let wants: UnsafeMutablePointer<godwit_curl_wants>
  private let nameServers: String
  private var phase = Phase.idle
  /// Of the last look-up, for a connection that is kept: libcurl may have to open it anew.
  private var known: (destination: Destination, addresses: [String])?

  /// - Parameter nameServers: in place of those of /etc/resolv.conf, for tests: `address:port,…`.
  init(nameServers: String = "") throws(UploadError) {
    self.nameServers = nameServers
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

  /// What the look-up or libcurl wants watched.
  var descriptors: [PollDescriptor] {
    if case .lookingUp(let lookUp, _, _) = phase { return lookUp.descriptors }
    return (0..<wants.pointee.socket_count).map {
      let socket = godwit_curl_wanted(wants, $0)
      return PollDescriptor(
        descriptor: socket.descriptor, wantsRead: socket.wants_read, wantsWrite: socket.wants_write)
    }
  }

  var timeout_ms: Int? {
    switch phase {
    case .lookingUp(let lookUp, _, _): return lookUp.timeout_ms
    case .ended: return 0
    case .idle, .transferring: break
    }
    let remaining_ms = godwit_curl_remaining_ms(wants)
    return remaining_ms < 0 ? nil : Int(remaining_ms)
  }

  /// - Parameter isConnected: a connection to the transfer's destination is kept, so nobody is asked for addresses.
  func add(_ transfer: Transfer, isConnected: Bool = false) throws(UploadError) {
    guard let destination = transfer.destination else { return try begin(transfer, at: nil) }
    if let addresses = KnownAddresses.of(destination.host) { return try begin(transfer, at: addresses) }
    if isConnected, let known, known.destination == destination {
      return try begin(transfer, at: known.addresses)
    }
    known = nil
    do throws(NameError) {
      let lookUp = try NameLookUp(
        destination.host, interface: transfer.interface, timeout_ms: transfer.connectTimeout_ms,
        servers: nameServers)
      phase = .lookingUp(lookUp, transfer, began_ms: HostClock.now().boot_ms)
    } catch {
      phase = .ended(transfer, transfer.lookUpFailed(error))
    }
  }

  private func begin(_ transfer: Transfer, at addresses: [String]?, after_ms: Int64 = 0) throws(UploadError) {
    try transfer.use(addresses, after_ms: after_ms)
    let code = curl_multi_add_handle(multi, transfer.easy)
    guard code == CURLM_OK else { throw CurlMulti.failure("curl_multi_add_handle", code) }
    phase = .transferring(transfer)
  }

  /// A look-up is given up; a connection of its own (`CURLOPT_CONNECT_ONLY`) is closed with it.
  func remove(_ transfer: Transfer) {
    // A connection that takes another's place is added before that one is removed.
    if current === transfer { phase = .idle }
    curl_multi_remove_handle(multi, transfer.easy)
  }

  private var current: Transfer? {
    switch phase {
    case .idle: nil
    case .lookingUp(_, let transfer, _), .ended(let transfer, _), .transferring(let transfer): transfer
    }
  }

  /// Goes on. - Returns: the result, once, of the one transfer that was added and has ended.
  func drive(ready: [Int32]) -> CURLcode? {
    switch phase {
    // Without a transfer libcurl may still have something to do for a connection that is kept.
    case .idle, .transferring: return transferResult(ready: ready)
    case .ended(_, let code):
      phase = .idle
      return code
    case .lookingUp(let lookUp, let transfer, let began_ms):
      return lookUp.drive(ready: ready).flatMap { lookedUp($0, for: transfer, began_ms: began_ms) }
    }
  }

  private func lookedUp(
    _ outcome: Result<[String], NameError>, for transfer: Transfer, began_ms: Int64
  ) -> CURLcode? {
    phase = .idle
    switch outcome {
    case .failure(let fault): return transfer.lookUpFailed(fault)
    case .success(let addresses):
      known = transfer.destination.map { ($0, addresses) }
      let after_ms = HostClock.now().boot_ms - began_ms
      do throws(UploadError) { try begin(transfer, at: addresses, after_ms: after_ms) } catch {
        return CURLE_FAILED_INIT
      }
      return nil
    }
  }

  private func transferResult(ready: [Int32]) -> CURLcode? {
    var code = CURLM_OK
    let own = descriptors
    for descriptor in ready where own.contains(where: { $0.descriptor == descriptor }) {
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
