import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// The nights when clocks change.
struct ScheduleClockChangeTests {
  /// 2026-03-29 01:00 UTC: 02:00 becomes 03:00 in Zurich.
  private let spring = utc(2026, 3, 29, 1)
  /// 2026-10-25 01:00 UTC: 03:00 becomes 02:00.
  private let autumn = utc(2026, 10, 25, 1)

  /// Windows within half a day of the change, as minutes from it.
  private func windows(_ rule: String, around change: Int64, in zone: TransitionZone = Zones.zurich) throws
    -> [[Int64]]
  {
    try Schedule(rules: [rule]).windows(from: change - 43_200, to: change + 43_200, in: zone).map {
      [($0.start_s - change) / 60, ($0.end_s - change) / 60]
    }
  }

  @Test("a window across the gap is an hour shorter")
  func acrossGap() throws {
    #expect(try windows("sun 01:00-05:00", around: spring) == [[-60, 120]])
  }

  @Test("a window inside the gap does not happen")
  func insideGap() throws {
    #expect(try windows("sun 02:15-02:45", around: spring) == [])
  }

  @Test("a window that starts in the gap starts where the gap ends, one that ends in it ends there")
  func edgesInGap() throws {
    #expect(try windows("sun 02:30-04:00", around: spring) == [[0, 60]])
    #expect(try windows("sun 01:00-02:30", around: spring) == [[-60, 0]])
  }

  @Test("a window across the overlap is an hour longer, one inside it happens twice")
  func overlap() throws {
    #expect(try windows("sun 01:00-05:00", around: autumn) == [[-120, 180]])
    #expect(try windows("sun 02:15-02:45", around: autumn) == [[-45, -15], [15, 45]])
  }

  @Test("a window that starts or ends in the overlap opens again for the second time round")
  func edgesInOverlap() throws {
    #expect(try windows("sun 02:30-04:00", around: autumn) == [[-30, 0], [30, 120]])
    #expect(try windows("sun 01:00-02:30", around: autumn) == [[-120, -30], [0, 30]])
  }

  @Test("a cron start in the gap fires at its end, with the whole length")
  func cronGap() throws {
    #expect(try windows("cron 30 2 * * * for 1h", around: spring) == [[0, 60]])
    #expect(try windows("cron */20 2 * * * for 5m", around: spring) == [[0, 5]])
  }

  @Test("a cron start in the overlap fires once, the first time")
  func cronOverlap() throws {
    #expect(try windows("cron 30 2 * * * for 20m", around: autumn) == [[-30, -10]])
    // Half past two, and then nothing until three o'clock comes.
    #expect(
      try windows("cron */30 1-3 * * sun for 5m", around: autumn) == [
        [-120, -115], [-90, -85], [-60, -55], [-30, -25], [60, 65], [90, 95],
      ])
  }

  @Test("the length of a cron window is elapsed time")
  func elapsed() throws {
    #expect(try windows("cron 0 1 * * sun for 4h", around: spring) == [[-60, 180]])
    #expect(try windows("cron 0 1 * * sun for 4h", around: autumn) == [[-120, 120]])
  }

  @Test("an hourly cron of an hour leaves a hole where the hour comes again, found months ahead")
  func hourly() throws {
    let schedule = try Schedule(rules: ["cron 0 * * * * for 1h"])
    #expect(schedule.nextChange(after: utc(2026, 6, 1), in: Zones.zurich) == autumn)
    #expect(schedule.nextChange(after: autumn, in: Zones.zurich) == autumn + 3600)
  }

  @Test("a change of half an hour")
  func lordHowe() throws {
    // 2026-04-05 02:00 becomes 01:30.
    let change = utc(2026, 4, 4, 15)
    #expect(try windows("sun 01:45-01:50", around: change, in: Zones.lordHowe) == [[-15, -10], [15, 20]])
    #expect(try windows("cron 45 1 * * * for 5m", around: change, in: Zones.lordHowe) == [[-15, -10]])
  }

  @Test("a day that did not happen")
  func apia() throws {
    // Thursday 29 December 2011 was followed by Saturday 31.
    let change = utc(2011, 12, 30, 10)
    #expect(try windows("fri 09:00-17:00", around: change, in: Zones.apia) == [])
    #expect(try windows("thu-sat 22:00-23:00", around: change, in: Zones.apia) == [[-120, -60]])
    #expect(try windows("cron 0 9 30 12 * for 1h", around: change, in: Zones.apia) == [[0, 60]])
  }

  @Test("a change at midnight: the hour before belongs to the old day both times")
  func santiago() throws {
    // Saturday 2026-04-04 24:00 becomes 23:00.
    let change = utc(2026, 4, 5, 3)
    #expect(try windows("sat 23:00-23:30", around: change, in: Zones.santiago) == [[-60, -30], [0, 30]])
    #expect(try windows("sun 00:00-01:00", around: change, in: Zones.santiago) == [[60, 120]])
    #expect(try windows("cron 30 23 * * * for 1h", around: change, in: Zones.santiago) == [[-30, 30]])
    // Sunday 2026-09-06 00:00 becomes 01:00.
    let spring = utc(2026, 9, 6, 4)
    #expect(try windows("sun 00:00-02:00", around: spring, in: Zones.santiago) == [[0, 60]])
  }

  @Test("two changes within a length")
  func casablanca() throws {
    let schedule = try Schedule(rules: ["cron 0 12 14 2 * for 900h"])
    let start = utc(2026, 2, 14, 11)
    #expect(schedule.nextChange(after: start - 1, in: Zones.casablanca) == start)
    #expect(schedule.nextChange(after: start, in: Zones.casablanca) == start + 900 * 3600)
  }
}
