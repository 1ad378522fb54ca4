/// What stands, by the state alone.
extension BoardSleep {
  /// The one that is prepared or has begun.
  var plan: SleepPlan? {
    switch state {
    case .awake, .waiting: nil
    case .asking(let plan), .draining(let plan, _, _), .settingAlarm(let plan), .committing(let plan),
      .goingDown(let plan, _, _):
      plan
    }
  }

  /// The servers are told that it sleeps.
  var isAnnounced: Bool {
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
  var isSuspended: Bool {
    if case .goingDown(_, _, isAccepted: true) = state { settings.state == .mem } else { false }
  }

  /// One that an order is still to follow: it is set, or is being set.
  var mayHaveAlarm: Bool {
    switch state {
    case .settingAlarm, .committing: true
    case .awake, .asking, .draining, .goingDown, .waiting: false
    }
  }

  /// The plan while an alarm is set; else empty.
  func saved(bootID: String) -> String { armed.map { SavedSleep($0, bootID: bootID).text } ?? "" }
}
