/// What the vehicle does, as records.
extension Tracker {
  /// After each event, whatever has changed it.
  mutating func watchActivity(at now: Moment) {
    guard settings.motion.activityEvents, let change = activity.see(activityKind, lastFix) else { return }
    var extras = Extras()
    extras.add("activity", change.to.rawValue)
    if let from = change.from { extras.add("from", from.rawValue) }
    record(
      .activity, fix: change.since ?? lastFix, extras: extras.json,
      dated: change.since?.time_ms, at: now)
  }

  private var activityKind: Activity.Kind? {
    switch motion.state {
    case .unknown: nil
    case .stationary: .parked
    case .moving: Activity(isMoving: true, fix: lastFix).kind
    }
  }

  /// As the last process left it, and told it.
  static func activity(of motion: Motion) -> ActivityWatch {
    switch motion.state {
    case .unknown: ActivityWatch()
    case .stationary: ActivityWatch(.parked)
    case .moving: ActivityWatch(.driving)
    }
  }
}
