import Testing
import TrackerCore

@testable import TrackerLab

@Suite("The report's times")
struct ReportTestsClock {
  /// Summer time there.
  private static let zurich = FixedZone(offset_s: 7200)

  private func page(_ zone: any ZoneRules, _ name: String) -> String {
    var result = ReplayResult.full()
    (result.zone, result.zoneName) = (zone, name)
    return ReplayReport.html([result])
  }

  @Test("are the vehicle's, with what they are ahead of UTC, and the page says whose")
  func local() {
    let page = page(Self.zurich, "Europe/Zurich")
    #expect(page.contains("All times are those of the vehicle&#39;s zone, Europe/Zurich."))
    #expect(page.contains("2025-06-02 08:00:00 to 09:00:00 UTC+2, 1 h"))
    #expect(page.contains("<title>Parked 2025-06-02 08:20:00 to 08:40:00 UTC+2"))
    #expect(page.contains(">08:15</text>") && !page.contains(">06:15</text>"))
    #expect(page.contains("<td class=\"n\" data-title=\"Start\">08:00:00</td>"))
    #expect(!page.contains(" UTC,") && !page.contains(" UTC<"))
  }

  @Test("are UTC where the zone is")
  func utc() {
    let page = ReplayReport.html([.full()])
    #expect(page.contains("All times are UTC.") && page.contains("2025-06-02 06:00:00 to 07:00:00 UTC, 1 h"))
  }

  @Test(
    "an offset as people write it",
    arguments: [
      (0, "UTC"), (7200, "UTC+2"), (-12_600, "UTC-3:30"), (20_700, "UTC+5:45"), (-36_000, "UTC-10"),
    ])
  func label(offset_s: Int, words: String) {
    #expect(ReportClock(zone: FixedZone(offset_s: offset_s), name: "").label(0) == words)
  }

  @Test("ticks stand at round hours of the wall, and at the vehicle's midnights, over a change of the clock")
  func ticks() {
    // 2026-03-29: at 01:00 UTC the clock goes from 02:00 to 03:00.
    let change_s: Int64 = 1_774_746_000
    let zone = TransitionZone(initial_s: 3600, transitions: [.init(at_s: change_s, offset_s: 7200)])
    let span = Span(start_ms: (change_s - 7 * 3600) * 1000, end_ms: (change_s + 5 * 3600) * 1000)
    let scale = TimeScale(span, clock: ReportClock(zone: zone, name: "Europe/Zurich"))
    #expect(
      scale.ticks.map(\.label)
        == [
          "19:00", "20:00", "21:00", "22:00", "23:00", "00:00", "01:00", "03:00", "04:00", "05:00", "06:00",
          "07:00", "08:00",
        ])
    #expect(scale.dates.map(\.label) == ["28 Mar", "29 Mar"])
  }

  @Test("many short sessions show as the share of the time that they take: 26 % as 26 %")
  func shares() {
    // Ten days, 78 s on in each 300 s.
    let spans = (0..<2880).map { Span.s(Int64($0) * 300, Int64($0) * 300 + 78) }
    let scale = TimeScale(.s(0, 864_000))
    let parts = scale.shares(spans)
    let shown_s = parts.reduce(0.0) { $0 + $1.span.length_s * $1.share }
    #expect(abs(shown_s / 864_000 - 0.26) < 0.05, "\(shown_s / 864_000)")
    #expect(parts.count < 400 && parts.allSatisfy { $0.share < 0.5 })
    var result = ReplayResult.full()
    result.gpsOn = spans
    result.span = .s(0, 864_000)
    let page = ReplayReport.html([result])
    #expect(
      page.contains("<g class=\"power part\">") && page.contains("on for a part of the time: the height"))
    #expect(MarkupCheck(page).problems == [])
  }

  @Test("a lone short session in a long time is to be seen, and hardly")
  func lone() {
    let parts = TimeScale(.s(0, 864_000)).shares([.s(400_000, 400_015)])
    #expect(parts.count == 1 && parts[0].share == 0.05)
    let whole = TimeScale(.s(0, 3600)).shares([.s(0, 1500), .s(2400, 3600)])
    #expect(whole.map(\.share) == [1, 1] && whole.map(\.span) == [.s(0, 1500), .s(2400, 3600)])
  }
}
