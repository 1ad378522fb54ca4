import Testing

@testable import TrackerLab

@Suite("Numbers and times for people")
struct ReportTestsText {
  @Test(
    "a duration has two units at most, rounded",
    arguments: [
      (0, "0 s"), (0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min"), (200, "3 min 20 s"), (599, "9 min 59 s"),
      (600, "10 min"), (3569, "59 min"), (3570, "1 h"), (9360, "2 h 36 min"), (86_369, "23 h 59 min"),
      (86_370, "1 d"), (273_600, "3 d 4 h"), (-5, "0 s"),
    ] as [(Double, String)])
  func duration(seconds: Double, text: String) {
    #expect(ReportText.duration(seconds) == text)
  }

  @Test("bytes and metres change their unit where the number would grow too long")
  func units() {
    #expect(
      [0, 999, 1000, 999_949, 999_950].map(ReportText.bytes) == [
        "0 B", "999 B", "1.0 kB", "999.9 kB", "1.0 MB",
      ])
    #expect([0, 999.4, 999.5, 83_170].map(ReportText.distance) == ["0 m", "999 m", "1.0 km", "83.2 km"])
  }

  @Test("times before 1970 are times too")
  func early() {
    #expect(ReportText.day(-1) == "31 Dec")
    #expect(ReportText.dateTime(-1000) == "1969-12-31 23:59:59")
  }
}
