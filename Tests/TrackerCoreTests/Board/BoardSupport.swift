@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// The clock with the alarm shows so many seconds at second 0 of a timeline.
let rtcAtStart_s: Int64 = 1_000_000

extension BoardOrder {
  /// Of a board on which everything works. - Parameter s: of the timeline.
  func answers(at s: Double) -> [BoardNews] {
    switch self {
    case .look: [.looked(nil)]
    case .setAlarm(let in_ms, _): [.alarmSet(alarm_s: rtcAtStart_s + Int64(s) + in_ms / 1000)]
    case .clearAlarm: []
    case .sleep: [.accepted]
    }
  }
}

/// The board's power in a timeline.
final class TimelineBoard {
  /// What it says to what it is told, at a second.
  var answers: (_ order: BoardOrder, _ s: Double) -> [BoardNews] = { order, s in order.answers(at: s) }
  private(set) var orders: [BoardOrder] = []
  /// What says at the next start how a sleep ended.
  var start = BoardStart()

  func perform(_ order: BoardOrder, at s: Double) -> [Event] {
    orders.append(order)
    return answers(order, s).map { .board($0) }
  }
}

extension TrackerTimeline {
  var board: (_ order: BoardOrder, _ s: Double) -> [BoardNews] {
    get { boardPower.answers }
    set { boardPower.answers = newValue }
  }
  var boardOrders: [BoardOrder] { boardPower.orders }

  /// Nothing is turned: the machine is suspended.
  func leap(by s: Double) { now_ms += milliseconds(s) }

  var sleeps: Int { boardOrders.filter { $0 == .sleep }.count }

  /// For how long the alarm was last set, in seconds.
  var lastAlarm_s: Double? {
    boardOrders.compactMap { if case .setAlarm(let in_ms, _) = $0 { Double(in_ms) / 1000 } else { nil } }.last
  }

  /// How the sleep stands, for a test that fails.
  var why: String { "\(tracker.sleep.state), held by \(tracker.sleep.hold as Any), \(log.suffix(8))" }

  /// Up to the order to sleep.
  func runToSleep(by s: Double) {
    let before = sleeps
    while sleeps == before, now_s < s { run(to: now_s + 1) }
  }

  var sleepStatus: SleepStatus? { tracker.status(at: now).sleep }

  /// The system takes the board down, and something starts it again so many seconds of the timeline later.
  func goOff(
    for off_s: Double, bootClock_s: Double = 15, isSynchronised: Bool = true, ignitionIsOn: Bool? = nil
  ) {
    happen(.stopping)
    boardPower.start = BoardStart(rtc_s: rtcAtStart_s + Int64(now_s + off_s), ignitionIsOn: ignitionIsOn)
    reboot(after: off_s, isSynchronised: isSynchronised, bootClock_s: bootClock_s)
  }

  func gaps(_ cause: NoTrackCause) -> [TrackGap] {
    disk.committed.compactMap {
      guard case .gap(let gap) = $0.content, gap.cause == cause else { return nil }
      return gap
    }
  }
}
