import TrackerLab

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// How long what a receiver says may be waited for, or followed though it is a lie.
extension SimulatedDay {
  /// While the GPS is on, a date is decided upon within five times `clock.confirm_s`.
  func checkHeld(_ tracker: Tracker) {
    guard world.receiver.isPowered, let oldest = tracker.receiver.held.reports.first else { return }
    let age_ms = world.clock.moment.boot_ms - oldest.arrivedAt_ms
    if tracker.receiver.clock.isJudging, age_ms > 470_000,
      tracker.receiver.clock.dating_ms(at: world.clock.moment) != nil
    {
      world.violations.note("N5", "fixes wait for the time since \(age_ms / 1000) s")
    }
  }

  /// A place that was reported for long enough is believed, and the truth is then reported for as long: 330 s, at 1 Hz.
  static let longestLie_fixes = 345

  var mayFollowLie: Bool {
    let (lies, now_ms) = ([Fault.otherPlace, .wrongDate, .jumps], world.clock.now_ms)
    return lies.contains { world.plan.isActive($0, at: now_ms) }
      || world.plan.lastEnd(of: lies, before: now_ms) != nil
  }
}
