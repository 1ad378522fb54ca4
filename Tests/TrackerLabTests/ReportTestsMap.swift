import Testing
import TrackerBase
import TrackerWire

@testable import TrackerLab

@Suite("What the report's map shows")
struct ReportTestsMap {
  @Test("kept fixes, parked places and the worst error, to a tenth of a metre")
  func marks() throws {
    let map = try ReportPage.entry(.full())
    let kept = map.array("kept").map(\.numbers)
    #expect(kept.map(\.first) == [0, 300, 600, 900, 1200, 1800, 2400, 3000, 3600])
    #expect(kept[1] == [300, 47.03, 8.06])
    #expect(
      map.array("stops").map(\.numbers)
        == [[Double(reportStart_ms + 1_200_000), Double(reportStart_ms + 2_400_000), 47.06, 8.24]])
    #expect(map["worst"]?.numbers == [450, 47.015, 8.09])
    #expect(map["stationary_radius_m"]?.number == 25)
  }

  @Test("a speed of the recording stands behind its point")
  func speeds() throws {
    let reports = [12.34, 5, nil].enumerated().map { index, speed_mps in
      GPSReport(
        mode: 3, time_ms: reportStart_ms + Int64(index) * 1000, latitude_deg: 47 + Double(index) * 0.0001,
        longitude_deg: 8, speed_mps: speed_mps)
    }
    let track = try #require(RecordedTrack(name: "a", reports: reports))
    let speeds = track.lines(gps: Settings().gps).joined().map(\.speed_mps)
    #expect(speeds.count == 3 && speeds[2] == nil && abs((speeds[0] ?? 0) - 12.34) < 0.01)
    var result = ReplayResult.bare([.zigzag(0), .zigzag(1)])
    result.track = track
    let line = try ReportPage.entry(result).array("recorded").first?.array?.map(\.numbers)
    #expect(line?.first == [0, 47, 8, 12.3] && line?.last == [2, 47.0002, 8])
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
    let lines = track.lines(gps: Settings().gps)
    #expect(lines.map(\.count) == [3, 1])
    #expect(lines.joined().allSatisfy { (47...47.001).contains($0.position.latitude_deg) })
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
      #expect(track.lines(gps: result.gps).joined().count == fixes)
    }
  }

  @Test("a track without any usable fix still makes a page")
  func noFix() throws {
    let reports = [
      GPSReport(mode: 1, time_ms: reportStart_ms), GPSReport(mode: 1, time_ms: reportStart_ms + 1000),
    ]
    var result = ReplayResult.bare([.zigzag(0)])
    result.track = try #require(RecordedTrack(name: "cellar.csv", reports: reports))
    let map = try ReportPage.entry(result)
    #expect(map.array("recorded").isEmpty && map.array("kept").isEmpty && map["worst"] == nil)
  }

  // MARK: Thinning

  /// How far each point lies from a line at its time, at most.
  private func worst_m(of points: [TrackPoint], from line: [TrackPoint]) -> Double {
    points.map { point in
      let after = line.first { $0.time_ms >= point.time_ms } ?? line[line.count - 1]
      let before = line.last { $0.time_ms <= point.time_ms } ?? line[0]
      let share =
        Double(point.time_ms - before.time_ms) / Double(max(1, after.time_ms - before.time_ms))
      return before.position.interpolated(to: after.position, share: share).distance_m(to: point.position)
    }.max() ?? 0
  }

  @Test("a straight way at one speed is its ends; a corner and a change of speed stay")
  func corners() {
    let zigzag = (0...1800).map { TrackPoint.zigzag($0) }
    let thin = [zigzag].thinned(most: 1000)[0]
    #expect(thin.map { ($0.time_ms - reportStart_ms) / 1000 } == [0, 600, 1200, 1800])
    let slow = (0...200).map { (s: Int64) in
      let way = s <= 100 ? s : 100 + (s - 100) / 2
      return TrackPoint(time_ms: reportStart_ms + s * 1000, position: TrackPoint.zigzag(way).position)
    }
    #expect(worst_m(of: slow, from: [slow].thinned(most: 1000)[0]) < 1.5)
  }

  @Test("every point that is left out lies near the line that stays, also across the antimeridian")
  func near() {
    for west_deg in [8, 179.99] {
      var chance = SeededRandom(seed: 7)
      let points = (0..<5000).map { (s: Int64) in
        var point = TrackPoint.zigzag(s, west_deg: west_deg, step_deg: 0.00001)
        point.position.latitude_deg += Double.random(in: -0.00005...0.00005, using: &chance)
        return point
      }
      let fine = [points].thinned(most: 5000)[0]
      #expect(worst_m(of: points, from: fine) < 1.5)
      let coarse = [points].thinned(most: 500)[0]
      #expect(coarse.count <= 500 && coarse.first == points.first && coarse.last == points.last)
      #expect(worst_m(of: points, from: coarse) < 30)
    }
  }

  @Test("a halt is no slow way: the speed between the points that stay is the recorded one")
  func halt() {
    let speeds = [12.0, 12, 0, 0, 0, 0, 0, 0, 12, 12]
    let points = speeds.enumerated().map { second, speed_mps in
      TrackPoint(
        time_ms: Int64(second) * 100_000, position: TrackPoint.zigzag(0).position, speed_mps: speed_mps)
    }
    #expect(
      [points].thinned(most: 100)[0].map(\.time_ms)
        == [0, 100_000, 200_000, 700_000, 800_000, 900_000])
  }

  @Test("doubled times and lines of one or two points do no harm")
  func short() {
    let points: [TrackPoint] = [.zigzag(0), .zigzag(1), .zigzag(1), .zigzag(2)]
    #expect([[], [points[0]], Array(points.prefix(2))].thinned(most: 10).map(\.count) == [0, 1, 2])
    #expect([points].thinned(most: 10)[0].map(\.time_ms) == [points[0], points[3]].map(\.time_ms))
  }

  // MARK: Geofences

  private let start = TrackPoint.zigzag(0).position

  private func drawn(_ shapes: [(id: String, shape: Geofence.Shape)]) throws -> JSONValue {
    var result = ReplayResult.full()
    result.geofences = try shapes.map { try Geofence(id: $0.id, shape: $0.shape) }
    return try ReportPage.entry(result)
  }

  private func square(_ half_deg: Double) throws -> Geofence.Shape {
    let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)].map {
      Position(
        latitude_deg: start.latitude_deg + $0.0 * half_deg,
        longitude_deg: start.longitude_deg + $0.1 * half_deg)
    }
    return .polygon(try GeofencePolygon(rings: [corners]))
  }

  @Test("circles with their radius, polygons with their closed edges, both with their names")
  func shapes() throws {
    let map = try drawn([("depot <1>", .circle(centre: start, radius_m: 1500)), ("yard", try square(0.01))])
    let fences = map.array("geofences")
    #expect(fences.map { $0["id"]?.string } == ["depot <1>", "yard"])
    #expect(fences[0].array("lines").map { $0.array?.map(\.numbers) } == [[[47.06, 8]]])
    #expect(fences.map { $0["radius_m"]?.number } == [1500, nil])
    let edges = fences[1].array("lines").map { $0.array?.map(\.numbers) ?? [] }
    #expect(edges.map(\.count) == [5] && edges[0].first == edges[0].last)
  }

  @Test("what lies apart from the map is not drawn, nor a border that goes round all of it")
  func elsewhere() throws {
    let far = Position(latitude_deg: -33, longitude_deg: 151)
    let map = try drawn([("far", .circle(centre: far, radius_m: 1000)), ("around", try square(9))])
    #expect(map.array("geofences").isEmpty)
  }
}
