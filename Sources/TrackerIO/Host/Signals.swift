import CHost
import Glibc

/// What an operator or systemd asks of the process.
public enum Signal: Equatable, Sendable {
  /// SIGTERM or SIGINT: stop.
  case stop
  /// SIGHUP: read the settings again.
  case reload
}

/// SIGTERM, SIGINT and SIGHUP as a descriptor, so that they arrive in the loop's order like everything else.
///
/// Make it before any thread is started: a thread inherits the blocked signals, and one that does not block them
/// would die of them. SIGPIPE is ignored for good: a peer that goes away is an error code.
public final class Signals {
  public let descriptor: Int32

  public init() throws(HostError) {
    signal(SIGPIPE, SIG_IGN)
    descriptor = chost_signals()
    guard descriptor >= 0 else { throw .callFailed("signalfd", code: errno) }
  }

  deinit {
    close(descriptor)
    chost_signals_unblock()
  }

  /// The signals that have arrived since the last call, in the kernel's order.
  public func receive() -> [Signal] {
    var arrived: [Signal] = []
    while true {
      let (number, _) = uninterrupted { chost_signals_read(descriptor) }
      switch number {
      case SIGTERM, SIGINT: arrived.append(.stop)
      case SIGHUP: arrived.append(.reload)
      default: return arrived
      }
    }
  }
}
