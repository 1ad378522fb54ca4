import Testing
import TrackerCore
import TrackerLab

@Suite("The report's figures and tables")
struct ReportTestsTables {
  private let page = ReplayReport.html([.full()])

  private func tile(_ name: String, _ value: String, _ note: String) -> Bool {
    page.contains("<dt>\(name)</dt><dd><b>\(value)</b> <span>\(note)</span></dd>")
  }

  @Test("the headline says what the run cost and gave")
  func headline() {
    #expect(page.contains("<h2>tuesday.csv</h2>"))
    #expect(page.contains("2025-06-02 06:00:00 to 07:00:00 UTC, 1 h"))
    #expect(page.contains("defaults <code>0123456789abcdef</code>"))
    #expect(page.contains("All settings are at their defaults."))
    #expect(tile("GPS on", "0.67 h", "66.7 % of the time"))
    #expect(tile("Charge used", "133 mAh", "GPS 20 mAh"))
    #expect(tile("Trips", "2", "one still open"))
    #expect(tile("Distance", "36.5 km", "by the odometer"))
    #expect(tile("Fixes kept", "9", "0.2 per km"))
    #expect(tile("Worst error", "9.8 m", "where seen; 95 % within 7.1 m"))
    #expect(tile("Way that nobody saw", "430 m", "the GPS was off or starting"))
    #expect(tile("Sent", "3.9 kB", "3 requests, 1 failed"))
    #expect(tile("Records delivered", "14", "0 left in the queue"))
    #expect(tile("Queue commits", "7", "writes to the disk"))
    #expect(tile("Time without track", "2 min 40 s", "parked and closed not counted"))
  }

  @Test("a trip's row reports when, how long, how far, how fast, and why it ended")
  func trips() {
    let first = """
      <tr><th scope="row"><a href="#r1-trip1">1</a></th><td class="n" data-title="Start">06:00:00</td>\
      <td class="n" data-title="End">06:20:00</td><td class="n" data-title="Duration">20 min</td>\
      <td class="n" data-title="Distance">18.2 km</td><td class="n" data-title="Top speed">72 km/h</td>\
      <td data-title="Ended">stood still</td></tr>
      """
    #expect(page.contains(first))
    #expect(page.contains("<td data-title=\"Ended\">still open at the end</td>"))
  }

  @Test("a departure's row says what woke it, when it was, how late the track begins, and what nobody saw")
  func departures() {
    let row = """
      <tr><th scope="row">2</th><td data-title="Noticed by">a probe</td>\
      <td class="n" data-title="Left after">06:39:00</td><td class="n" data-title="Left before">06:40:30</td>\
      <td class="n" data-title="Track begins">06:40:30</td><td class="n" data-title="Late by">30 s</td>\
      <td class="n" data-title="Way that nobody saw">430 m</td></tr>
      """
    #expect(page.contains(row))
    var result = ReplayResult.full()
    result.departures[0].leftByRecording_ms = nil
    #expect(
      ReplayReport.html([result]).contains(
        #"<td class="n" data-title="Late by">not recorded</td>"#))
    result.departures[0].trackBegan_ms = nil
    #expect(ReplayReport.html([result]).contains(#"<td class="n" data-title="Late by">–</td>"#))
  }

  @Test("the learned week has a row for each day, and none where nothing is learned")
  func learnedWeek() {
    #expect(!page.contains("Learned of"))
    var result = ReplayResult.full()
    result.learnedWeek = ReplayTextTests.week
    let page = ReplayReport.html([result])
    #expect(page.contains("Learned of 25 departures"))
    #expect(page.contains("<th scope=\"row\">Tue</th>") && page.contains("<td class=\"n\">1.5</td>"))
  }

  @Test("gaps are summed up by cause, the longest total first")
  func gaps() {
    let rows = """
      <tr><th scope="row">parked</th><td class="n">1</td><td class="n">20 min</td><td class="n">20 min</td></tr>
      <tr><th scope="row">no fix: no view of the sky</th><td class="n">2</td><td class="n">2 min 20 s</td>\
      <td class="n">1 min 40 s</td></tr>
      """
    #expect(page.contains(rows))
  }

  @Test("rejected fixes, warnings, bytes and charge have their tables")
  func others() {
    #expect(page.contains("<th scope=\"row\">too inaccurate</th><td class=\"n\">3</td>"))
    #expect(page.contains("<th scope=\"row\">sending failed (sync_failed)</th><td class=\"n\">1</td>"))
    #expect(page.contains("<th scope=\"row\">geomony</th><td class=\"n\">3.9 kB</td>"))
    #expect(
      page.contains("<th scope=\"row\">Board</th><td class=\"n\">110.0 mAh</td><td class=\"n\">83 %</td>"))
  }

  @Test("what did not happen is said, not left out")
  func nothing() {
    let page = ReplayReport.html([.bare([.zigzag(0), .zigzag(1)])])
    for caption in ["Trips", "Rejected fixes", "Warnings", "Times without a track"] {
      #expect(page.contains("<b>\(caption)</b> <span class=\"note\">none</span>"), "\(caption)")
    }
    #expect(page.contains("<dt>Worst error</dt><dd><b>–</b> <span>nothing to measure</span>"))
  }

  @Test("settings of one track are compared with the first, in absolute figures and per cent")
  func comparison() {
    let page = ReplayReport.html([
      .full(changed: ["gps.min_off_s = 9"]),
      .full(settings: "150m", changed: ["gps.min_off_s = 9", "schedule = \"a = b\""], gpsOn_s: 1800),
      .full(settings: "same", changed: ["gps.min_off_s = 9"]),
    ])
    let gps = """
      <th scope="row">GPS on, h</th><td class="n">0.67</td><td class="n">0.50</td><td class="n">0.67</td>\
      <td class="n">−0.17</td><td class="n">−25</td><td class="n">=</td><td class="n"></td>
      """
    #expect(page.contains(gps))
    let schedule = """
      <th scope="row"><code>schedule</code></th><td class="n"><code>[]</code> <small>default</small></td>\
      <td class="n"><code>&quot;a = b&quot;</code></td><td class="n"><code>[]</code> <small>default</small></td>
      """
    #expect(page.contains(schedule))
    #expect(!page.contains("<code>gps.min_off_s</code>"), "all have it")
    #expect(page.contains("<th scope=\"col\" class=\"n\">Change to 150m</th>"))
  }

  @Test("different tracks are not compared, but stand in the overview")
  func tracks() {
    let page = ReplayReport.html([.full(), .full(name: "wednesday.csv")])
    #expect(!page.contains("Settings side by side"))
    #expect(page.contains("<a href=\"#r2\">wednesday.csv</a>"))
    #expect(page.contains("<title>Godwit simulation: tuesday.csv and 1 more</title>"))
  }
}
