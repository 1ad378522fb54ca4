/// Whether tracking is allowed now, and when that may change.
struct WindowKeeper: Sendable {
  enum State: Equatable, Sendable {
    case open
    case closed
    /// The time is unknown and the schedule needs it: the GPS is powered to learn it.
    case learningTime(until_ms: Int64)
  }

  /// A change is looked up again at least so often: a bound, not a poll.
  static let horizon_ms: Int64 = 7 * 86_400_000

  private(set) var state = State.closed
  /// Boot time of the next change, nil if there is none.
  private(set) var deadline_ms: Int64?
  /// Unix milliseconds of the next change.
  private(set) var nextChange_ms: Int64?
  private var learningIsOver = false
  private let schedule: Schedule
  private let zone: any ZoneRules
  private let settings: ClockSettings

  init(schedule: Schedule, zone: any ZoneRules, settings: ClockSettings) {
    self.schedule = schedule
    self.zone = zone
    self.settings = settings
  }

  var isOpen: Bool { state == .open }

  /// - Parameter override: what goes before the schedule. The next change is not foretold then: the override's own
  ///   end decides.
  mutating func evaluate(_ clock: ClockKeeper, override: Standing.Override? = nil, at now: Moment) {
    deadline_ms = nil
    nextChange_ms = nil
    switch override {
    case .paused, .safeMode: state = .closed
    case .tracking: state = .open
    case nil: followSchedule(clock, at: now)
    }
  }

  private mutating func followSchedule(_ clock: ClockKeeper, at now: Moment) {
    if schedule.isAlwaysOpen {
      state = .open
    } else if let wall_ms = clock.trusted_ms(at: now) {
      follow(wall_ms: wall_ms, at: now)
    } else {
      followPolicy(at: now)
    }
  }

  private mutating func follow(wall_ms: Int64, at now: Moment) {
    let wall_s = floorSeconds(wall_ms)
    state = schedule.isOpen(at: wall_s, in: zone) ? .open : .closed
    nextChange_ms = schedule.nextChange(after: wall_s, in: zone).map { $0 * 1000 }
    let away_ms = nextChange_ms.map { $0 - wall_ms } ?? WindowKeeper.horizon_ms
    deadline_ms = now.boot_ms + min(away_ms, WindowKeeper.horizon_ms)
  }

  private mutating func followPolicy(at now: Moment) {
    switch settings.whenUnknown {
    case .open: state = .open
    case .closed: state = .closed
    case .acquire: learn(at: now)
    }
  }

  // The clock stays unknown after the time-out: closed until the time is learnt in another way.
  private mutating func learn(at now: Moment) {
    if learningIsOver {
      state = .closed
      return
    }
    if case .learningTime(let until_ms) = state {
      if now.boot_ms >= until_ms {
        learningIsOver = true
        state = .closed
      } else {
        deadline_ms = until_ms
      }
      return
    }
    let until_ms = now.boot_ms + milliseconds(settings.acquireTimeout_s)
    state = .learningTime(until_ms: until_ms)
    deadline_ms = until_ms
  }

  private func floorSeconds(_ ms: Int64) -> Int64 { ms >= 0 ? ms / 1000 : (ms - 999) / 1000 }
}
