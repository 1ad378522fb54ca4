import TrackerBase

/// What it is shown, and what it wants.
extension BoardSleep {
  package enum Action: Equatable, Sendable {
    case order(BoardOrder)
    /// A record and a status of it.
    case announce(SleepPlan)
    /// All that waits, to the servers.
    case drain
    /// What is saved has changed. - Parameter atOnce: all to storage, now.
    case save(atOnce: Bool)
    /// The servers were told that it sleeps, and it does not.
    case calledOff
    case woke(Wake)
    case log(String)
    case warn(String)
  }

  /// How things stand.
  package struct View: Equatable, Sendable {
    /// The first of what keeps it awake that the tracker knows of.
    package var hold: SleepHold?
    package var reason: SleepReason?
    /// Unix milliseconds; nil while nobody vouches for the time.
    var trusted_ms: Int64?
    /// The next opening of the schedule, Unix milliseconds.
    package var opens_ms: Int64?
    /// All records are on storage, and no request is under way.
    package var mayDrain = false
    /// The servers have everything, or will not have it in time.
    package var isDrained = false
    package var ignitionIsOn: Bool?

    package init(
      hold: SleepHold? = nil, reason: SleepReason? = nil, trusted_ms: Int64? = nil, opens_ms: Int64? = nil,
      mayDrain: Bool = false, isDrained: Bool = false
    ) {
      (self.hold, self.reason, self.trusted_ms, self.opens_ms) = (hold, reason, trusted_ms, opens_ms)
      (self.mayDrain, self.isDrained) = (mayDrain, isDrained)
    }
  }
}

/// What stands, by the state alone.
extension BoardSleep {
  /// The one that is prepared or has begun.
  package var plan: SleepPlan? {
    switch state {
    case .awake, .waiting: nil
    case .asking(let plan), .draining(let plan, _, _), .settingAlarm(let plan), .committing(let plan),
      .goingDown(let plan, _, _):
      plan
    }
  }

  /// The servers are told that it sleeps.
  package var isAnnounced: Bool {
    switch state {
    case .draining, .settingAlarm, .committing, .goingDown: true
    case .awake, .asking, .waiting: false
    }
  }

  /// The alarm is set.
  var armed: SleepPlan? {
    switch state {
    case .committing(let plan), .goingDown(let plan, _, _): plan
    case .awake, .asking, .draining, .settingAlarm, .waiting: nil
    }
  }

  /// From the moment on at which the system has taken the order.
  package var isSuspended: Bool {
    if case .goingDown(_, _, isAccepted: true) = state { settings.state == .mem } else { false }
  }

  /// The plan while an alarm is set.
  func saved(bootID: String) -> SavedSleep? {
    armed.map {
      SavedSleep(
        bootID: SavedBoot.text(bootID), reason: $0.reason, begin_ms: $0.begin_ms, until_ms: $0.until_ms,
        alarm_s: $0.alarm_s)
    }
  }
}
