import TrackerAgent
import TrackerCore
import TrackerIO
import TrackerWire

/// The journal, status.json and systemd.
final class StatusPublisher: StatusPort {
  private let logger: Log
  private let folder: RunFolder
  private let identity: StatusDocument.Identity
  /// What the unit says, for a loop that hangs with the GPS on; nil without a watchdog.
  private let closeWatch_ms: Int64?
  private var watch_ms: Int64 = 0
  private var fedAt_ms: Int64 = .min / 2

  /// The loop turns at least so often, whatever the watchdog wants: the next process is to know within a minute when
  /// this one ended.
  static let sign_ms: Int64 = 55_000

  /// With the GPS off a loop that hangs harms nothing at once, and each feeding wakes the board.
  static let leisurelyWatch_ms: Int64 = 120_000

  /// What wakes the loop otherwise feeds the watchdog too, and puts off the next feeding.
  static let besides_ms: Int64 = 10_000

  init(log: Log, folder: RunFolder, identity: StatusDocument.Identity) {
    logger = log
    self.folder = folder
    self.identity = identity
    closeWatch_ms = Supervisor.watchdogTimeout_ms
  }

  func log(_ level: RunSettings.LogLevel, _ text: String) { logger.write(level, text) }

  func publish(_ status: TrackerStatus) {
    folder.publish(StatusDocument.json(status, identity: identity))
    let (motion, sync) = (status.motion.state.rawValue, status.sync.state.rawValue)
    Supervisor.status("\(motion), \(status.queue.records) queued, sync \(sync)")
  }

  func started() { Supervisor.ready() }

  func stopping() { Supervisor.stopping() }

  func alive(at now: Moment, gpsIsOn: Bool) -> Int64? {
    guard let closeWatch_ms else { return now.boot_ms + StatusPublisher.sign_ms }
    let wanted_ms = gpsIsOn ? closeWatch_ms : max(closeWatch_ms, StatusPublisher.leisurelyWatch_ms)
    // Twice within what it waits: one may get lost.
    let pause_ms = min(wanted_ms / 2, StatusPublisher.sign_ms)
    if wanted_ms != watch_ms || now.boot_ms - fedAt_ms >= min(pause_ms, StatusPublisher.besides_ms) {
      Supervisor.alive(within_ms: wanted_ms)
      (watch_ms, fedAt_ms) = (wanted_ms, now.boot_ms)
    }
    return fedAt_ms + pause_ms
  }
}
