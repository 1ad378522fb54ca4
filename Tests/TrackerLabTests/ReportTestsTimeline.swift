import Testing
import TrackerCore

@testable import TrackerLab

@Suite("The report's timeline")
struct ReportTestsTimeline {
  private let page = ReplayReport.html([.full()])

  @Test("each strip says in words what it shows")
  func summaries() {
    let wanted = [
      "Schedule</b> <span>open 1 h in 1 window", "GPS power</b> <span>on 40 min in 2 sessions",
      "Motion</b> <span>moving 40 min",
      "No track</b> <span>neither parked nor outside the schedule: 2 min 40 s",
      "Waiting to be sent</b> <span>at most 9 records, 0 at the end",
      "Sending</b> <span>3 requests, 1 failed",
    ]
    for text in wanted { #expect(page.contains("<b>\(text)</span>"), "\(text)") }
  }

  @Test("a bar is as long as its span, and reports its times")
  func bars() {
    let bar = """
      <rect x="0.00%" y="0" width="41.67%" height="22"><title>on: 2025-06-02 06:00:00 to 06:25:00 UTC, 25 min</title>
      """
    #expect(page.contains(bar))
  }

  @Test("a failed request is a cross with its reason, a delivered one a stroke")
  func requests() {
    #expect(
      page.contains(
        "<use href=\"#cross\" class=\"failed\" x=\"25.00%\" y=\"11\"><title>failed 2025-06-02 06:15:00"))
    #expect(page.contains("UTC: status 503</title>"))
    #expect(page.contains("class=\"sent\" d=\"M836 15V85M2661 15V85\""))
  }

  @Test("an expected gap hardly shows; the worse the cause, the taller")
  func gaps() {
    #expect(
      page.contains("<g class=\"stationary\"><rect x=\"33.33%\" y=\"18\" width=\"33.33%\" height=\"4\">"))
    #expect(page.contains("<g class=\"nosky\"><rect x=\"69.44%\" y=\"5\""))
  }

  @Test(
    "ticks are a dozen at most, at round times",
    arguments: [
      (10, 1), (60, 5), (600, 60), (1200, 120), (3600, 300), (36_000, 3600), (86_400, 7200),
      (259_200, 21_600),
      (604_800, 86_400), (2_592_000, 259_200),
    ] as [(Int64, Int64)])
  func ticks(span_s: Int64, step_s: Int64) {
    let scale = TimeScale(.s(7, 7 + span_s))
    #expect(scale.step_ms == step_s * 1000)
    #expect((2...13).contains(scale.ticks.count))
    #expect(scale.ticks.allSatisfy { $0.time_ms % scale.step_ms == 0 })
    #expect(scale.ticks.filter(\.isMajor).count <= 5)
  }

  @Test("a week is counted in days, a day in hours with its date")
  func labels() {
    let week = TimeScale(.s(0, 604_800))
    #expect(week.ticks.map(\.label) == ["3 Jun", "4 Jun", "5 Jun", "6 Jun", "7 Jun", "8 Jun", "9 Jun"])
    #expect(week.dates.isEmpty)
    let day = TimeScale(.s(0, 86_400))
    #expect(day.ticks.first?.label == "06:00")
    #expect(day.dates.map(\.label) == ["2 Jun", "3 Jun"])
  }

  @Test("spans that no screen shows apart are one")
  func merged() {
    let scale = TimeScale(.s(0, 12_000))
    let merged = scale.merged([.s(0, 100), .s(105, 200), .s(211, 300), .s(150, 180)])
    #expect(merged == [.s(0, 200), .s(211, 300)])
  }

  @Test("what lies outside the recording is drawn at its edge")
  func outside() {
    var result = ReplayResult.full()
    result.gpsOn = [.s(-100, 5000)]
    #expect(
      ReplayReport.html([result]).contains("<rect x=\"0.00%\" y=\"0\" width=\"100.00%\" height=\"22\">"))
  }
}
