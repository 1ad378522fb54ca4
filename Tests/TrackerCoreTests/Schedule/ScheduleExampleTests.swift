import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// One example of each rule form, as an installer would try it.
struct ScheduleExampleTests {
  private let utcZone = FixedZone.utc

  /// Windows as "day hour:minute" pairs would be long: start and end as UTC seconds.
  private func windows(
    _ rules: String..., from: Int64, days: Int64 = 7, in zone: some ZoneRules
  ) throws -> [Schedule.Window] {
    try Schedule(rules: rules).windows(from: from, to: from + days * 86_400, in: zone)
  }

  private func window(_ start: Int64, _ end: Int64) -> Schedule.Window { .init(start_s: start, end_s: end) }

  @Test("no rules: always open, and no change ever")
  func empty() throws {
    let schedule = try Schedule(rules: [])
    #expect(schedule.isAlwaysOpen)
    #expect(schedule.isOpen(at: 0, in: utcZone))
    #expect(schedule.nextChange(after: 0, in: utcZone) == nil)
    #expect(schedule.windows(from: 5, to: 9, in: utcZone) == [window(5, 9)])
  }

  @Test("a window is open at its first second and closed at its last", arguments: ["4 09:00-17:00"])
  func halfOpen(rule: String) throws {
    // 2026-07-01 is a Wednesday.
    let schedule = try Schedule(rules: [rule])
    let start = utc(2026, 7, 1, 9)
    let end = utc(2026, 7, 1, 17)
    #expect(!schedule.isOpen(at: start - 1, in: utcZone))
    #expect(schedule.isOpen(at: start, in: utcZone))
    #expect(schedule.isOpen(at: end - 1, in: utcZone))
    #expect(!schedule.isOpen(at: end, in: utcZone))
    #expect(schedule.nextChange(after: start - 1, in: utcZone) == start)
    #expect(schedule.nextChange(after: start, in: utcZone) == end)
    #expect(schedule.nextChange(after: end, in: utcZone) == start + 7 * 86_400)
  }

  @Test(
    "days: numbers from Sunday, names, lists, ranges, wrapping ranges",
    arguments: [
      ("1 09:00-10:00", [0]), ("7 09:00-10:00", [6]), ("2-6 09:00-10:00", [1, 2, 3, 4, 5]),
      ("mon-fri 09:00-10:00", [1, 2, 3, 4, 5]), ("fri-mon 09:00-10:00", [0, 1, 5, 6]),
      ("6-2 09:00-10:00", [0, 1, 5, 6]), ("Sun,WED 09:00-10:00", [0, 3]),
      ("2,4-5,sat 09:00-10:00", [1, 3, 4, 6]),
      ("tue-tue 09:00-10:00", [2]), ("sun-sat 09:00-10:00", [0, 1, 2, 3, 4, 5, 6]),
    ])
  func days(rule: String, expected: [Int64]) throws {
    let sunday = utc(2026, 6, 28)
    let starts = try windows(rule, from: sunday, in: utcZone).map { ($0.start_s - sunday) / 86_400 }
    #expect(starts == expected)
  }

  @Test("a window past midnight belongs to the day on which it starts")
  func midnight() throws {
    let friday = utc(2026, 7, 3)
    let found = try windows("fri 22:00-06:00", from: friday, in: utcZone)
    #expect(found == [window(friday + 22 * 3600, friday + 30 * 3600)])
  }

  @Test("00:00-00:00 is the whole day, and 09:00-09:00 twenty-four hours from nine")
  func wholeDay() throws {
    let friday = utc(2026, 7, 3)
    #expect(
      try windows("fri 00:00-00:00", from: friday - 86_400, in: utcZone) == [window(friday, friday + 86_400)])
    let nine = friday + 9 * 3600
    #expect(try windows("fri 09:00-09:00", from: friday, in: utcZone) == [window(nine, nine + 86_400)])
  }

  @Test("a date, and a range of dates with both ends")
  func dates() throws {
    let from = utc(2026, 4, 13)
    let day: (Int) -> Schedule.Window = { self.window(utc(2026, 4, $0, 8), utc(2026, 4, $0, 20)) }
    #expect(try windows("2026-04-15 08:00-20:00", from: from, days: 30, in: utcZone) == [day(15)])
    let range = "2026-04-15..2026-04-17 08:00-20:00"
    #expect(try windows(range, from: from, days: 30, in: utcZone) == [day(15), day(16), day(17)])
    #expect(try Schedule(rules: [range]).nextChange(after: utc(2026, 4, 17, 20), in: utcZone) == nil)
  }

  @Test("windows that touch or overlap are one, whatever rules they come from")
  func merging() throws {
    let monday = utc(2026, 6, 29)
    let found = try windows(
      "mon 09:00-12:00", "mon 12:00-13:00", "cron 30 12 * * mon for 2h", from: monday, in: utcZone)
    #expect(found == [window(monday + 9 * 3600, monday + 14 * 3600 + 1800)])
    let twoDays = try windows("mon-tue 00:00-00:00", from: monday - 86_400, in: utcZone)
    #expect(twoDays == [window(monday, monday + 2 * 86_400)])
  }

  @Test("a rule for every minute of the week is never closed: no change")
  func neverClosed() throws {
    #expect(try Schedule(rules: ["sun-sat 00:00-00:00"]).nextChange(after: 0, in: Zones.zurich) == nil)
    let minutely = try Schedule(rules: ["cron */2 * * * * for 1m", "cron 1-59/2 * * * * for 61s"])
    #expect(minutely.nextChange(after: utc(2026, 1, 1), in: FixedZone.utc) == nil)
  }

  @Test("finds a day without the window among years that have it")
  func oneHole() throws {
    // All minutes but those of one hour, one day a year.
    let schedule = try Schedule(rules: [
      "cron * * * 1-11 * for 1m", "cron * * 1-23,25-31 12 * for 60s", "cron * 1-23 24 12 * for 60s",
    ])
    let hole = utc(2026, 12, 24)
    #expect(schedule.nextChange(after: utc(2026, 1, 1), in: utcZone) == hole)
    #expect(schedule.nextChange(after: hole, in: utcZone) == hole + 3600)
  }

  @Test("cron: a start and a length")
  func cron() throws {
    let monday = utc(2026, 6, 29)
    let found = try windows("cron 0 9 * * mon-fri for 8h", from: monday, in: utcZone)
    let expected = (0..<5).map { (day: Int64) -> Schedule.Window in
      let midnight = monday + day * 86_400
      return window(midnight + 9 * 3600, midnight + 17 * 3600)
    }
    #expect(found == expected)
  }

  @Test(
    "cron: lengths in hours, minutes and seconds",
    arguments: [("8h", 28_800), ("5m", 300), ("1h30m", 5400), ("90s", 90), ("1h1s", 3601), ("90m", 5400)])
  func lengths(text: String, length_s: Int64) throws {
    let start = utc(2026, 7, 1, 9)
    let found = try windows("cron 0 9 1 7 * for \(text)", from: start - 3600, days: 1, in: utcZone)
    #expect(found == [window(start, start + length_s)])
  }

  @Test("cron: steps, lists and ranges")
  func steps() throws {
    let day = utc(2026, 7, 1)
    let found = try windows("cron */30 8-9,17 * * * for 5m", from: day, days: 1, in: utcZone)
    #expect(found.map { ($0.start_s - day) / 60 } == [480, 510, 540, 570, 1020, 1050])
    let odd = try windows("cron 10-40/15 12 * * * for 1m", from: day, days: 1, in: utcZone)
    #expect(odd.map { ($0.start_s - day) / 60 % 60 } == [10, 25, 40])
  }

  @Test("cron: 0, 7 and sun are Sunday", arguments: ["0", "7", "sun", "SUN"])
  func sunday(name: String) throws {
    let found = try windows("cron 0 0 * * \(name) for 1h", from: utc(2026, 6, 29), in: utcZone)
    #expect(found.map(\.start_s) == [utc(2026, 7, 5)])
  }

  @Test("cron: two restricted day fields mean either, a star in front means both")
  func eitherOrBoth() throws {
    let from = utc(2026, 7, 1)
    func days(_ rule: String) throws -> [Int64] {
      try windows(rule, from: from, days: 31, in: utcZone).map { ($0.start_s - from) / 86_400 + 1 }
    }
    // Fridays of July 2026: 3, 10, 17, 24, 31.
    #expect(try days("cron 0 0 1,15 * fri for 1h") == [1, 3, 10, 15, 17, 24, 31])
    #expect(try days("cron 0 0 */2 * fri for 1h") == [3, 17, 31])
    #expect(try days("cron 0 0 1-31/2 * fri for 1h").count == 18)
    #expect(try days("cron 0 0 13 * * for 1h") == [13])
    #expect(try days("cron 0 0 * * fri for 1h") == [3, 10, 17, 24, 31])
  }

  @Test("cron: month names, and a season that recurs")
  func months() throws {
    let schedule = try Schedule(rules: ["cron 0 0 1 may * for 744h"])
    #expect(schedule.nextChange(after: utc(2026, 1, 1), in: utcZone) == utc(2026, 5, 1))
    #expect(schedule.nextChange(after: utc(2026, 5, 20), in: utcZone) == utc(2026, 6, 1))
    #expect(schedule.nextChange(after: utc(2026, 6, 1), in: utcZone) == utc(2027, 5, 1))
  }

  @Test("cron: 30 February never comes, 29 February within the horizon does")
  func impossible() throws {
    let never = try Schedule(rules: ["cron 0 0 30 2 * for 8h"])
    #expect(never.nextChange(after: utc(2026, 1, 1), in: Zones.zurich) == nil)
    let leap = try Schedule(rules: ["cron 0 0 29 2 * for 8h"])
    #expect(leap.nextChange(after: utc(2024, 3, 1), in: utcZone) == utc(2028, 2, 29))
  }
}
