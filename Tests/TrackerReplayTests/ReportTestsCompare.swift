import Testing
import TrackerCore

@testable import TrackerReplay

@Suite("Several settings in one report")
struct ReportTestsCompare {
  private func results() -> [ReplayResult] {
    let base = ReplayResult.full()
    var other = ReplayResult.full(
      settings: "sparse.toml", changed: ["motion.probe_interval_s = 600", "track.max_error_m = 25"])
    // Its second trip begins later, and it has one more, of which the first has nothing.
    other.trips[0].distance_m = 18_000
    other.trips[1].span.start_ms += 65_000
    other.departures[0].unseen_m = 900
    return [base, other]
  }

  @Test("values stand where a setting has its default, and say that it is one")
  func values() {
    let page = ReplayReport.html(results())
    #expect(
      page.contains(
        "<code>90</code> <small>default</small></td><td class=\"n\"><code>600</code></td>"),
      "the row of motion.probe_interval_s")
    #expect(!page.contains("<code>default</code>"))
  }

  @Test("a key breaks at its dots and underscores, and never within a word")
  func keys() {
    #expect(
      HTML.code("motion.probe_interval_s = 600").text
        == "<code>motion.<wbr/>probe_<wbr/>interval_<wbr/>s = 600</code>")
    #expect(HTML.code("<a&b>").text == "<code>&lt;a&amp;b&gt;</code>")
    #expect(
      !ReplayReport.html(results()).contains(
        "code { font: .875em ui-monospace, monospace; overflow-wrap: anywhere"))
  }

  @Test("all lines lie on one map, each in its own look, with a legend")
  func overlay() {
    let page = ReplayReport.html(results())
    #expect(page.contains("<h3>All settings on one map</h3>"))
    #expect(page.contains("<path class=\"kept k0\" d=\"M") && page.contains("<path class=\"kept k1\" d=\"M"))
    #expect(page.contains("<title>sparse.toml</title>"))
    #expect(MarkupCheck(page).problems == [])
    #expect(!ReplayReport.html([.full()]).contains("on one map"))
  }

  @Test("trips that overlap are one drive, with each one's differences from the first settings")
  func drives() {
    var all = results()
    all[1].trips.append(
      ReplayedTrip(id: 3, span: .s(3700, 3800), distance_m: 100, topSpeed_mps: 5, endCause: .stayed))
    let table = DriveTable(results: all)
    #expect(table.drives.map(\.span) == [.s(0, 1200), .s(2400, 3600), .s(3700, 3800)])
    #expect(table.drives.map { $0.trips.map(\.count) } == [[1, 1], [1, 1], [0, 1]])
    let html = table.html.text
    #expect(html.contains("18.0 km <small>−200 m</small>"))
    #expect(html.contains("06:41:05 <small>+1 min 5 s</small>"))
    #expect(html.contains("no trip") && html.contains("900 m"))
  }

  @Test("tables of trips become blocks of lines on a telephone, with each column's title")
  func stacks() {
    let page = ReplayReport.html([.full()])
    #expect(page.contains("<table class=\"stacks\"><caption>Trips</caption>"))
    #expect(page.contains("<td class=\"n\" data-title=\"Distance\">18.2 km</td>"))
    #expect(page.contains(".stacks td::before { content: attr(data-title);"))
  }

  @Test("paper is A4, with a drive a page")
  func paper() {
    let page = ReplayReport.html([.full()])
    #expect(page.contains("@page { size: A4;") && page.contains("break-before: page"))
  }
}

@Suite("A sweep of one setting")
struct SweepTests {
  private static func results() -> [ReplayResult] {
    [(30, 2400.0, 200.0), (90, 1200, 400), (180, 600, 900)].map { value, on_s, unseen_m in
      var result = ReplayResult.full(settings: "motion.probe_interval_s=\(value)", gpsOn_s: on_s)
      result.totals.energy.gps_mAh = on_s / 100
      result.unseen_m = unseen_m
      return result
    }
  }

  @Test("a row for each value, for a terminal")
  func text() {
    let lines = SweepTable(results: Self.results()).text.split(separator: "\n").map { String($0) }
    #expect(lines[0] == "tuesday.csv: late is the mean of 1 departure")
    var withGap = Self.results()
    withGap[0].departures.append(
      ReplayedDeparture(trip: 3, cause: .probe, left: .s(9, 900), trackBegan_ms: reportStart_ms + 900_000))
    #expect(
      SweepTable(results: withGap).text.hasPrefix(
        "tuesday.csv: late is the mean of 1 departure; 1 other lies in a gap of the recording\n"))
    #expect(lines[1].hasPrefix("  motion.probe_interval_s  GPS on, h  its charge, mAh"))
    #expect(lines.dropFirst(2).map { $0.split(separator: " ").first } == ["30", "90", "180"])
    #expect(lines[2].contains("0.67") && lines[4].contains("0.90"))
  }

  @Test("a page with a plot that says in words what it shows, a table and a map")
  func page() {
    let page = ReplayReport.html(sweep: Self.results())
    #expect(MarkupCheck(page).problems == [])
    #expect(page.contains("<title id=\"s1-plot\">What motion.probe_interval_s costs and brings</title>"))
    #expect(page.contains(" mAh, 0.20 km; 90: ") && page.contains(" mAh, 0.90 km.</desc>"))
    // Three values of the unseen way, the largest nearest to the top.
    let dots = page.split(separator: "<circle class=\"s1\" ").dropFirst().compactMap { dot -> Double? in
      dot.split(separator: "cy=\"").last.flatMap { Double($0.prefix { $0 != "\"" }) }
    }
    #expect(dots.count == 3 && dots == dots.sorted(by: >))
    for forbidden in ["<script", "http:", "https:", "//", "src="] { #expect(!page.contains(forbidden)) }
  }
}
