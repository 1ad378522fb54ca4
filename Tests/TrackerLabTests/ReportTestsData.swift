import Testing
import TrackerBase

@testable import TrackerLab

@Suite("The report's data")
struct ReportTestsData {
  @Test("figures come as the terminal shows them")
  func figures() throws {
    let result = ReplayResult.full()
    let figures = try ReportPage.entry(result).array("figures").map { $0.array?.map(\.string) }
    #expect(figures == result.figures.map { [$0.label, $0.unit, $0.text] })
  }

  @Test("trips, departures and totals are those of the JSON for programs; its long lines are left out")
  func result() throws {
    let entry = try ReportPage.entry(.full())
    #expect(entry["result"]?["schema"]?.string == "godwit-replay/1")
    #expect(entry.array("result", "trips").map { $0["top_speed_mps"]?.number } == [20, 25])
    #expect(entry.array("result", "departures").first?["delay_s"]?.number == 30)
    #expect(entry["result"]?["totals"]?["seen_error_m_max"]?.number == 9.84)
    #expect(entry["result"]?["track"] == nil && entry["result"]?["jumps"] == nil)
  }

  @Test("what was sent, in seconds since the start and their parts")
  func timeline() throws {
    var result = ReplayResult.full()
    result.requests[1].span.start_ms += 234
    let entry = try ReportPage.entry(result)
    #expect(entry.array("requests").map(\.numbers) == [[301, 1], [900.234, 0], [958, 1]])
  }

  @Test("the zone's changes around the recording are in the page, so that the script needs no zones")
  func zone() throws {
    // 2026-03-29: at 01:00 UTC the clock goes from 02:00 to 03:00; seven months later it goes back.
    let change_s: Int64 = 1_774_746_000
    var result = ReplayResult.full()
    result.zone = TransitionZone(
      initial_s: 3600,
      transitions: [
        .init(at_s: change_s, offset_s: 7200), .init(at_s: change_s + 18_748_800, offset_s: 3600),
      ])
    result.zoneName = "Europe/Zurich"
    result.span = Span(start_ms: (change_s - 7 * 3600) * 1000, end_ms: (change_s + 5 * 3600) * 1000)
    let zone = try #require(ReportPage.entry(result)["zone"])
    #expect(zone["name"]?.string == "Europe/Zurich")
    #expect(
      zone.array("offsets").map(\.numbers) == [
        [Double(result.span.start_ms - 86_400_000), 3600], [Double(change_s * 1000), 7200],
      ])
    #expect(try ReportPage.entry(.full())["zone"]?.array("offsets").map { $0.numbers.last } == [0])
  }

  @Test("the defaults of all settings that were changed are there, to stand beside them")
  func defaults() throws {
    let page = try ReportPage([
      .full(changed: ["motion.probe_interval_s = 600"]),
      .full(settings: "other", changed: ["schedule = \"a = b\""]),
    ])
    #expect(page.data["defaults"]?["motion.probe_interval_s"]?.string == "90")
    #expect(page.data["defaults"]?["schedule"]?.string == "[]")
    #expect(page.data["defaults"]?["motion.stop_timeout_s"] == nil)
  }

  @Test("settings of one track are together, and share its line; tracks of one name may be two")
  func tracks() throws {
    var strict = ReplayResult.full(settings: "strict")
    strict.gps.maxAccuracy_m = 20
    var later = ReplayResult.full()
    later.span.end_ms += 1
    let page = try ReportPage([.full(), .full(settings: "150m"), strict, .full(name: "wednesday.csv"), later])
    #expect(page.data.array("tracks").map { $0.array?.count } == [3, 1, 1])
    #expect(page.entries.map { $0["recorded"] != nil } == [true, false, true, true, true])
    #expect(page.data["is_sweep"]?.bool == false)
  }

  @Test("a sweep has a result for each value, named by it")
  func sweep() throws {
    let page = try ReportPage(SweepTests.results(), isSweep: true)
    #expect(page.data["is_sweep"]?.bool == true)
    #expect(
      page.entries.map { $0["result"]?["settings_name"]?.string }
        == ["30", "90", "180"].map { "motion.probe_interval_s=\($0)" })
  }
}

@Suite("A sweep of one setting")
struct SweepTests {
  static func results() -> [ReplayResult] {
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
}
