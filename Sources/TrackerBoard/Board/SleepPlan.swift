import TrackerBase

/// A sleep that is about to begin, or has begun.
package struct SleepPlan: Equatable, Sendable {
  package var reason: SleepReason
  /// When it was made, Unix milliseconds.
  package var begin_ms: Int64
  /// When the board is to be woken, Unix milliseconds.
  package var until_ms: Int64
  /// The same by the clock that has the alarm, in seconds; nil where that tells no time.
  var alarm_s: Int64?
}

/// What is saved of it: in the boot that it was made in the board did not sleep.
struct SavedSleep: SavedObject, Equatable {
  var bootID = ""
  var reason: SleepReason?
  var begin_ms: Int64 = 0
  var until_ms: Int64 = 0
  var alarm_s: Int64?

  static let members: [SavedMember<SavedSleep>] = [
    .init("boot", \.bootID), .init("reason", \.reason), .init("begin_ms", \.begin_ms),
    .init("until_ms", \.until_ms), .init("alarm_s", \.alarm_s),
  ]

  var isSound: Bool { reason != nil }

  var plan: SleepPlan? {
    reason.map { SleepPlan(reason: $0, begin_ms: begin_ms, until_ms: until_ms, alarm_s: alarm_s) }
  }
}

extension SleepReason: Savable {}

/// How a sleep ended.
package struct Wake: Equatable, Sendable {
  package var cause: WakeCause
  /// Unix milliseconds, as far as the clock is right.
  package var at_ms: Int64
  /// nil where the clock is not right.
  package var slept_ms: Int64?
  /// How long after the alarm the board came; nil where it came before, or nobody knows.
  package var late_ms: Int64?

  /// Firmware and boot loader run before the boot clock does, and a slow one is no lost alarm.
  static let tolerance_ms: Int64 = 120_000
  /// Clocks of whole seconds, read one after the other.
  static let slack_ms: Int64 = 2000

  /// Of a board that was off.
  ///
  /// - Parameter time_ms: Unix milliseconds, by the best clock.
  init(of plan: SleepPlan, _ start: BoardStart, time_ms: Int64, at boot_ms: Int64) {
    at_ms = time_ms - boot_ms
    let after_ms: Int64? =
      if let alarm_s = plan.alarm_s, let rtc_s = start.rtc_s, rtc_s.magnitude <= 1_000_000_000_000 {
        (rtc_s - alarm_s) * 1000 - boot_ms
      } else if at_ms > plan.begin_ms {
        at_ms - plan.until_ms
      } else { nil }
    if let after_ms, (-Wake.slack_ms...Wake.tolerance_ms).contains(after_ms) {
      cause = .alarm
    } else {
      cause = start.ignitionIsOn == true ? .wire : .power
    }
    slept_ms = at_ms > plan.begin_ms ? at_ms - plan.begin_ms : nil
    late_ms = after_ms.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Of a board that was suspended.
  init(suspended plan: SleepPlan, slept_ms: Int64, ignitionIsOn: Bool?, time_ms: Int64) {
    (at_ms, self.slept_ms) = (time_ms, slept_ms)
    let after_ms = time_ms &- plan.until_ms
    cause = after_ms >= -Wake.slack_ms ? .alarm : ignitionIsOn == true ? .wire : .other
    late_ms = after_ms > 0 ? after_ms : nil
  }

  /// It came later than any boot takes: nobody knows how long the board could have been awake.
  package var wasMissed: Bool { late_ms.map { $0 > Wake.tolerance_ms } ?? false }
}
