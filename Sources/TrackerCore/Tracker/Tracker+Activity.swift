/// What the vehicle does, as records.
extension Tracker {
  /// After each event, whatever has changed it.
  mutating func watchActivity(at now: Moment) {
    guard settings.motion.activityEvents, let change = activity.see(activityKind, lastFix) else { return }
    record(
      .activity(change.to, from: change.from), fix: change.since ?? lastFix, dated: change.since?.time_ms,
      at: now)
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
