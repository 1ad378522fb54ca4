import ScheduleOracle
import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// The window's state while the wall clock is set at random, and while it is wrong but GPS time is known.
struct SteppingClockTests {
  /// Days of the table on either side of the clock change in its middle.
  private static let reach_s: Int64 = 8 * 86_400

  @Test("with a stepping clock the state is the oracle's for the time of day, up to each deadline")
  func stepping() throws {
    for seed in 1...60 { try live(seed: UInt64(seed), isSynchronised: true) }
  }

  @Test("once GPS time is known, steps of an undisciplined clock change nothing")
  func steppingBesideGPS() throws {
    for seed in 1...30 { try live(seed: UInt64(seed), isSynchronised: false) }
  }

  private func live(seed: UInt64, isSynchronised: Bool) throws {
    let zone = Zones.all[Int(seed) % Zones.all.count].zone
    let middle = zone.transitions.first?.at_s ?? utc(2026, 6, 1)
    let table = WallTable(from: middle - Self.reach_s, to: middle + Self.reach_s) { zone.offset_s(at: $0) }
    var random = RandomRules(seed: seed, around: middle)
    let rules = random.rules()
    let expected = open(rules, in: table)
    let schedule = try Schedule(rules: rules.map(\.text))
    var keeper = WindowKeeper(Configuration(settings: Settings(), schedule: schedule, zone: zone))
    // True time is wall time while the clock is disciplined, else GPS time; either stays inside the table.
    var true_s = middle
    var boot_ms: Int64 = 1_000_000
    for turn in 0..<120 {
      let clock = clock(isSynchronised, true_s: true_s, boot_ms: boot_ms)
      let wall_s = isSynchronised ? true_s : Int64(random.number(0...2_000_000_000))
      keeper.evaluate(clock, at: Moment(boot_ms: boot_ms, wall_ms: wall_s * 1000))
      let reading = Int((true_s - table.unix_s(of: 0)) / WallTable.step_s)
      let words = "seed \(seed), turn \(turn), \(rules.map(\.text)) at \(true_s)"
      #expect(keeper.isOpen == expected[reading], "\(words)")
      // Nothing changes before the deadline, and it is no later than the change.
      let next = expected[reading...].firstIndex { $0 != expected[reading] }
      let deadline_s = true_s + (try #require(keeper.deadline_ms) - boot_ms) / 1000
      let horizon_s = true_s + WindowKeeper.horizon_ms / 1000
      // A clock that rests on GPS is looked after in between.
      if let next, isSynchronised || keeper.isOpen {
        #expect(deadline_s == min(table.unix_s(of: next), horizon_s), "\(words)")
      }
      true_s = proceed(&random, from: true_s, deadline_s: deadline_s, maySet: isSynchronised, middle: middle)
      boot_ms += Int64(random.number(0...100_000))
    }
  }

  private func clock(_ isSynchronised: Bool, true_s: Int64, boot_ms: Int64) -> ClockKeeper {
    var settings = ClockSettings()
    settings.confirm_s = 0
    var clock = ClockKeeper(isSynchronised: isSynchronised, settings: settings)
    guard !isSynchronised else { return clock }
    for ago_ms: Int64 in [3000, 0] {
      _ = clock.date(true_s * 1000 - ago_ms, at: Moment(boot_ms: boot_ms - ago_ms, wall_ms: 0))
    }
    return clock
  }

  /// On to the deadline or by a while; or, if the clock may be set, forward or back by up to a day, on the grid of
  /// the table.
  private func proceed(
    _ random: inout RandomRules, from true_s: Int64, deadline_s: Int64, maySet: Bool, middle: Int64
  ) -> Int64 {
    var next_s = deadline_s
    switch random.number(0...(maySet ? 3 : 1)) {
    case 0: break
    case 1: next_s = true_s + Int64(random.number(1...600)) * WallTable.step_s
    case 2: next_s = true_s + Int64(random.number(-2880...2880)) * WallTable.step_s
    default: next_s = true_s + (random.number(0...1) == 0 ? 3600 : -3600)
    }
    // Three days of history, for windows that began before.
    let first = middle - Self.reach_s + 3 * 86_400
    return next_s < first || next_s >= middle + Self.reach_s ? middle : next_s
  }
}
