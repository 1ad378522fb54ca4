import TrackerAgent
import TrackerCore
import TrackerIO
import TrackerWire

/// The journal, status.json and systemd.
final class Outlook: OutlookPort {
  private let logger: Log
  private let folder: RunFolder
  private let identity: StatusDocument.Identity
  private let feedInterval_ms: Int64?
  private var fedAt_ms: Int64 = .min / 2

  init(log: Log, folder: RunFolder, identity: StatusDocument.Identity) {
    logger = log
    self.folder = folder
    self.identity = identity
    feedInterval_ms = Supervisor.watchdogTimeout_ms.map { $0 / 2 }
  }

  func log(_ level: RunSettings.LogLevel, _ text: String) { logger.write(level, text) }

  func publish(_ status: TrackerStatus) {
    folder.publish(StatusDocument.json(status, identity: identity, wall_ms: HostClock.now().wall_ms))
    Supervisor.status("\(status.motion), \(status.queued) queued, sync \(status.sync.state)")
  }

  func started() { Supervisor.ready() }

  func stopping() { Supervisor.stopping() }

  func alive(at now: Moment) -> Int64? {
    guard let feedInterval_ms else { return nil }
    if now.boot_ms - fedAt_ms >= feedInterval_ms {
      Supervisor.alive()
      fedAt_ms = now.boot_ms
    }
    return fedAt_ms + feedInterval_ms
  }
}
