import Glibc
import TrackerCore

/// Opens a TCP connection without ever blocking for longer than it was told.
enum TCPConnect {
  /// A connected, non-blocking, close-on-exec socket, tried at each address of `host` in turn.
  ///
  /// An address in figures is used as it is. A name is looked up in the system's way, which for names that are
  /// not in /etc/hosts asks the network and may take seconds.
  static func open(host: String, port: Int, timeout_ms: Int) throws(GPSDError) -> Int32 {
    let addresses = try lookUp(host: host, port: port)
    defer { freeaddrinfo(addresses) }
    var failure = GPSDError.hostNotFound(host: host, code: EAI_NONAME)
    var next: UnsafeMutablePointer<addrinfo>? = addresses
    while let address = next {
      do throws(GPSDError) {
        return try connect(to: address.pointee, host: host, port: port, timeout_ms: timeout_ms)
      } catch {
        failure = error
      }
      next = address.pointee.ai_next
    }
    throw failure
  }

  private static func lookUp(host: String, port: Int) throws(GPSDError) -> UnsafeMutablePointer<addrinfo> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    var code = getaddrinfo(host, String(port), &hints, &found)
    if code != 0 {
      hints.ai_flags = AI_NUMERICSERV
      code = getaddrinfo(host, String(port), &hints, &found)
    }
    guard code == 0, let found else { throw .hostNotFound(host: host, code: code) }
    return found
  }

  private static func connect(
    to address: addrinfo, host: String, port: Int, timeout_ms: Int
  ) throws(GPSDError) -> Int32 {
    let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
    guard descriptor >= 0 else { throw .connectFailed(host: host, port: port, code: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    var code = Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno
    // An interrupted connect(2) goes on by itself.
    if code == EINPROGRESS || code == EINTR {
      let ready = Poller.wait(
        [PollDescriptor(descriptor: descriptor, events: .write)], timeout_ms: timeout_ms)
      guard !ready.isEmpty else {
        close(descriptor)
        throw .noAnswer(host: host, port: port, waited_ms: timeout_ms)
      }
      code = pendingError(of: descriptor)
    }
    guard code == 0 else {
      close(descriptor)
      throw .connectFailed(host: host, port: port, code: code)
    }
    return descriptor
  }

  private static func pendingError(of descriptor: Int32) -> Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
  }
}
