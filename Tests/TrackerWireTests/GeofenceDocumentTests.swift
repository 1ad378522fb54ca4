import Testing

@testable import TrackerBase
@testable import TrackerWire

@Suite("Files of geofences")
struct GeofenceDocumentTests {
  private func parse(_ features: String...) throws(GeofenceDocumentError) -> [Geofence] {
    let text =
      #"{"type":"FeatureCollection","name":"areas","features":[\#(features.joined(separator: ","))]}"#
    return try GeofenceDocument.parse(Array(text.utf8), file: "areas.geojson")
  }

  private func errors(_ features: String...) -> [String] {
    let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    return errors(text: text)
  }

  private func errors(text: String) -> [String] {
    do throws(GeofenceDocumentError) {
      _ = try GeofenceDocument.parse(Array(text.utf8), file: "areas.geojson")
      return []
    } catch {
      return error.description.split(separator: "\n").map { String($0) }
    }
  }

  private func circle(_ properties: String, id: String = "") -> String {
    #"{"type":"Feature",\#(id)"geometry":{"type":"Point","coordinates":[8,47,400]},"properties":{\#(properties)}}"#
  }

  private func shape(_ type: String, _ coordinates: String) -> String {
    #"{"type":"Feature","id":1,"geometry":{"type":"\#(type)","coordinates":\#(coordinates)},"properties":null}"#
  }

  private static let ring = "[[8,47],[8.01,47],[8.01,47.01],[8,47.01],[8,47]]"

  @Test("a circle has its defaults, and takes every property")
  func circles() throws {
    let fences = try parse(
      circle(#""id":"plain","radius_m":100,"stroke":"red","notify_on_dwell":null"#),
      circle(
        #"""
        "radius_m":50.5,"notify_on_entry":false,"notify_on_exit":false,"notify_on_dwell":true,"loitering_delay_s":0,
        "extras":{"a":[1,2.5,null,true],"ö":"\"x\"\n"},"expires":"2026-12-31T23:00:00.250+01:00"
        """#, id: #""id":17,"#))
    try #require(fences.map(\.id) == ["plain", "17"])
    let plain = fences[0]
    #expect(plain.shape == .circle(centre: Position(latitude_deg: 47, longitude_deg: 8), radius_m: 100))
    #expect(plain.notifyOnEntry && plain.notifyOnExit && !plain.notifyOnDwell)
    #expect(plain.loiteringDelay_s == 300 && plain.extras.isEmpty && plain.expires_ms == nil)
    let other = fences[1]
    #expect(!other.notifyOnEntry && !other.notifyOnExit && other.notifyOnDwell && other.loiteringDelay_s == 0)
    #expect(other.extras == #"{"a":[1,2.5,null,true],"ö":"\"x\"\n"}"#)
    #expect(other.expires_ms == Int64(1_798_754_400_250))
  }

  @Test("polygons, holes and polygons of several parts")
  func polygons() throws {
    let hole = "[[8.002,47.002],[8.008,47.002],[8.005,47.008]]"
    let island = "[[9,47],[9.01,47],[9,47.01]]"
    let fences = try parse(
      shape("Polygon", "[\(Self.ring),\(hole)]"),
      shape("MultiPolygon", "[[\(Self.ring),\(hole)],[\(island)]]").replacing("\"id\":1", with: "\"id\":2"))
    #expect(fences.map { polygon($0)?.corners } == [7, 10])
  }

  private func polygon(_ fence: Geofence) -> GeofencePolygon? {
    guard case .polygon(let polygon) = fence.shape else { return nil }
    return polygon
  }

  @Test("an empty collection is no geofences")
  func empty() throws { #expect(try parse().isEmpty) }

  @Test("everything that is wrong is reported together, by feature and id, with what to do")
  func together() {
    let found = errors(
      circle(#""id":"a","radius_m":5"#), circle(#""radius_m":50"#), circle(#""id":"a","radius_m":50"#),
      circle(
        #""id":"b","radius_m":50,"notify_on_entry":"yes","loitering_delay_s":-1,"extras":[],"expires":"2026""#
      ),
      circle(#""id":"c""#), circle(#""id":"d","radius_m":50,"notifyOnEntry":true"#),
      shape("LineString", Self.ring), shape("Polygon", "[[[8,47],[8.1,47.1],[8,47]]]"))
    let prefix = "areas.geojson: feature "
    #expect(
      found == [
        prefix + #"1 "a": radius_m must be 10 to 100000"#,
        prefix + "2: has no id: give it one, as a property or beside its type",
        prefix + #"3 "a": feature 1 has the same id: each needs its own"#,
        prefix + #"4 "b": notify_on_entry must be true or false"#,
        prefix + #"4 "b": loitering_delay_s must be 0 to 604800"#,
        prefix + #"4 "b": extras must be a JSON object"#,
        prefix + #"4 "b": expires must be a time with its zone, such as "2026-12-31T22:00:00Z""#,
        prefix + #"5 "c": a Point needs the property radius_m, the circle's radius in metres"#,
        prefix
          + #"6 "d": notifyOnEntry is none of notify_on_entry, notify_on_exit, notify_on_dwell, "#
          + "loitering_delay_s, expires, extras",
        prefix
          + #"7 "1": its geometry must be a Point with the property radius_m, a Polygon or a MultiPolygon"#,
        prefix + #"8 "1": feature 7 has the same id: each needs its own"#,
        prefix + #"8 "1": a ring needs three different corners at least"#,
      ])
  }

  @Test("an id as tools write it: null as a property, or a whole number with a point")
  func ids() throws {
    let outer = circle(#""id":null,"radius_m":50"#, id: #""id":"depot","#)
    #expect(try parse(outer, circle(#""id":12.0,"radius_m":50"#)).map(\.id) == ["depot", "12"])
  }

  @Test("what stands twice is refused where it is ours, and so is a misspelt extras")
  func doubled() {
    let found = errors(
      circle(#""id":"a","radius_m":50,"radius_m":60"#),
      circle(#""id":"b","radius_m":50,"colour":1,"colour":2"#),
      circle(#""id":"c","radius_m":50,"extra":{"order":4711}"#),
      circle(#""id":"d","radius_m":50,"extra_info":{},"extra":"a map tool's""#))
    let prefix = "areas.geojson: feature "
    #expect(
      found == [
        prefix + #"1 "a": has radius_m twice in one object"#,
        prefix
          + #"3 "c": extra is none of notify_on_entry, notify_on_exit, notify_on_dwell, loitering_delay_s, expires, extras"#,
      ])
    let two = #"{"type":"FeatureCollection","features":[],"features":[]}"#
    #expect(errors(text: two) == ["areas.geojson: has features twice: put all into one of them"])
  }

  @Test("a number that no Double holds is refused where it stands, and nothing else is")
  func outOfRange() {
    let found = errors(
      circle(#""id":"a","radius_m":1e400"#), circle(#""id":"b","radius_m":50,"extras":{"n":[1e400]}"#),
      circle(#""id":"c","radius_m":50"#))
    #expect(
      found == [
        #"areas.geojson: feature 1 "a": a Point needs the property radius_m, the circle's radius in metres"#,
        #"areas.geojson: feature 2 "b": extras must not hold a number beyond 1.8e308: nobody can read it"#,
      ])
  }

  @Test(
    "coordinates that are none are refused, and never repeated",
    arguments: [
      "[]", "[[]]", "8", "[[8,47],[8.123456,47]]", "[[[8,47],[\"8.123456\",47],[8,48]]]", "[[[8],[9],[10]]]",
      "null",
    ])
  func coordinates(_ coordinates: String) {
    let found = errors(shape("Polygon", coordinates))
    #expect(found.count == 1 && found[0].hasPrefix("areas.geojson: feature 1 \"1\": "), "\(found)")
    #expect(!found.joined().contains("8.123456"))
  }

  @Test("longitude and latitude in the wrong order are reported where it shows")
  func swapped() {
    let found = errors(shape("Polygon", "[[[47,108],[47.01,108],[47,108.01]]]"))
    #expect(found.count == 1 && found[0].contains("longitude comes first"))
  }

  @Test("a file that is something else says so")
  func otherFiles() {
    // As an editor of long ago saves it.
    let latin = Array("{\"type\":\"M".utf8) + [0xFC] + Array("ller\"}".utf8)
    do throws(GeofenceDocumentError) { _ = try GeofenceDocument.parse(latin, file: "areas.geojson") } catch {
      #expect("\(error)" == "areas.geojson: is not UTF-8: save the file as UTF-8 text")
    }
    #expect(errors(text: "{") == ["areas.geojson: is not JSON; `python3 -m json.tool FILE` says where"])
    let words = "areas.geojson: is not a GeoJSON FeatureCollection with features"
    #expect(errors(text: "[]") == [words] && errors(text: #"{"type":"Feature"}"#) == [words])
    #expect(errors("7") == ["areas.geojson: feature 1: is not a GeoJSON Feature"])
    let large = String(repeating: " ", count: 8_000_001)
    #expect(
      errors(text: large) == [
        "areas.geojson: is larger than 8 MB: simplify the polygons, 5 m are fine enough"
      ])
  }

  @Test("10,000 fences are read, 10,001 are too many")
  func most() throws {
    func document(_ count: Int) -> [UInt8] {
      let features = (0..<count).map { circle(#""id":"\#($0)","radius_m":100"#) }
      return Array(#"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#.utf8)
    }
    #expect(try GeofenceDocument.parse(document(10_000), file: "f").count == 10_000)
    let error = GeofenceDocumentError(
      file: "f", problems: [.init(reason: "has 10001 features, but 10000 geofences are the most")])
    #expect(throws: error) { try GeofenceDocument.parse(document(10_001), file: "f") }
  }

  @Test("extras have a limit, and of very many mistakes the rest is counted")
  func limits() {
    let long = String(repeating: "x", count: 2000)
    #expect(
      errors(circle(#""id":"a","radius_m":50,"extras":{"a":"\#(long)"}"#)).first?.contains("2000 bytes")
        == true)
    let text =
      #"{"type":"FeatureCollection","features":[\#(Array(repeating: "7", count: 60).joined(separator: ","))]}"#
    let found = errors(text: text)
    #expect(found.count == 51 && found.last == "areas.geojson: and 10 more")
  }

  @Test("no text of any kind traps, and an id cannot move the cursor")
  func hostile() {
    let found = errors(circle(#""id":"a\u001b[2J","radius_m":50"#))
    #expect(found.count == 1 && !found[0].unicodeScalars.contains("\u{1B}"))
    #expect(
      errors(circle(#""id":"\#(String(repeating: "y", count: 9999))","radius_m":1e300"#))[0].count < 300)
    #expect(errors(shape("Polygon", "[[[1e308,47],[-1e308,47],[8,47]]]")).count == 1)
  }
}

@Suite("Reading ISO 8601")
struct ISO8601ReadingTests {
  @Test(
    "times with their zone are read",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-12-31T22:00:00Z", 1_798_754_400_000),
      ("2026-12-31T23:00:00+01:00", 1_798_754_400_000), ("2026-12-31T12:30:00.5-09:30", 1_798_754_400_500),
      ("2024-02-29T23:59:60Z", 1_709_251_200_000),
    ] as [(String, Int64)])
  func fine(text: String, expected_ms: Int64) { #expect(ISO8601.unix_ms(text) == Int64(expected_ms)) }

  @Test(
    "anything else is not",
    arguments: [
      "", "2026-12-31", "2026-12-31T22:00Z", "2026-12-31T22:00:00", "2026-12-31 22:00:00Z",
      "2026-02-29T00:00:00Z",
      "2026-12-31T24:00:00Z", "2026-12-31T22:60:00Z", "2026-12-31T22:00:00.Z", "2026-12-31T22:00:00+0100",
      "2026-12-31T22:00:00Zx", "2026-12-31T22:00:00+01:00:00", "２026-12-31T22:00:00Z", "-026-12-31T22:00:00Z",
    ])
  func malformed(_ text: String) { #expect(ISO8601.unix_ms(text) == nil) }

  @Test("what is written is read back")
  func roundTrip() {
    for ms in stride(from: Int64(-62_167_219_200_000), through: 253_402_300_799_999, by: 98_765_432_109) {
      #expect(ISO8601.unix_ms(ISO8601.text(ms: ms)) == Int64(ms))
    }
  }
}
