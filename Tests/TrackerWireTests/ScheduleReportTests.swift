import Testing
import TrackerBase
import TrackerWire

struct ScheduleReportTests {
  /// Central European Time around 29 March 2026.
  private let zurich = TransitionZone(
    initial_s: 3600, transitions: [.init(at_s: 1_774_746_000, offset_s: 7200)])
  private let saturday: Int64 = 1_774_652_400  // 2026-03-28 00:00 in Zurich

  private func report(_ rules: String..., days: Int = 3) throws -> String {
    ScheduleReport.text(
      schedule: try Schedule(rules: rules), zone: zurich, zoneName: "Europe/Zurich", from_s: saturday,
      days: days)
  }

  @Test("lists windows in local time and UTC across a clock change, with the sum")
  func windows() throws {
    let expected = """
      Schedule in Europe/Zurich, 3 days from Sat 2026-03-28 00:00 +01:00

      Local time                     UTC                 Length
      Sat 2026-03-28 09:00 to 12:00  Sat 08:00 to 11:00  3 h 00 min
      Sun 2026-03-29 01:30 to 04:00  Sun 00:30 to 02:00  1 h 30 min
        Sun 2026-03-29: the clock goes from 02:00 to 03:00, +01:00 to +02:00

      Open 4 h 30 min of 71 h 00 min (6 %), in 2 windows.

      """
    #expect(try report("sat 09:00-12:00", "sun 01:30-04:00") == expected)
  }

  @Test("the same as JSON, in UTC; without rules the period is one window")
  func json() throws {
    func json(_ rules: String...) throws -> String {
      ScheduleReport.json(
        schedule: try Schedule(rules: rules), zone: zurich, zoneName: "Europe/Zurich", from_s: saturday,
        days: 3)
    }
    #expect(
      try json("sat 09:00-12:00", "sun 01:30-04:00")
        == #"{"timezone":"Europe/Zurich","windows":["#
        + #"{"begin":"2026-03-28T08:00:00.000Z","end":"2026-03-28T11:00:00.000Z"},"#
        + #"{"begin":"2026-03-29T00:30:00.000Z","end":"2026-03-29T02:00:00.000Z"}]}"#)
    #expect(
      try json()
        == #"{"timezone":"Europe/Zurich","windows":[{"begin":"2026-03-27T23:00:00.000Z","end":"2026-03-30T22:00:00.000Z"}]}"#
    )
  }

  @Test("says always open for an empty schedule")
  func alwaysOpen() throws {
    #expect(try report() == "The schedule has no rules: always open.\n")
  }

  @Test("marks windows that are cut by the period")
  func cut() throws {
    let text = try report("fri 22:00-02:00", "mon 22:00-02:00")
    #expect(
      text.contains(
        "Sat 2026-03-28 00:00 to 02:00      Fri 23:00 to Sat 01:00  2 h 00 min\n  it is open before these days\n"
      ))
    #expect(text.contains("2 h 00 min\n  it goes on after these days\n"))
  }

  @Test(
    "no line is longer than 80 columns, whatever the rules and the zone's name",
    arguments: [
      "fri 22:00-06:00", "cron 0 9 28 3 * for 336h", "cron 30 0 28 3 * for 335h59m", "sun-sat 00:00-00:00",
    ])
  func columns(rule: String) throws {
    let text = ScheduleReport.text(
      schedule: try Schedule(rules: [rule]), zone: zurich, zoneName: "America/Argentina/ComodRivadavia",
      from_s: saturday, days: 366)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    #expect(
      text.hasPrefix(
        "Schedule in America/Argentina/ComodRivadavia\n366 days from Sat 2026-03-28 00:00 +01:00"))
  }

  @Test("an end in another week has its date, one within a week its day")
  func ends() throws {
    #expect(
      try report("cron 0 9 28 3 * for 336h", days: 20).contains("Sat 2026-03-28 09:00 to 2026-04-11 10:00  "))
    #expect(
      try report("cron 0 9 28 3 * for 24h").contains(
        "Sat 2026-03-28 09:00 to Sun 10:00  Sat 08:00 to Sun 08:00"))
  }

  @Test("shows seconds when a window has them")
  func seconds() throws {
    let text = try report("cron 0 9 28 3 * for 90s")
    #expect(text.contains("Sat 2026-03-28 09:00 to 09:01:30  Sat 08:00 to 08:01:30  0 h 01 min 30 s"))
  }

  @Test("says when the next window opens, or that none does")
  func nothing() throws {
    let later = try report("2026-04-15 08:00-20:00")
    #expect(
      later.contains(
        "No window in these days. The next opens Wed 2026-04-15 08:00 +02:00,\nWed 2026-04-15 06:00 UTC."))
    #expect(later.contains("\n  Sun 2026-03-29: the clock goes from 02:00 to 03:00, +01:00 to +02:00\n"))
    #expect(try report("cron 0 0 30 2 * for 8h").contains("nor in the next five years"))
  }

  @Test(
    "reads a start",
    arguments: [
      ("2026-03-28", 1_774_652_400), ("2026-03-28T12:00", 1_774_695_600),
      ("2026-03-28 12:00:30", 1_774_695_630),
      ("2026-03-28T12:00Z", 1_774_699_200), ("2026-03-28T12:00+05:30", 1_774_679_400),
      ("2026-03-28T12:00:00-01:00", 1_774_702_800), ("2026-03-29T02:30", 1_774_746_000),
    ])
  func start(text: String, expected: Int64) {
    #expect(ScheduleReport.instant(text, in: zurich) == expected)
  }

  @Test(
    "refuses what is no time",
    arguments: [
      "", "2026", "2026-02-30", "2026-3-28", "2026-03-28T", "2026-03-28T24:00", "2026-03-28T12",
      "2026-03-28x12:00",
      "2026-03-28T12:00+2", "2026-03-28T12:00Zjunk", "2026-03-28Z", " 2026-03-28",
    ])
  func refused(text: String) {
    #expect(ScheduleReport.instant(text, in: zurich) == nil)
  }
}
