import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Days of a rule that are numbers")
struct NumericDaysTests {
  @Test(
    "are said in words, with the names for them, and those for a week that begins with Monday",
    arguments: [
      ("1-5 09:00-17:00", "Sunday to Thursday", "sun-thu", "mon-fri"),
      ("2-6 09:00-17:00", "Monday to Friday", "mon-fri", "tue-sat"),
      ("7 00:00-00:00", "Saturday", "sat", "sun"),
      ("1,3,6-7 22:00-05:00", "Sunday, Tuesday and Friday to Saturday", "sun,tue,fri-sat", "mon,wed,sat-sun"),
      ("mon-5 09:00-17:00", "Monday to Thursday", "mon-thu", "mon-fri"),
    ])
  func words(rule: String, words: String, names: String, fromMonday: String) {
    #expect(
      Schedule.notes(on: [rule]) == [
        "schedule rule \"\(rule)\" means \(words), since day 1 is Sunday: write \(names), or \(fromMonday) if day 1 is "
          + "to be Monday"
      ])
    var settings = Settings()
    settings.schedule = [rule]
    #expect(settings.notes == Schedule.notes(on: [rule]))
  }

  @Test(
    "names, dates, cron and what is no rule need no word",
    arguments: [
      "mon-fri 09:00-17:00", "2026-04-15 08:00-20:00", "2026-04-15..2026-04-20 08:00-20:00",
      "cron 0 9 * * 1-5 for 8h", "0-5 09:00-17:00", "1-8 09:00-17:00", "", "1-5",
    ])
  func silent(rule: String) {
    #expect(Schedule.notes(on: [rule]) == [])
  }

  @Test("offers names that mean the same days")
  func same() throws {
    for rule in ["1-5 09:00-17:00", "1,3,6-7 22:00-05:00", "5-2 01:00-02:00"] {
      let names = try #require(NumericDays(of: rule)?.names)
      let renamed = names + rule.drop { $0 != " " }
      let (a, b) = (try Schedule(rules: [rule]), try Schedule(rules: [renamed]))
      #expect(a.rules[0] as? DailyRule == b.rules[0] as? DailyRule && a.rules[0] is DailyRule)
    }
  }
}
