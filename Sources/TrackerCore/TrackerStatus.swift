import TrackerBase
import TrackerDispatch
import TrackerJourney
import TrackerReceiver
import TrackerRemote

extension Tracker {
  public func status(at now: Moment) -> TrackerStatus {
    var (facts, status) = (facts, TrackerStatus())
    for part in parts { part.publish(to: &facts, at: now) }
    status.time_ms = facts.time.time_ms
    status.uptime_s = (now.boot_ms - startedAt_ms) / 1000
    status.boardUptime_s = now.boot_ms / 1000
    for part in parts { part.describe(&status, facts, at: now) }
    let offset_ms = status.time_ms - now.boot_ms
    status.warnings = WarningName.allCases.compactMap { name in
      warnings.entries[name].map { WarningStatus(name, $0, offset_ms: offset_ms) }
    }
    return status
  }

  /// The trip that is going on.
  public var trip: Trip? { part(Journey.self).trips.current }

  /// Of it, up to the newest fix.
  public var tripDistance_m: Double? { part(Journey.self).trips.distance_m }

  public var isWindowOpen: Bool { facts.isWindowOpen }

  /// `unknown`, `moving` or `stationary`.
  public var motionName: String { facts.motion.rawValue }

  /// Why no track is being made now; nil while one is.
  public var noTrackCause: NoTrackCause? { facts.noTrackCause }

  /// When the vehicle leaves, as far as it is learned: for replays, and in no log or status.
  public var learnedWeek: LearnedWeek? { part(Journey.self).motion.known.habits.departures.week }

  /// The module has power, or may have: a line that refused has not switched it off yet.
  public var isGPSOn: Bool { facts.isGPSOn }

  /// A request is under way, so a reply comes, or the word that none does.
  public var isSending: Bool { facts.isSending }

  /// What operators want, and how the runs before ended.
  public var runState: RunState { part(Operators.self).state }

  /// - Parameter server: as in `Event`.
  public func isSending(to server: Int) -> Bool { part(Dispatch.self).servers[server].sync.isSending }

  /// Unix milliseconds if the time is trusted: what certificates are judged by.
  public func trustedTime_ms(at now: Moment) -> Int64? { part(Receiver.self).clock.trusted_ms(at: now) }

  /// Why servers get nothing though an operator asks now, in words; `sent` is true where one gets something.
  public func syncHolds(at now: Moment) -> (sent: Bool, words: [String]) {
    part(Dispatch.self).holds(at: now.boot_ms)
  }

  /// A record is to be made that tests the way to the first server: none waits, and none is refused without a place.
  public var makesTestRecord: Bool { part(Dispatch.self).makesTestRecord }

  /// Records that are not on storage, and that the server does not have.
  public func inMemory(for server: Int) -> [Record] { part(Dispatch.self).outbox.held(for: server) }
}

extension WarningStatus {
  /// - Parameter offset_ms: Unix time minus boot time.
  fileprivate init(_ name: WarningName, _ entry: Warnings.Entry, offset_ms: Int64) {
    self.init(name: name.rawValue, count: entry.count, last_ms: entry.lastAt_ms + offset_ms)
    switch entry.course {
    case .moment: break
    case .lasting(let since_ms): self.since_ms = since_ms + offset_ms
    case .over(let since_ms, let until_ms):
      (self.since_ms, self.until_ms) = (since_ms + offset_ms, until_ms + offset_ms)
    }
  }
}
