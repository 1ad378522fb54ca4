import Glibc
import TrackerBase

/// The one place where the process waits.
public enum Poller {
  /// Waits until one of `descriptors` is ready, or for `timeout_ms` (nil: for ever, 0: not at all). Returns the
  /// ready descriptors in their order; none after a time-out. A descriptor that has failed or hung up is ready:
  /// its owner finds out on reading.
  public static func wait(_ descriptors: [PollDescriptor], timeout_ms: Int?) -> [Int32] {
    var entries = descriptors.map { descriptor in
      var events: Int16 = 0
      if descriptor.wantsRead { events |= Int16(POLLIN) }
      if descriptor.wantsWrite { events |= Int16(POLLOUT) }
      if descriptor.wantsPriority { events |= Int16(POLLPRI) }
      return pollfd(fd: descriptor.descriptor, events: events, revents: 0)
    }
    let deadline_ms = timeout_ms.map { HostClock.now().boot_ms + Int64($0) }
    while true {
      let count = poll(&entries, nfds_t(entries.count), remaining_ms(until: deadline_ms))
      let code = errno
      if count >= 0 { return entries.filter { $0.revents != 0 }.map(\.fd) }
      if code == EINTR { continue }
      // Out of kernel memory. The loop goes on, but must not spin.
      poll(nil, 0, deadline_ms == nil ? 100 : min(100, remaining_ms(until: deadline_ms)))
      return []
    }
  }

  private static func remaining_ms(until deadline_ms: Int64?) -> Int32 {
    guard let deadline_ms else { return -1 }
    return Int32(clamping: max(0, deadline_ms - HostClock.now().boot_ms))
  }
}
