import CCurl
import TrackerBase

/// A connection of libcurl's that carries bytes of ours: host, TLS, interface and time limits are those of a POST.
///
/// libcurl keeps it for as long as the transfer is in the multi handle, and no longer looks at its socket once it is open.
final class MQTTConnection {
  enum Received: Equatable {
    case bytes([UInt8])
    case nothing
    case ended
    case failed(CURLcode)
  }

  private let multi: CurlMulti
  private let transfer: Transfer
  private var unsent: ArraySlice<UInt8> = []
  /// What the MQTT packets and TLS have taken, and has not been reported.
  private var reported = (up: 0, down: 0)
  private var reportedHandshake = UploadResult.Bytes()
  private var carried = (up: 0, down: 0)
  /// -1 until it is open.
  private(set) var socket: Int32 = -1

  /// - Parameter request: its URL is `http://` or `https://`, whatever is spoken.
  init(_ request: UploadRequest, in multi: CurlMulti) throws(UploadError) {
    self.multi = multi
    transfer = try Transfer(connecting: request)
    try multi.add(transfer)
  }

  deinit { multi.remove(transfer) }

  var proxyNotice: String { transfer.destination?.notice ?? "" }
  var isOpen: Bool { socket >= 0 }
  var hasUnsent: Bool { !unsent.isEmpty }
  /// Something came that nobody asked for, or the broker has closed it.
  var hasInput: Bool { godwit_curl_has_input(socket) }

  /// What waits at the socket, and was not read.
  var unread: Int { isOpen ? Int(godwit_curl_unread(socket)) : 0 }

  /// What a broker may send ahead of what is read, and so in vain: its answers are short.
  static let window_bytes: Int32 = 32_768

  func opened() {
    socket = godwit_curl_kept_socket(transfer.easy)
    godwit_curl_narrow(socket, MQTTConnection.window_bytes)
  }

  func failure(_ code: CURLcode) -> (cause: UploadReply.NoReply, words: String)? { transfer.failure(code) }

  // MARK: Bytes

  func send(_ bytes: [UInt8]) { unsent += bytes }

  /// As much as the connection takes now. - Returns: how much it was.
  func flush() -> (count: Int, code: CURLcode) {
    var total = 0
    while !unsent.isEmpty {
      var count = 0
      let code = unsent.withUnsafeBytes { curl_easy_send(transfer.easy, $0.baseAddress, $0.count, &count) }
      unsent = unsent.dropFirst(count)
      total += count
      carried.up += count
      if code == CURLE_AGAIN { break }
      guard code == CURLE_OK else { return (total, code) }
    }
    return (total, CURLE_OK)
  }

  func receive() -> Received {
    var count = 0
    var code = CURLE_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, filled in
      code = curl_easy_recv(transfer.easy, buffer.baseAddress, buffer.count, &count)
      filled = code == CURLE_OK ? count : 0
    }
    carried.down += bytes.count
    if code == CURLE_AGAIN { return .nothing }
    guard code == CURLE_OK else { return .failed(code) }
    return bytes.isEmpty ? .ended : .bytes(bytes)
  }

  /// What has gone and come since this was last asked.
  func takeBytes() -> (up: Int, down: Int) {
    // libcurl reports handshakes and the heads of TLS records only.
    let total = (up: transfer.bytes.up + carried.up, down: transfer.bytes.down + carried.down)
    defer { reported = total }
    return (total.up - reported.up, total.down - reported.down)
  }

  var interface: String { LinkWatch.interface(with: transfer.localAddress) }

  /// What TLS has taken of it.
  func takeHandshake() -> UploadResult.Bytes {
    let total = transfer.handshake
    defer { reportedHandshake = total }
    return UploadResult.Bytes(up: total.up - reportedHandshake.up, down: total.down - reportedHandshake.down)
  }
}
