import CSystemd
import Glibc

/// What the process notifies systemd of (sd_notify(3)). Without systemd every call does nothing.
public enum Supervisor {
  /// Everything is up: the service counts as started.
  public static func ready() { notify("READY=1", patience_ms: 1000) }

  /// The settings are being read anew, until the next `ready`.
  public static func reloading() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    notify(
      "RELOADING=1\nMONOTONIC_USEC=\(Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)",
      patience_ms: 1000)
  }

  /// One line for `systemctl status`.
  public static func status(_ text: String) {
    notify("STATUS=" + String(text.map { $0.isNewline ? " " : $0 }))
  }

  /// The loop has come round, and does so again within the time last given, also after `working`.
  ///
  /// - Parameter within_ms: within this time from now on; at first what the unit says.
  public static func alive(within_ms: Int64? = nil) {
    if let within_ms { aliveWithin_ms = within_ms }
    let timeout_ms = watchdogTimeout_ms.map { aliveWithin_ms ?? $0 }
    notify("WATCHDOG=1" + (timeout_ms.map { "\nWATCHDOG_USEC=\($0 * 1000)" } ?? ""))
  }

  /// One step of work that holds up the loop, or the start, is done, and another one follows. - Parameter most_s: it
  /// takes no longer.
  public static func working(most_s: Int) {
    // What extends the start leaves the watchdog as it is.
    // Not less than what it has, or the next `alive` might come late.
    let watch_ms = max(most_s * 1000, Int(aliveWithin_ms ?? watchdogTimeout_ms ?? 0))
    let longer = watchdogTimeout_ms == nil ? "" : "\nWATCHDOG_USEC=\(watch_ms * 1000)"
    notify("WATCHDOG=1\nEXTEND_TIMEOUT_USEC=\(most_s * 1_000_000)" + longer)
  }

  /// The process is about to end, by its own will.
  public static func stopping() { notify("STOPPING=1", patience_ms: 1000) }

  /// Without `alive()` for so long, systemd kills the process; nil: it does not watch. Call `alive()` at least
  /// twice as often.
  public static var watchdogTimeout_ms: Int64? {
    var timeout_us: UInt64 = 0
    return sd_watchdog_enabled(0, &timeout_us) > 0 ? Int64(clamping: timeout_us / 1000) : nil
  }

  // The agent has one thread.
  nonisolated(unsafe) private static var aliveWithin_ms: Int64?
  // Likewise. Kept open: when descriptors have run out the watchdog is still to be fed.
  nonisolated(unsafe) private static var opened: (name: String, socket: NotifySocket?)?

  // A lost message is not an error of ours: systemd draws its own conclusions.
  private static func notify(_ text: String, patience_ms: Int64 = 0) {
    guard let name = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }) else { return }
    if opened?.name != name || opened?.socket == nil { opened = (name, NotifySocket(name)) }
    opened?.socket?.send(text, patience_ms: patience_ms)
  }
}
