import Testing
import TrackerBase

@testable import TrackerLab

@Suite("The report as a page")
struct ReportTestsPage {
  @Test("the page asks for nothing: no network, no other file, and the browser is told so")
  func selfContained() throws {
    let page = try ReportPage([.full(), .full(settings: "150m.toml")]).text
    for forbidden in ["http:", "https:", "src=", "@import", "<link", "fetch(", "XMLHttp", "import("] {
      #expect(!page.contains(forbidden), "\(forbidden)")
    }
    #expect(page.split(separator: "url(").dropFirst().allSatisfy { $0.hasPrefix("#") })
    #expect(
      page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\""))
  }

  @Test("a browser learns language, width and colour schemes, and what paper is")
  func head() throws {
    let page = try ReportPage([.full()]).text
    #expect(page.hasPrefix("<!doctype html>\n<html lang=\"en\">") && page.hasSuffix("</html>\n"))
    #expect(page.contains("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"))
    #expect(page.contains("color-scheme: light dark") && page.contains("@page { size: A4;"))
    #expect(!page.contains("Optional("))
  }

  @Test("texts of files and settings cannot end the data, nor become markup")
  func escaping() throws {
    let name = "</script><img src=x onerror=\"alert(1)\">&'<!--.csv"
    let setting = "sync.headers = \"\u{301}<i>\u{0}\""
    var result = ReplayResult.full(name: name, settings: "\"><b>", changed: [setting])
    result.gaps.append(NamedSpan(name: "moon & <stars>", span: .s(3000, 3100)))
    let page = try ReportPage([result])
    #expect(!page.json.contains("<") && page.json.contains("\\u003c/script>"))
    #expect(page.text.split(separator: "</script>").count == 3)
    let entry = try #require(page.entries.first)
    #expect(entry["result"]?["name"]?.string == name)
    #expect(entry["result"]?["settings_name"]?.string == "\"><b>")
    #expect(entry.array("result", "changed_settings").map(\.string) == [setting])
    #expect(entry.array("result", "gaps").last?["cause"]?.string == "moon & <stars>")
  }

  @Test("the script makes elements of texts by no way that reads markup")
  func textNodes() throws {
    let page = try ReportPage([.full()]).text
    for forbidden in [
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
    ] {
      #expect(!page.contains(forbidden), "\(forbidden)")
    }
  }

  @Test("no results make a page, too")
  func empty() throws {
    let page = try ReportPage([])
    #expect(page.entries.isEmpty && page.json.contains("\"tracks\":[]"))
  }
}

@Suite("The report's size")
struct ReportTestsSize {
  /// A week at 1 Hz, every fix of twenty hours kept, and everything else as busy as it can be.
  private var busy: ReplayResult {
    let points = (0..<604_800).map { TrackPoint.zigzag($0, step_deg: 0.000_002) }
    var result = ReplayResult.bare(points)
    result.kept = Array(points.prefix(72_000))
    result.trips = (0..<60).map { index in
      let start_s = Int64(index) * 1200
      return ReplayedTrip(
        id: Int64(index), span: .s(start_s, start_s + 1100), distance_m: 16_000, topSpeed_mps: 20,
        endCause: .stayed)
    }
    let often = (0..<3600).map { Span.s($0 * 168, $0 * 168 + 84) }
    result.gpsOn = often
    result.motion = often.map { NamedSpan(name: "moving", span: $0) }
    result.gaps = often.map { NamedSpan(name: "no_sky", span: $0) }
    result.requests = often.map {
      ReplayedRequest(span: $0, records: 5, bytes: 500, status: 200, isDelivered: true)
    }
    return result
  }

  @Test("a week at 1 Hz stays below 3 MB, however much is kept")
  func bound() throws {
    let page = try ReportPage([busy])
    #expect(page.text.utf8.count < 3_000_000, "\(page.text.utf8.count)")
    let map = try #require(page.entries.first)
    let points = map.array("recorded").reduce(0) { $0 + ($1.array?.count ?? 0) }
    #expect((1000...ReportJSON.mostPoints).contains(points))
    #expect((120...ReportJSON.mostPoints).contains(map.array("kept").count))
  }

  @Test("a week of a parked vehicle is hardly more than the page itself")
  func week() throws {
    let parked = (0..<7 * 1440).map {
      TrackPoint(time_ms: reportStart_ms + $0 * 60_000, position: TrackPoint.zigzag(0).position)
    }
    let page = try ReportPage([.bare(parked)])
    #expect(page.json.utf8.count < 10_000)
    #expect(page.entries.first?.array("recorded").map { $0.array?.count } == [2])
  }
}
