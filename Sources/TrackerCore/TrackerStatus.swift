import TrackerBase
import TrackerJourney

extension Tracker {
  public func status(at now: Moment) -> TrackerStatus {
    var status = TrackerStatus()
    let time_ms = receiver.time(at: now).time_ms
    status.time_ms = time_ms
    status.uptime_s = (now.boot_ms - startedAt_ms) / 1000
    status.boardUptime_s = now.boot_ms / 1000
    status.starts = runState.starts
    status.undervoltage = isUndervoltage
    status.battery = battery.volts.map {
      BatteryStatus(volts: $0, isLow: battery.isLow, factor: battery.factor)
    }
    status.noTrackCause = noTrackCause
    if noTrackCause != nil { status.noTrackSince_ms = gaps.since_ms(at: time(now)) }
    describeRunState(&status, at: now)
    describeLink(&status)
    describeEnergy(&status, at: now)
    receiver.describe(&status, at: now)
    journey.describe(&status, at: time_ms)
    describeExternalPower(&status)
    describeSleep(&status, at: now)
    describeAcceleration(&status)
    dispatch.describe(&status, at: now.boot_ms)
    describeCommands(&status)
    let offset_ms = time_ms - now.boot_ms
    describeOverlay(&status, at: now, offset_ms: offset_ms)
    status.warnings = WarningName.allCases.compactMap { name in
      warnings.entries[name].map { WarningStatus(name, $0, offset_ms: offset_ms) }
    }
    return status
  }

  /// The trip that is going on.
  public var trip: Trip? { journey.trips.current }

  /// Of it, up to the newest fix.
  public var tripDistance_m: Double? { journey.trips.distance_m }

  public var isWindowOpen: Bool { receiver.window.isOpen }

  /// `unknown`, `moving` or `stationary`.
  public var motionName: String { journey.motion.name.rawValue }

  /// When the vehicle leaves, as far as it is learned: for replays, and in no log or status.
  public var learnedWeek: LearnedWeek? { journey.motion.habits.departures.week }

  /// The module has power, or may have: a line that refused has not switched it off yet.
  public var isGPSOn: Bool { receiver.module.isOn }

  /// A request is under way, so a reply comes, or the word that none does.
  public var isSending: Bool { dispatch.isSending }

  /// - Parameter server: as in `Event`.
  public func isSending(to server: Int) -> Bool { dispatch.servers[server].sync.isSending }

  /// Unix milliseconds if somebody vouches for the time: what certificates are judged by.
  public func trustedTime_ms(at now: Moment) -> Int64? { receiver.trusted_ms(at: now) }

  /// Why servers get nothing though an operator asks now, in words; `sent` is true where one gets something.
  public func syncHolds(at now: Moment) -> (sent: Bool, words: [String]) { dispatch.holds(at: now.boot_ms) }

  /// Records that are not on storage, and that the server does not have.
  public func inMemory(for server: Int) -> [Record] { dispatch.outbox.held(for: server) }
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
