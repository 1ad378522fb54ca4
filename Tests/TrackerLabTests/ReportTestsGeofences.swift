import Testing
import TrackerCore

@testable import TrackerLab

@Suite("The geofences on the report's map")
struct ReportTestsGeofences {
  private func page(_ shapes: [(id: String, shape: Geofence.Shape)]) throws -> String {
    var result = ReplayResult.full()
    result.geofences = try shapes.map { try Geofence(id: $0.id, shape: $0.shape) }
    let page = ReplayReport.html([result])
    #expect(MarkupCheck(page).problems == [])
    return page
  }

  private func drawn(_ page: String) -> Int {
    page.split(separator: " class=\"geofence\"", omittingEmptySubsequences: false).count - 1
  }

  private let start = TrackPoint.zigzag(0).position

  private func square(_ half_deg: Double) throws -> Geofence.Shape {
    let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)].map {
      Position(
        latitude_deg: start.latitude_deg + $0.0 * half_deg,
        longitude_deg: start.longitude_deg + $0.1 * half_deg)
    }
    return .polygon(try GeofencePolygon(rings: [corners]))
  }

  @Test("a circle is drawn to scale, with its name beside it and in the legend")
  func circle() throws {
    let page = try page([("depot <1>", .circle(centre: start, radius_m: 1500))])
    let result = ReplayResult.full()
    let shown = result.track.lines(gps: result.gps).joined() + result.kept
    let plane = MapPlane(showing: shown.map(\.position), least_m: 200)
    let middle = plane.point(start)
    let radius = Int((1500 * plane.unitsPerMetre).rounded())
    #expect(page.contains("r=\"\(radius)\"><title>geofence depot &lt;1&gt;</title></circle>"))
    #expect(page.contains("<circle class=\"geofence\" cx=\"\(middle.x)\" cy=\"\(middle.y)\""))
    #expect(page.contains(">depot &lt;1&gt;</text>"))
    #expect(page.contains("geofence (1 on this map)"))
  }

  @Test("a polygon's edges are drawn as far as the map goes")
  func polygon() throws {
    let small = try page([("yard", try square(0.01))])
    #expect(small.contains("<title>geofence yard</title></path>"))
    let plane = MapPlane(showing: [start], least_m: 2000)
    let edge = [-1.0, 1.0].map {
      Position(latitude_deg: start.latitude_deg + $0, longitude_deg: start.longitude_deg)
    }
    let pieces = plane.clipped(plane.exact(edge))
    #expect(pieces == [[PlanePoint(x: 5000, y: plane.height), PlanePoint(x: 5000, y: 0)]])
  }

  @Test("an edge that leaves the map and one that returns are two pieces; one beside it is none")
  func clipping() {
    let plane = MapPlane(showing: [start], least_m: 2000)
    let height = Double(plane.height)
    let out: [(x: Double, y: Double)] = [(100, 100), (100, -1e9), (200, -1e9), (200, 100)]
    let pieces = plane.clipped(out)
    #expect(pieces.count == 2)
    #expect(pieces.first?.last == PlanePoint(x: 100, y: 0) && pieces.last?.first == PlanePoint(x: 200, y: 0))
    #expect(plane.clipped([(-5, 0), (-5, height)]) == [])
    #expect(plane.clipped([(-9, height), (20_000, height + 9)]) == [])
  }

  @Test("what lies apart from the map is not drawn, nor a border that goes round all of it")
  func elsewhere() throws {
    let far = Position(latitude_deg: -33, longitude_deg: 151)
    let page = try page([("far", .circle(centre: far, radius_m: 1000)), ("around", try square(3))])
    #expect(drawn(page) == 0)
    #expect(!page.contains("geofence ("))
  }

  @Test("across the antimeridian a polygon is as wide as it is elsewhere")
  func antimeridian() throws {
    let corners = [(0.0, 179.9), (0.0, -179.9), (0.2, -179.9), (0.2, 179.9)].map {
      Position(latitude_deg: $0.0, longitude_deg: $0.1)
    }
    let lines = try GeofencePolygon(rings: [corners]).lines
    #expect(lines.map(\.count) == [5])
    let plane = MapPlane(
      showing: [Position(latitude_deg: 0.1, longitude_deg: 179.99), corners[0], corners[2]], least_m: 200)
    let x = plane.exact(lines[0]).map(\.x)
    let width = try #require(x.max()) - (try #require(x.min()))
    #expect(abs(width / plane.unitsPerMetre - corners[0].distance_m(to: corners[1])) < 10)
  }

  @Test("what was reported of each is in a table; without geofences there is none")
  func events() throws {
    var result = ReplayResult.full()
    #expect(!ReplayReport.html([result]).contains("Geofence events"))
    result.geofences = [try Geofence(id: "yard", shape: .circle(centre: start, radius_m: 100))]
    result.geofenceEvents = [.enter, .dwell, .exit, .enter].map {
      ReplayedGeofenceEvent(time_ms: reportStart_ms, event: GeofenceEvent(action: $0, geofence: "yard"))
    }
    let page = ReplayReport.html([result])
    #expect(
      page.contains(
        "<th scope=\"row\">yard</th><td class=\"n\">2</td><td class=\"n\">1</td><td class=\"n\">1</td>"))
  }

  @Test("of very many the first are drawn, and the legend says how many there are")
  func many() throws {
    let page = try page((1...250).map { ("g\($0)", .circle(centre: start, radius_m: Double($0) * 20)) })
    #expect(page.contains("geofence (250 on this map, of which 200 are drawn)"))
    let names = page.split(separator: "<text class=\"geofence\"", omittingEmptySubsequences: false).count - 1
    #expect((1...MapGeofences.mostNames).contains(names))
  }
}
