import Glibc
import TrackerBase

/// Opens a TCP connection without ever waiting: at each address of a host in turn, until one takes it.
///
/// The loop polls `descriptors` until `ends_ms` and calls `proceed`.
final class TCPConnect {
  enum Outcome: Equatable {
    /// The socket: non-blocking, close-on-exec, and the caller's from now on.
    case connected(Int32)
    case failed(GPSDError)
  }

  private let host: String
  private let port: Int
  private let timeout_ms: Int
  private var addresses: ArraySlice<String>
  private var socket: Int32?
  private var failure: GPSDError
  /// Reading of the boot clock when the present address is given up.
  private(set) var ends_ms: Int64 = 0

  /// - Parameters:
  ///   - addresses: in figures.
  ///   - timeout_ms: for each address.
  init(host: String, port: Int, addresses: [String], timeout_ms: Int) {
    self.host = host
    self.port = port
    self.timeout_ms = timeout_ms
    self.addresses = addresses[...]
    failure = .hostNotFound(host: host, reason: "it has no address")
  }

  deinit { drop() }

  var descriptors: [PollDescriptor] {
    socket.map { [PollDescriptor(descriptor: $0, wantsRead: false, wantsWrite: true)] } ?? []
  }

  /// Goes on as far as is possible now; nil while it waits for an address to answer.
  func proceed() -> Outcome? {
    while true {
      if let socket {
        guard let code = result(of: socket) else { return nil }
        if code == 0 {
          self.socket = nil
          return .connected(socket)
        }
        failure =
          code == ETIMEDOUT
          ? .noAnswer(host: host, port: port, waited_ms: timeout_ms)
          : .connectFailed(host: host, port: port, code: code)
        drop()
      }
      guard let address = addresses.popFirst() else { return .failed(failure) }
      begin(address)
    }
  }

  /// Of the attempt: 0 for success, an errno, or nil while it goes on.
  private func result(of socket: Int32) -> Int32? {
    let connecting = PollDescriptor(descriptor: socket, wantsRead: false, wantsWrite: true)
    if Poller.wait([connecting], timeout_ms: 0).isEmpty {
      return HostClock.now().boot_ms >= ends_ms ? ETIMEDOUT : nil
    }
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
  }

  private func begin(_ address: String) {
    ends_ms = HostClock.now().boot_ms + Int64(timeout_ms)
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    // In figures: nobody is asked.
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(address, String(port), &hints, &found)
    guard code == 0, let found else {
      failure = .hostNotFound(host: host, reason: String(cString: gai_strerror(code)))
      return
    }
    defer { freeaddrinfo(found) }
    begin(found.pointee)
  }

  private func begin(_ address: addrinfo) {
    let descriptor = Glibc.socket(address.ai_family, address.ai_socktype, address.ai_protocol)
    guard descriptor >= 0 else {
      failure = .connectFailed(host: host, port: port, code: errno)
      return
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    let code = connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno
    // An interrupted connect(2) goes on by itself.
    guard code == 0 || code == EINPROGRESS || code == EINTR else {
      close(descriptor)
      failure = .connectFailed(host: host, port: port, code: code)
      return
    }
    socket = descriptor
  }

  private func drop() {
    if let socket { close(socket) }
    socket = nil
  }
}
