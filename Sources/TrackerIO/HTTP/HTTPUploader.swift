import CCurl
import TrackerBase

/// Posts to the server through libcurl. The connection is kept for the next request.
public final class HTTPUploader: Uploader {
  private let nameServers: String
  private var multi: CurlMulti
  private var trustStamp: [String] = []
  private var hasNamedProxy = false
  private let userAgent: String
  private var transfer: Transfer?
  /// Of the connection that is kept, or -1.
  private var keptSocket: Int32 = -1
  private var keptSince_ms: Int64 = 0
  /// Where the last request went from, and over which interface.
  private var (lastAddress, lastInterface) = ("", "")
  /// HTTP/2 and later: each reply names its request, so nothing unasked is taken for one. What comes in between are
  /// frames about the connection, and the empty one that ends a stream (RFC 9113, 6.1), which nginx sends late.
  private var keptNamesStreams = false

  /// `version` is the program's, for `User-Agent: godwit/VERSION`.
  public convenience init(version: String) throws(UploadError) {
    try self.init(version: version, nameServers: "")
  }

  /// - Parameter nameServers: as in `CurlMulti`.
  init(version: String, nameServers: String) throws(UploadError) {
    self.nameServers = nameServers
    multi = try CurlMulti(nameServers: nameServers)
    userAgent = "godwit/\(version)"
  }

  deinit { cancel() }

  public var isInFlight: Bool { transfer != nil }
  public var descriptors: [PollDescriptor] { multi.descriptors }
  public var timeout_ms: Int? { multi.timeout_ms }

  public func start(_ request: UploadRequest) throws(UploadError) {
    guard transfer == nil else { throw .inFlight }
    let stamp = request.trustStamp
    if stamp != trustStamp {
      (multi, keptSocket) = (try CurlMulti(nameServers: nameServers), -1)
      trustStamp = stamp
    }
    let started = try Transfer(posting: request, userAgent: userAgent)
    let idle_ms = HostClock.now().boot_ms - keptSince_ms
    // What a server says unasked must not be taken for its reply to this request.
    let mayReuse =
      keptSocket >= 0 && idle_ms < Transfer.longestIdle_s * 1000
      && (keptNamesStreams || !godwit_curl_has_input(keptSocket))
    if keptSocket >= 0, !mayReuse { try started.connectAnew() }
    keptSocket = -1
    try multi.add(started, isConnected: mayReuse)
    transfer = started
  }

  public func drive(ready: [Int32]) -> UploadResult? { multi.drive(ready: ready).flatMap(finish) }

  /// Drops the request in flight, if there is one. The server may still have taken it.
  public func cancel() {
    guard let transfer else { return }
    multi.remove(transfer)
    self.transfer = nil
  }

  private func finish(_ code: CURLcode) -> UploadResult? {
    guard let transfer else { return nil }
    var result = transfer.result(code)
    result.interface = interface(of: transfer)
    if let notice = transfer.destination?.notice, !notice.isEmpty, !hasNamedProxy {
      (result.notice, hasNamedProxy) = (notice, true)
    }
    keptSocket = godwit_curl_kept_socket(transfer.easy)
    keptNamesStreams =
      godwit_curl_get_long(transfer.easy, CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0)
    keptSince_ms = HostClock.now().boot_ms
    cancel()
    return result
  }

  /// Asked once a connection: the kernel names all of its interfaces for it.
  private func interface(of transfer: Transfer) -> String {
    let address = transfer.localAddress
    if !transfer.reusedConnection || address != lastAddress {
      (lastAddress, lastInterface) = (address, LinkWatch.interface(with: address))
    }
    return lastInterface
  }
}
