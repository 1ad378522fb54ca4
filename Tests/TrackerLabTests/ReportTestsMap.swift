import Testing
import TrackerCore

@testable import TrackerLab

@Suite("The report's map")
struct ReportTestsMap {
  private func occurrences(of text: String, in page: String) -> Int {
    page.split(separator: text, omittingEmptySubsequences: false).count - 1
  }

  @Test("each trip has a line of its own and its numbers; what is kept outside trips is a dot")
  func trips() {
    let page = ReplayReport.html([.full()])
    #expect(occurrences(of: "<path class=\"kept\" id=", in: page) == 2)
    #expect(page.contains("<title>start of trip 1</title>") && page.contains("<title>end of trip 2</title>"))
    let dots = page.split(separator: "<path class=\"dots\" d=\"").dropFirst().first?.prefix { $0 != "\"" }
    // Nine fixes, of which three stand on one spot.
    #expect(dots.map { occurrences(of: "h0", in: String($0)) } == 7)
  }

  @Test("jumps are crosses apart from the line, and counted")
  func jumps() {
    let page = ReplayReport.html([.full()])
    #expect(occurrences(of: "<use href=\"#cross\" class=\"jump\"/>", in: page) == 1)
    #expect(page.contains("position jump (1): kept with a flag, not in the line"))
  }

  @Test("the worst error stands on the map with its metres")
  func worst() {
    #expect(ReplayReport.html([.full()]).contains(">9.8 m</text>"))
  }

  @Test("the stationary geofence is drawn to scale, with a dot that is always seen")
  func fence() throws {
    var result = ReplayResult.full()
    result.stationaryRadius_m = 500
    let page = ReplayReport.html([result])
    let plane = MapPlane(
      showing: (result.track.lines(gps: result.gps).joined() + result.kept).map(
        \.position), least_m: 2000)
    let radius = Int((500 * plane.unitsPerMetre).rounded())
    #expect(page.contains("r=\"\(radius)\"/>"))
    #expect(
      page.contains("<circle class=\"stop\" r=\"5\"/><title>Parked 2025-06-02 06:20:00 to 06:40:00 UTC"))
  }

  @Test("north is up, east is right, and a degree is as wide as it is there")
  func projection() {
    let west = Position(latitude_deg: 60, longitude_deg: 10)
    let east = Position(latitude_deg: 60, longitude_deg: 10.2)
    let north = Position(latitude_deg: 60.05, longitude_deg: 10.1)
    let plane = MapPlane(showing: [west, east, north], least_m: 200)
    #expect(plane.point(west).x < plane.point(north).x && plane.point(north).x < plane.point(east).x)
    #expect(plane.point(north).y < plane.point(west).y)
    let across = Double(plane.point(east).x - plane.point(west).x)
    #expect(abs(across / plane.unitsPerMetre - west.distance_m(to: east)) < 30)
    #expect((5600...7200).contains(plane.height))
  }

  @Test("a track across the antimeridian is as small as it is elsewhere")
  func antimeridian() {
    let points = (0...600).map { TrackPoint.zigzag($0, west_deg: 179.95) }
    #expect(points.contains { $0.position.longitude_deg < 0 })
    let elsewhere = (0...600).map { TrackPoint.zigzag($0, west_deg: 8) }
    let plane = MapPlane(showing: points.map(\.position), least_m: 200)
    let other = MapPlane(showing: elsewhere.map(\.position), least_m: 200)
    #expect(plane.height == other.height)
    #expect(plane.unitsPerMetre == other.unitsPerMetre)
    for (here, there) in zip(points, elsewhere) {
      let (one, two) = (plane.point(here.position), other.point(there.position))
      #expect(abs(one.x - two.x) <= 1 && abs(one.y - two.y) <= 1)
    }
    #expect(ReplayReport.html([.bare(points)]).contains(">2 km</text>"))
  }

  @Test("a single point, and a vehicle that never moves, are drawn", arguments: [1, 1000])
  func standing(fixes: Int64) {
    let place = TrackPoint.zigzag(0).position
    var result = ReplayResult.bare(
      (0..<fixes).map { TrackPoint(time_ms: reportStart_ms + $0 * 1000, position: place) })
    result.stops = [(result.span, place)]
    let page = ReplayReport.html([result])
    #expect(MarkupCheck(page).problems == [])
    #expect(!page.contains("nan") && !page.contains("inf\""))
    #expect(page.contains("<path class=\"recorded\" d=\"M5000 "))
    #expect(page.contains(">50 m</text>"))
  }

  @Test("a track without any usable fix still makes a page")
  func noFix() throws {
    let reports = [
      GPSReport(mode: 1, time_ms: reportStart_ms), GPSReport(mode: 1, time_ms: reportStart_ms + 1000),
    ]
    let track = try #require(RecordedTrack(name: "cellar.csv", reports: reports))
    let result = ReplayResult(
      track: track, settingsName: "defaults", settingsHash: "", changedSettings: [],
      span: Span(start_ms: track.start_ms, end_ms: track.end_ms))
    #expect(MarkupCheck(ReplayReport.html([result])).problems == [])
  }

  @Test("impossible fixes do not stretch the map, and a long pause is no line")
  func recorded() throws {
    var reports = [(0, 47.0), (1, 47.0001), (2, 0.0), (3, 47.0003), (4, 57.0), (1000, 47.001)].map {
      GPSReport(
        mode: 3, time_ms: reportStart_ms + Int64($0.0) * 1000, latitude_deg: $0.1,
        longitude_deg: $0.1 == 0 ? 0 : 8)
    }
    reports.append(GPSReport(mode: 1, time_ms: reportStart_ms + 1_001_000))
    let track = try #require(RecordedTrack(name: "a", reports: reports))
    let runs = track.lines(gps: Settings().gps)
    #expect(runs.map(\.count) == [3, 1])
    #expect(runs.joined().allSatisfy { (47...47.001).contains($0.position.latitude_deg) })
  }

  @Test("the recorded line has the fixes that the replay's own settings take")
  func recordedBySettings() throws {
    let reports = (0..<20).map {
      GPSReport(
        mode: 3, time_ms: reportStart_ms + Int64($0) * 1000, latitude_deg: 47 + Double($0) * 0.0001,
        longitude_deg: 8)
    }
    let track = try #require(RecordedTrack(name: "a", reports: reports))
    for (limit_m, fixes) in [(50.0, 0), (100, 20)] {
      var settings = Settings()
      (settings.gps.maxAccuracy_m, settings.gps.unknownAccuracy_m) = (limit_m, 80)
      let result = try Replay(track: track, settings: settings, assumptions: Assumptions()).run()
      let lines = track.lines(gps: result.gps)
      #expect(lines.joined().count == fixes)
    }
  }

  @Test("labels of one place do not cover each other")
  func labels() {
    let place = Position(latitude_deg: 47, longitude_deg: 8)
    let plane = MapPlane(showing: [place], least_m: 200)
    var labels = MapLabels(plane)
    var boxes: [MapLabels.Box] = []
    for index in 0..<12 {
      let offset = labels.place(at: plane.point(place), width: 18, height: 18, right: index % 2 == 0)
      guard let offset else { continue }
      boxes.append(MapLabels.Box(x: Double(offset.x), y: Double(offset.y), width: 18, height: 18))
    }
    #expect(boxes.count == 12)
    for (index, box) in boxes.enumerated() {
      #expect(!boxes[..<index].contains(where: box.overlaps))
    }
  }

  @Test("with more than 40 trips the lines bear no numbers, and the caption says so")
  func crowded() {
    var result = ReplayResult.full()
    result.trips = (0..<41).map { index in
      let start_s = Int64(index) * 80
      return ReplayedTrip(
        id: Int64(index + 1), span: .s(start_s, start_s + 60), distance_m: 900, topSpeed_mps: 20,
        endCause: .stayed)
    }
    let page = ReplayReport.html([result])
    #expect(!page.contains("<g class=\"start\" transform"))
    #expect(page.contains("The trips are too many to number them here"))
  }
}
