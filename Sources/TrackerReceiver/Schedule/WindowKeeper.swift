import TrackerBase

/// Whether tracking is allowed now, and when that may change.
package struct WindowKeeper: Sendable {
  package enum State: Equatable, Sendable {
    case open
    case closed
    /// The time is unknown and the schedule needs it, or it rests on GPS alone and was not looked at for long: the
    /// GPS is powered for the time alone.
    case learningTime(until_ms: Int64)
  }

  /// A change is looked up again at least so often: a bound, not a poll.
  static let horizon_ms: Int64 = 7 * 86_400_000
  /// GPS time must have been right for so long before a look ends: a module may begin each session with a wrong date.
  static let agreement_ms: Int64 = 30_000
  /// The first pause after the time could not be learnt.
  static let retryUnknown_ms: Int64 = 900_000

  package private(set) var state = State.closed
  /// Boot time of the next change, nil if there is none.
  private(set) var deadline_ms: Int64?
  /// Unix milliseconds of the next change.
  private(set) var nextChange_ms: Int64?
  private var look: ClockLook?
  private var isForced = false
  private var schedule: Schedule
  /// nil: it cannot be read, so it is not known when the schedule is open.
  private var zone: (any ZoneRules)?
  private var settings: ClockSettings

  init(_ configuration: Configuration) {
    (schedule, zone) = (configuration.schedule, configuration.zone)
    settings = configuration.settings.clock
  }

  /// `evaluate` follows.
  mutating func adopt(_ configuration: Configuration) {
    (schedule, zone, look) = (configuration.schedule, configuration.zone, nil)
    settings = configuration.settings.clock
  }

  package var isOpen: Bool { state == .open }

  package var isAlwaysOpen: Bool { schedule.isAlwaysOpen }

  /// The schedule cannot be followed for want of its zone.
  var lacksZone: Bool { zone == nil && !schedule.isAlwaysOpen }

  /// The next opening after `nextChange_ms`, if that is a closing; else that. Unix milliseconds.
  private(set) var nextOpening_ms: Int64?

  /// Whether what was seen then may be kept: the window may have begun since.
  func allows(_ time_ms: Int64) -> Bool {
    guard !schedule.isAlwaysOpen, !isForced, let zone else { return true }
    return schedule.isOpen(at: time_ms.flooredDivision(by: 1000), in: zone)
  }

  /// - Parameter override: what goes before the schedule. The next change is not foretold then: the override's own
  ///   end decides.
  mutating func evaluate(_ clock: ClockKeeper, override: Override? = nil, at now: Moment) {
    (deadline_ms, nextChange_ms, nextOpening_ms) = (nil, nil, nil)
    isForced = override == .tracking
    switch override {
    case .paused, .safeMode: (state, look) = (.closed, nil)
    case .tracking: (state, look) = (.open, nil)
    case nil: followSchedule(clock, at: now)
    }
  }

  /// What is taken for the time has moved, and the next change may come earlier by the boot clock. One that comes later
  /// is found out when the old deadline is reached.
  ///
  /// - Returns: whether it is due now, and was not before.
  mutating func clockMoved(to wall_ms: Int64?, at now: Moment) -> Bool {
    guard let old_ms = deadline_ms, old_ms > now.boot_ms, let nextChange_ms, let wall_ms else { return false }
    let deadline_ms = min(old_ms, now.boot_ms + max(0, nextChange_ms - wall_ms))
    self.deadline_ms = deadline_ms
    return deadline_ms <= now.boot_ms
  }

  private mutating func followSchedule(_ clock: ClockKeeper, at now: Moment) {
    if schedule.isAlwaysOpen {
      state = .open
    } else if let zone {
      if let wall_ms = clock.trusted_ms(at: now) {
        follow(wall_ms: wall_ms, in: zone, clock, at: now)
      } else {
        followPolicy(clock, at: now)
      }
    } else {
      state = .closed
    }
  }

  private mutating func follow(wall_ms: Int64, in zone: any ZoneRules, _ clock: ClockKeeper, at now: Moment) {
    let wall_s = wall_ms.flooredDivision(by: 1000)
    state = schedule.isOpen(at: wall_s, in: zone) ? .open : .closed
    let next_s = schedule.nextChange(after: wall_s, in: zone)
    nextChange_ms = next_s.map { $0 * 1000 }
    nextOpening_ms =
      isOpen ? next_s.flatMap { schedule.nextChange(after: $0, in: zone) }.map { $0 * 1000 } : nextChange_ms
    let away_ms = nextChange_ms.map { $0 - wall_ms } ?? WindowKeeper.horizon_ms
    deadline_ms = now.boot_ms + min(away_ms, WindowKeeper.horizon_ms)
    guard state == .closed, clock.trust(at: now) == .gps else {
      look = nil
      return
    }
    // Nothing else would ever switch the GPS on again, were it wrong.
    powerForTime(.recheck, clock, at: now)
  }

  private mutating func followPolicy(_ clock: ClockKeeper, at now: Moment) {
    switch settings.whenUnknown {
    case .open: state = .open
    case .closed: state = .closed
    case .acquire: learn(clock, at: now)
    }
  }

  /// Off again after the time-out, and tried again after a pause: the vehicle may be under the sky by then.
  private mutating func learn(_ clock: ClockKeeper, at now: Moment) {
    powerForTime(.learn, clock, at: now)
  }

  private mutating func powerForTime(_ purpose: ClockLook.Purpose, _ clock: ClockKeeper, at now: Moment) {
    if look?.purpose != purpose { look = ClockLook(purpose: purpose, settings: settings, at: now.boot_ms) }
    guard var look else { return }
    look.advance(clock, at: now.boot_ms)
    self.look = look
    switch look.phase {
    case .looking(_, let until_ms): state = .learningTime(until_ms: until_ms)
    case .waiting: state = .closed
    }
    deadline_ms = min(deadline_ms ?? look.deadline_ms, look.deadline_ms)
  }
}

/// The GPS is powered for the time alone, now and then, so that a clock that is unknown or wrong never keeps it off for
/// ever. The pauses double.
private struct ClockLook {
  enum Purpose { case learn, recheck }

  enum Phase {
    case waiting(until_ms: Int64)
    case looking(since_ms: Int64, until_ms: Int64)
  }

  /// The longest pause is so many times `recheck_s`.
  static let mostTimes: Int64 = 4

  let purpose: Purpose
  private(set) var phase: Phase
  private var looks = 0
  private var agreedSince_ms: Int64?
  private let timeout_ms: Int64
  private let recheck_ms: Int64

  /// Learning begins at once, looking again after a pause.
  init(purpose: Purpose, settings: ClockSettings, at now_ms: Int64) {
    self.purpose = purpose
    timeout_ms = milliseconds(settings.acquireTimeout_s)
    recheck_ms = milliseconds(settings.recheck_s)
    switch purpose {
    case .learn: phase = .looking(since_ms: now_ms, until_ms: now_ms + timeout_ms)
    case .recheck: phase = .waiting(until_ms: now_ms + recheck_ms)
    }
  }

  var deadline_ms: Int64 {
    switch phase {
    case .waiting(let until_ms), .looking(_, let until_ms): until_ms
    }
  }

  mutating func advance(_ clock: ClockKeeper, at now_ms: Int64) {
    switch phase {
    case .waiting(let until_ms):
      guard now_ms >= until_ms else { return }
      agreedSince_ms = nil
      phase = .looking(since_ms: now_ms, until_ms: now_ms + timeout_ms)
    case .looking(let since_ms, let until_ms):
      if let agreedAt_ms = clock.agreedAt_ms, agreedAt_ms >= since_ms {
        agreedSince_ms = agreedSince_ms ?? agreedAt_ms
        let isRight = agreedAt_ms - (agreedSince_ms ?? agreedAt_ms) >= WindowKeeper.agreement_ms
        if isRight, !clock.isJudging { return rest(at: now_ms) }
      }
      // A date that is being judged is waited for.
      let extended_ms = max(until_ms, clock.judgingUntil_ms ?? until_ms)
      if now_ms >= extended_ms { return rest(at: now_ms) }
      phase = .looking(since_ms: since_ms, until_ms: extended_ms)
    }
  }

  private mutating func rest(at now_ms: Int64) {
    let (first_ms, most_ms) =
      switch purpose {
      case .learn: (min(WindowKeeper.retryUnknown_ms, recheck_ms), recheck_ms)
      case .recheck: (recheck_ms * 2, recheck_ms * ClockLook.mostTimes)
      }
    phase = .waiting(until_ms: now_ms + min(first_ms << min(looks, 16), most_ms))
    looks += 1
  }
}
