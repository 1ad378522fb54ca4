import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// By the clock with the alarm, the wall clock and the ignition.
@Suite("What woke the board")
struct WakeTests {
  @Test(
    "what woke a board that was off: by the clock with the alarm, and by the ignition",
    arguments: [
      // RTC seconds at the start, ignition, cause
      (15.0, nil, WakeCause.alarm), (15, true, .alarm), (13, nil, .alarm), (135, nil, .alarm),
      (136, nil, .power), (-3600, true, .wire), (-3600, false, .power), (-3600, nil, .power),
      (90_000, true, .wire),
    ] as [(Double, Bool?, WakeCause)])
  func wakes(after_s: Double, ignition: Bool?, cause: WakeCause) {
    let plan = SleepPlan(
      reason: .windowClosed, begin_ms: epoch_ms, until_ms: epoch_ms + 36_000_000, alarm_s: 1_036_000)
    let start = BoardStart(rtc_s: 1_036_000 + Int64(after_s.rounded(.down)), ignitionIsOn: ignition)
    let wake = Wake(of: plan, start, time_ms: epoch_ms + 36_000_000 + milliseconds(after_s), at: 15_000)
    #expect(wake.cause == cause)
    #expect(wake.slept_ms == 36_000_000 + milliseconds(after_s) - 15_000)
    #expect(wake.wasMissed == (after_s - 15 > 120))
  }

  @Test("a HAT's alarm: by the wall clock, and not at all while that is of another century")
  func wakesByWallClock() {
    let plan = SleepPlan(reason: .parked, begin_ms: epoch_ms, until_ms: epoch_ms + 36_000_000)
    let right = Wake(of: plan, BoardStart(), time_ms: epoch_ms + 36_020_000, at: 15_000)
    #expect(right.cause == .alarm && right.late_ms == 5000)
    let wrong = Wake(of: plan, BoardStart(), time_ms: 600_000, at: 15_000)
    #expect(wrong.cause == .power && wrong.slept_ms == nil && wrong.late_ms == nil)
  }

  @Test(
    "a clock whose battery is flat begins anew at 1970 or 2000: the supply woke the board, and it is not late"
  )
  func flatClock() {
    let plan = SleepPlan(
      reason: .windowClosed, begin_ms: epoch_ms, until_ms: epoch_ms + 36_000_000,
      alarm_s: epoch_ms / 1000 + 36_000)
    for rtc_s: Int64 in [20, 946_684_820] {
      let wake = Wake(of: plan, BoardStart(rtc_s: rtc_s), time_ms: rtc_s * 1000, at: 15_000)
      #expect(wake.cause == .power && wake.slept_ms == nil && !wake.wasMissed)
    }
  }
}
