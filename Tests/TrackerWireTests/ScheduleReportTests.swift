import Testing
import TrackerCore
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

      Sat 2026-03-28 09:00 +01:00 to Sat 2026-03-28 12:00 +01:00   2026-03-28T08:00Z to 2026-03-28T11:00Z   3 h 00 min
      Sun 2026-03-29 01:30 +01:00 to Sun 2026-03-29 04:00 +02:00   2026-03-29T00:30Z to 2026-03-29T02:00Z   1 h 30 min

      Open 4 h 30 min of 71 h 00 min.

      """
    #expect(try report("sat 09:00-12:00", "sun 01:30-04:00") == expected)
  }

  @Test("says always open for an empty schedule")
  func alwaysOpen() throws {
    #expect(try report() == "The schedule has no rules: always open.\n")
  }

  @Test("marks windows that are cut by the period")
  func cut() throws {
    let text = try report("fri 22:00-02:00", "mon 22:00-02:00")
    #expect(text.contains("2 h 00 min, open before\n"))
    #expect(text.contains("2 h 00 min, goes on\n"))
  }

  @Test("shows seconds when a window has them")
  func seconds() throws {
    let text = try report("cron 0 9 28 3 * for 90s")
    #expect(text.contains("Sat 2026-03-28 09:00:00 +01:00 to Sat 2026-03-28 09:01:30 +01:00"))
    #expect(text.contains("0 h 01 min 30 s"))
  }

  @Test("says when the next window opens, or that none does")
  func nothing() throws {
    let later = try report("2026-04-15 08:00-20:00")
    #expect(later.contains("No window in these days. The next opens Wed 2026-04-15 08:00 +02:00"))
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
