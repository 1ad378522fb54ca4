import CHost
import Glibc

/// Wakes the loop at a reading of the boot clock, also when that passed during a suspend.
public final class BootTimer {
  public let descriptor: Int32

  public init() throws(HostError) {
    descriptor = chost_boot_timer()
    guard descriptor >= 0 else { throw .callFailed("timerfd_create CLOCK_BOOTTIME", code: errno) }
  }

  deinit { close(descriptor) }

  /// Fires once the boot clock reads `boot_ms`, at once if it already does. nil: never.
  public func arm(at boot_ms: Int64?) throws(HostError) {
    // 0 would disarm: a deadline at the very boot is a past one too.
    guard chost_boot_timer_arm(descriptor, boot_ms.map { max($0, 1) } ?? 0) == 0 else {
      throw .callFailed("timerfd_settime CLOCK_BOOTTIME", code: errno)
    }
  }

  /// Failing to set a timer that exists is no case to plan for.
  public func arm(after_ms: Int64) { try? arm(at: HostClock.now().boot_ms + after_ms) }

  /// Makes the descriptor wait again after it has fired.
  public func acknowledge() {
    var expirations: UInt64 = 0
    _ = uninterrupted { read(descriptor, &expirations, 8) }
  }
}

/// Wakes the loop when somebody sets the wall clock.
public final class ClockWatch {
  public let descriptor: Int32

  public init() throws(HostError) {
    descriptor = chost_clock_watch()
    guard descriptor >= 0 else { throw .callFailed("timerfd_create CLOCK_REALTIME", code: errno) }
    guard chost_clock_watch_arm(descriptor) == 0 else {
      let code = errno
      close(descriptor)
      throw .callFailed("timerfd_settime TFD_TIMER_CANCEL_ON_SET", code: code)
    }
  }

  deinit { close(descriptor) }

  /// Whether the wall clock was set since the last call.
  public func receive() -> Bool {
    var expirations: UInt64 = 0
    let (count, code) = uninterrupted { read(descriptor, &expirations, 8) }
    guard count >= 0 || code == ECANCELED else { return false }
    // A step past the far end expires the timer instead. Arming can fail only for arguments it has had before.
    _ = chost_clock_watch_arm(descriptor)
    return true
  }
}
