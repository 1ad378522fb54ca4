import TrackerAgent
import TrackerBase
import TrackerIO
import TrackerWire

/// The journal, status.json and systemd.
final class StatusPublisher: StatusPort {
  private let logger: Log
  private let folder: RunFolder
  private let identity: StatusDocument.Identity
  private var sign = SignOfLife(watchdog_ms: Supervisor.watchdogTimeout_ms)

  init(log: Log, folder: RunFolder, identity: StatusDocument.Identity) {
    logger = log
    self.folder = folder
    self.identity = identity
  }

  func log(_ level: RunSettings.LogLevel, _ text: String) { logger.write(level, text) }

  func publish(_ status: TrackerStatus) {
    folder.publish(StatusDocument.json(status, identity: identity), at: HostClock.now())
    let (motion, sync) = (status.motion.state.rawValue, status.sync.state.rawValue)
    Supervisor.status("\(motion), \(status.queue.records) queued, sync \(sync)")
  }

  func started() { Supervisor.ready() }

  func stopping() { Supervisor.stopping() }

  func alive(at now: Moment, gpsIsOn: Bool) -> Int64? {
    if sign.isDue(at: now.boot_ms, gpsIsOn: gpsIsOn) {
      if let watch_ms = sign.watch_ms { Supervisor.alive(within_ms: watch_ms) }
      if folder.alive(at: now, isNoted: sign.wantsNote) { sign.noted() }
    }
    return sign.next_ms
  }
}
