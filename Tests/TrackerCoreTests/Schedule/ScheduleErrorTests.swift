import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Malformed rules: each says what is wrong and what is allowed.
struct ScheduleErrorTests {
  @Test(
    "a malformed day rule says why",
    arguments: [
      ("", "the rule is empty: write days and times, such as mon-fri 09:00-17:00"),
      ("mon-fri", "the times after the days are missing, such as 09:00-17:00"),
      ("09:00-17:00", "the days before the times are missing: sun-sat means every day"),
      ("2-6 25:00-17:00", "hour 25 is not in 0...23"),
      ("2-6 09:00-24:00", "hour 24 is not in 0...23: the end of a day is written 00:00"),
      ("2-6 09:60-17:00", "minute 60 is not in 0...59"),
      ("2-6 9:00-17:00", "\"9:00\" is not a time: write hh:mm, such as 09:00"),
      ("2-6 09:00", "\"09:00\" is not a time range such as 09:00-17:00"),
      ("2-6 09:00-12:00-17:00", "\"09:00-12:00-17:00\" is not a time range such as 09:00-17:00"),
      ("2-6 09:00–17:00", "\"09:00–17:00\" is not a time range such as 09:00-17:00"),
      ("2-6 09:00-", "\"\" is not a time: write hh:mm, such as 09:00"),
      ("2-6 ٠٩:00-17:00", "\"٠٩:00\" is not a time: write hh:mm, such as 09:00"),
      ("0-6 09:00-17:00", "day 0 is not in 1...7 (1 is Sunday, 7 is Saturday)"),
      ("2-8 09:00-17:00", "day 8 is not in 1...7 (1 is Sunday, 7 is Saturday)"),
      ("2,,3 09:00-17:00", "a day is missing here"),
      ("2- 09:00-17:00", "a day is missing here"),
      ("2-3-4 09:00-17:00", "\"2-3-4\" is not a range of days such as mon-fri"),
      ("monday 09:00-17:00", "\"monday\" is not a day: write 1 (Sunday) to 7 (Saturday), or sun to sat"),
      ("* 09:00-17:00", "\"*\" is not a day: write 1 (Sunday) to 7 (Saturday), or sun to sat"),
      ("mon, tue 09:00-17:00", "two words belong here, days and one time range, with no space inside either"),
      ("mon 09:00 - 17:00", "two words belong here, days and one time range, with no space inside either"),
    ])
  func dayRule(rule: String, reason: String) {
    #expect(Schedule.check(rule) == reason)
  }

  @Test(
    "a malformed date rule says why",
    arguments: [
      ("2026-02-30 08:00-20:00", "day 30 is not in 1...28 in 2026-02"),
      ("2028-02-30 08:00-20:00", "day 30 is not in 1...29 in 2028-02"),
      ("2026-13-01 08:00-20:00", "month 13 is not in 1...12"),
      ("2026-00-01 08:00-20:00", "month 0 is not in 1...12"),
      ("1926-04-15 08:00-20:00", "year 1926 is not in 2000...2099"),
      ("2026-4-15 08:00-20:00", "\"2026-4-15\" is not a date: write yyyy-mm-dd, such as 2026-04-15"),
      ("2026-04 08:00-20:00", "\"2026-04\" is not a date: write yyyy-mm-dd, such as 2026-04-15"),
      ("2026-04-20..2026-04-15 08:00-20:00", "the range of dates ends before it starts"),
      (
        "2026-04-15...2026-04-20 08:00-20:00",
        "\"2026-04-15...2026-04-20\" is not a range of dates such as 2026-04-15..2026-04-20"
      ),
      (
        "2026-04-15,2026-04-20 08:00-20:00",
        "\"2026-04-15,2026-04-20\" is not a date: write yyyy-mm-dd, such as 2026-04-15"
      ),
    ])
  func dateRule(rule: String, reason: String) {
    #expect(Schedule.check(rule) == reason)
  }

  @Test(
    "a malformed cron rule says why",
    arguments: [
      ("cron 0 9 * * *", "the length after the five cron fields is missing, such as for 8h"),
      ("cron 0 9 * * * for", "the length after for is missing, such as 8h, 5m, 1h30m or 90s"),
      (
        "cron 0 9 * * for 8h",
        "five cron fields belong before for (minute, hour, day of month, month, day of week), not 4"
      ),
      (
        "cron 0 0 9 * * * for 8h",
        "five cron fields belong before for (minute, hour, day of month, month, day of week), not 6"
      ),
      ("cron 60 9 * * * for 8h", "minute 60 is not in 0...59"),
      ("cron 0 24 * * * for 8h", "hour 24 is not in 0...23"),
      ("cron 0 9 0 * * for 8h", "day of month 0 is not in 1...31"),
      ("cron 0 9 * 13 * for 8h", "month 13 is not in 1...12, or jan to dec"),
      ("cron 0 9 * * 8 for 8h", "day of week 8 is not in 0...7 (0 and 7 are Sunday), or sun to sat"),
      ("cron 0 9 * may-apr * for 8h", "range may-apr runs backwards: ranges do not wrap in cron fields"),
      ("cron 0 17-9 * * * for 8h", "range 17-9 runs backwards: ranges do not wrap in cron fields"),
      ("cron */0 9 * * * for 8h", "step 0 is not in 1...59"),
      ("cron */90 * * * * for 8h", "step 90 is not in 1...59"),
      ("cron 5/10 * * * * for 8h", "a step needs * or a range before it, not 5 alone"),
      ("cron */x * * * * for 8h", "\"x\" is not a step such as */15"),
      ("cron */2/2 * * * * for 8h", "\"*/2/2\" has more than one step"),
      ("cron 1, 9 * * * for 8h", "a minute is missing here"),
      ("cron ? 9 * * * for 8h", "\"?\" is not a minute: write *, or 0...59"),
      ("cron 0 9 L * * for 8h", "\"L\" is not a day of month: write *, or 1...31"),
      ("cron 1-2-3 9 * * * for 8h", "\"1-2-3\" is not a range such as 9-17"),
      ("cron 0 9 * * * for 8", "\"8\" is not a length: write 8h, 5m, 1h30m or 90s"),
      ("cron 0 9 * * * for 8d", "\"8d\" is not a length: write 8h, 5m, 1h30m or 90s"),
      ("cron 0 9 * * * for 5m1h", "\"5m1h\" is not a length: write 8h, 5m, 1h30m or 90s"),
      ("cron 0 9 * * * for 1h1h", "\"1h1h\" is not a length: write 8h, 5m, 1h30m or 90s"),
      ("cron 0 9 * * * for h", "\"h\" is not a length: write 8h, 5m, 1h30m or 90s"),
      ("cron 0 9 * * * for 0m", "a length of 0 never opens"),
      ("cron 0 9 * * * for 9999h", "the length is over 8784h, which is a year"),
      (
        "cron 0 9 * * * for 99999999999999999999h",
        "\"99999999999999999999h\" is not a length: write 8h, 5m, 1h30m or 90s"
      ),
      ("cron 0 9 * * * for 1h 30m", "nothing belongs after the length, which is one word, such as 1h30m"),
    ])
  func cronRule(rule: String, reason: String) {
    #expect(Schedule.check(rule) == reason)
  }

  @Test(
    "spaces and tabs between words, and letters of either case, are fine",
    arguments: [
      "  mon-fri \t 09:00-17:00 ", "MON-Fri 09:00-17:00", "CRON 0  9 * JAN-dec Mon For 8h",
      "cron 0 9 * * fri-sun for 8h", "cron */7 9 * * sun-sat for 8h",
    ])
  func tolerated(rule: String) {
    #expect(Schedule.check(rule) == nil)
  }

  @Test("all malformed rules are reported at once, with place and column")
  func together() {
    do throws(ScheduleError) {
      _ = try Schedule(rules: ["mon 25:00-26:00", "tue 09:00-10:00", "cron 0 9 * * for 8h", "wed"])
      Issue.record("accepted")
    } catch {
      #expect(error.entries.map(\.index) == [0, 2, 3])
      #expect(error.entries.map(\.column) == [5, 14, nil])
      #expect(
        error.description.split(separator: "\n").first
          == "schedule rule 1 \"mon 25:00-26:00\", column 5: hour 25 is not in 0...23")
    }
  }
}
