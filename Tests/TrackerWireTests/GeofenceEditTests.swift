import Testing
import TrackerBase

@testable import TrackerWire

@Suite("Changes of a file of geofences")
struct GeofenceEditTests {
  private static let a = #"{"type":"Feature","id":"a","geometry":null,"properties":{"x":"]}\"{["}}"#
  private static let b =
    #"{ "type" : "Feature", "properties": {"id": 2.50e1, "note": "é\u00e9"} , "geometry":null }"#
  private static let c = #"{"type":"Feature","properties":{"id":"c"},"geometry":null}"#

  private func file(_ features: String) -> String {
    "{\"crs\":{\"features\":[1]},\n \"feat\\u0075res\" : [\(features)], \"bbox\":[1e0, 2.0]}\r\n"
  }

  private func adding(_ feature: String, to text: String) -> String? {
    GeofenceEdit.adding(feature, to: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  private func removing(_ number: Int, from text: String) -> String? {
    GeofenceEdit.removing(number, from: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("what is added is laid out as what was there, and nothing else changes")
  func add() {
    let lines = "\n\t\(Self.a),\n\t\(Self.b)\n"
    #expect(adding("NEW", to: file(lines)) == file("\n\t\(Self.a),\n\t\(Self.b),\n\tNEW\n"))
    #expect(adding("NEW", to: file("\(Self.a)")) == file("\(Self.a),NEW"))
    #expect(adding("NEW", to: file("  ")) == file("\n    NEW\n  "))
    #expect(
      adding("NEW", to: GeofenceEdit.emptyFile)
        == "{\n  \"type\": \"FeatureCollection\",\n  \"features\": [\n    NEW\n  ]\n}\n")
  }

  @Test("what is removed goes with its comma, and nothing else changes")
  func remove() {
    let all = file("\n  \(Self.a),\n  \(Self.b) , \(Self.c)\n")
    #expect(removing(0, from: all) == file("\n  \(Self.b) , \(Self.c)\n"))
    #expect(removing(1, from: all) == file("\n  \(Self.a),\n  \(Self.c)\n"))
    #expect(removing(2, from: all) == file("\n  \(Self.a),\n  \(Self.b)\n"))
    #expect(removing(3, from: all) == nil)
    #expect(removing(0, from: file("\n  \(Self.a) ")) == file(""))
  }

  @Test(
    "a text that is no collection of features takes none",
    arguments: ["", "[]", "{}", "{\"features\":{}}", "{\"features\":[1,]}", "{\"a\":1 \"features\":[]}"])
  func noCollection(_ text: String) {
    #expect(adding("NEW", to: text) == nil)
    #expect(removing(0, from: text) == nil)
  }

  @Test("ids are those by which the file is read")
  func ids() {
    let text = #"{"features":[\#(Self.a),{"id":17},{"id":"x","properties":{"id":"y"}},{},{"id":null}]}"#
    #expect(GeofenceEdit.ids(in: Array(text.utf8)) == ["a", "17", "y", nil, nil])
    #expect(GeofenceEdit.ids(in: Array("[".utf8)) == [])
  }

  @Test("a feature that is made reads back as what was asked for")
  func features() throws {
    var circle = GeofenceFeature(
      id: "a \"b\" é",
      shape: .circle(centre: Position(latitude_deg: -33.86, longitude_deg: 151.21), radius_m: 150))
    let square = [(47.0, 8.0), (47, 8.01), (47.01, 8.01), (47.01, 8)].map {
      Position(latitude_deg: $0.0, longitude_deg: $0.1)
    }
    var polygon = GeofenceFeature(id: "p", shape: .polygon(square))
    #expect(circle.json.contains(#""properties":{"id":"a \"b\" é","radius_m":150}"#))
    (circle.notifyOnEntry, circle.notifyOnExit, circle.notifyOnDwell) = (false, false, true)
    (circle.loiteringDelay_s, circle.expires) = (12.5, "2026-12-31T22:00:00Z")
    polygon.extras = .object([JSONMember(key: "order", value: .integer(4711))])
    var bytes = Array(GeofenceEdit.emptyFile.utf8)
    for feature in [circle, polygon] { bytes = try #require(GeofenceEdit.adding(feature.json, to: bytes)) }
    let fences = try GeofenceDocument.parse(bytes, file: "x")
    try #require(fences.map(\.id) == ["a \"b\" é", "p"])
    #expect(
      fences[0].shape
        == .circle(centre: Position(latitude_deg: -33.86, longitude_deg: 151.21), radius_m: 150))
    #expect(!fences[0].notifyOnEntry && !fences[0].notifyOnExit && fences[0].notifyOnDwell)
    #expect(fences[0].loiteringDelay_s == 12.5 && fences[0].expires_ms == 1_798_754_400_000)
    #expect(fences[1].notifyOnEntry && fences[1].notifyOnExit && fences[1].extras == #"{"order":4711}"#)
    let inside = try GeofencePolygon(rings: [square])
    #expect(fences[1].shape == .polygon(inside))
  }

  /// 0.01° of latitude are 1111.95 m on this sphere.
  @Test("the list has shapes, areas and events; the test has the nearest edges first")
  func reports() throws {
    let ring = "[[8,47],[8.01,47],[8.01,47.01],[8,47.01],[8,47]]"
    let hole = "[[8.002,47.002],[8.008,47.002],[8.008,47.008],[8.002,47.008],[8.002,47.002]]"
    let features = [
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[8,47]},"properties":{"id":"depot","radius_m":150}}"#,
      #"{"type":"Feature","geometry":{"type":"Polygon","coordinates":[\#(ring),\#(hole)]},"properties":"#
        + #"{"id":"half","notify_on_entry":false,"notify_on_exit":false,"notify_on_dwell":true}}"#,
      #"{"type":"Feature","geometry":{"type":"Polygon","coordinates":[\#(ring)]},"properties":"#
        + #"{"id":"all","notify_on_entry":false,"notify_on_exit":false,"expires":"2026-01-01T00:00:00Z"}}"#,
    ]
    let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    let fences = try GeofenceDocument.parse(Array(text.utf8), file: "x")
    #expect(
      GeofenceReport.list(fences, at: 1_700_000_000_000) == """
        id     shape             area       reported
        depot  circle of 150 m   70686 m²   ENTER, EXIT
        half   polygon, 8 edges  539627 m²  DWELL after 300 s
        all    polygon, 4 edges  843167 m²  nothing, until 2026-01-01T00:00:00.000Z

        """)
    let place = Position(latitude_deg: 47.005, longitude_deg: 8.005)
    #expect(
      GeofenceReport.test(fences, at: place, 1_800_000_000_000) == """
        inside   all    379 m from the edge  expired
        outside  half   227 m from the edge
        outside  depot  523 m from the edge

        """)
  }

  @Test("areas on the sphere: small, large, and around a pole")
  func areas() throws {
    func area_km2(_ corners: (Double, Double)...) throws -> Double {
      let ring = corners.map { Position(latitude_deg: $0.0, longitude_deg: $0.1) }
      return try GeofencePolygon(rings: [ring]).area_m2 / 1e6
    }
    // An octant and a cap of the sphere of 6371.0088 km.
    #expect(abs(try area_km2((0, 0), (0, 45), (0, 90), (90, 0)) / 63_758_235.1 - 1) < 1e-3)
    #expect(abs(try area_km2((60, 0), (60, 120), (60, -120)) / 34_167_935.2 - 1) < 1e-6)
    #expect(abs(try area_km2((-60, 0), (-60, 120), (-60, -120)) / 34_167_935.2 - 1) < 1e-6)
    let north = try area_km2((47, 8), (47, 8.01), (47.01, 8.01), (47.01, 8))
    #expect(abs(north / 0.84316744 - 1) < 1e-6)
    #expect(
      abs(try area_km2((-47, 179.995), (-47, -179.995), (-47.01, -179.995), (-47.01, 179.995)) / north - 1)
        < 1e-9)
  }
}
