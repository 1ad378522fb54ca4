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

  /// Without a watchdog the loop turns at least so often all the same: the next process is to know within a minute
  /// when this one ended.
  static let sign_ms: Int64 = 45_000

  /// With the GPS off a loop that hangs harms nothing at once, and each feeding wakes the board.
  static let leisurelyWatch_ms: Int64 = 60_000

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
    if wanted_ms != watch_ms || now.boot_ms - fedAt_ms >= wanted_ms / 2 {
      Supervisor.alive(within_ms: wanted_ms)
      (watch_ms, fedAt_ms) = (wanted_ms, now.boot_ms)
    }
    return fedAt_ms + wanted_ms / 2
  }
}
