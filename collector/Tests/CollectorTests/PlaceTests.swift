import Foundation
import Testing

@testable import Collector

@Suite("Names of places")
struct PlaceTests {
  private static let towns = Gazetteer(
    Data(
      """
      -35.125\t147.332\tAshmont
      46.950\t7.450\tBern
      47.370\t8.550\tZürich
      47.400\t8.600\tDübendorf

      """.utf8))

  private struct Listed: Decodable {
    var device: String
    var place: PlaceName?
    var site: String?
    var trip_begin: String?
    var trip_distance_m: Double?
    var still_since: String?
  }

  @Test(
    "the nearest town names a place, with distance and direction outside of it, and nothing names the sea",
    arguments: [
      (47.371, 8.551, "Zürich"), (47.39, 8.55, "2.2 km N of Zürich"), (-35.2, 147.332, "8.3 km S of Ashmont"),
      (46.95, 7.55, "7.6 km E of Bern"), (0, 0, nil),
    ] as [(Double, Double, String?)])
  func towns(latitude: Double, longitude: Double, text: String?) {
    let places = Places(Self.towns)
    #expect(places.name(Coordinate(latitude: latitude, longitude: longitude))?.text == text)
  }

  private static let geofences = #"""
    {"type":"FeatureCollection","features":[
      {"type":"Feature","geometry":{"type":"Point","coordinates":[8.55,47.37]},"properties":{"id":"Depot Nord","radius_m":200}},
      {"type":"Feature","properties":{"id":"yard"},"geometry":{"type":"Polygon","coordinates":[
        [[8.60,47.40],[8.62,47.40],[8.62,47.42],[8.60,47.42],[8.60,47.40]],
        [[8.605,47.405],[8.615,47.405],[8.615,47.415],[8.605,47.415],[8.605,47.405]]]}}]}
    """#

  @Test("the fleet's own geofences go before towns, in them and up to 3 km beside them; a hole is outside")
  func fences() async throws {
    try await withCollector(change: { $0.gazetteer = Self.towns }) { client, _ in
      let set = try await client.put(
        "/v1/devices/van-7/config", #"{"settings":{},"geofences":\#(Self.geofences)}"#)
      #expect(set.status == 200, "\(set.text)")
      for (number, (latitude, longitude, text)) in [
        ("47.371", "8.55", "Depot Nord"), ("47.381", "8.55", "1.2 km N of Depot Nord"),
        ("47.402", "8.602", "yard"), ("47.41", "8.61", "0 m N of yard"), ("46.95", "7.451", "Bern"),
      ].enumerated() {
        let minute = String(format: "%02d", number)
        _ = try await client.post(
          body([
            record(
              uuid(UInt64(number + 1)), time: "2026-01-01T00:\(minute):00.000Z", latitude: latitude,
              longitude: longitude)
          ]))
        let vehicle = try #require(try await client.get("/v1/fleet").decoded([Listed].self).first)
        #expect(vehicle.place?.text == text)
      }
      #expect(try await client.get("/v1/geofences").text.contains(#""id":"Depot Nord""#))
    }
  }

  @Test("a geofence of the vehicle's own file is known by its events")
  func ownFile() async throws {
    try await withCollector { client, _ in
      func event(_ number: UInt64, _ action: String) -> String {
        record(uuid(number), time: "2026-01-01T00:0\(number):00.000Z", event: "geofence")
          .replacing(
            #""extras":"""#, with: #""extras":"{\"action\":\"\#(action)\",\"geofence\":\"harbour\"}""#)
      }
      _ = try await client.post(body([event(1, "ENTER")]))
      #expect(try await client.get("/v1/fleet").decoded([Listed].self).first?.place?.text == "harbour")
      _ = try await client.post(body([event(2, "EXIT")]))
      #expect(try await client.get("/v1/fleet").decoded([Listed].self).first?.place == nil)
    }
  }

  @Test("where a vehicle was at a time is its last position before it, with the place in words")
  func atTime() async throws {
    struct Position: Decodable { var latitude: Double?, timestamp: String?, place: PlaceName? }
    try await withCollector(change: { $0.gazetteer = Self.towns }) { client, _ in
      let fixes = [
        record(uuid(1), time: "2026-01-01T00:01:00.000Z", latitude: "47.37", longitude: "8.55"),
        record(uuid(2), time: "2026-01-01T00:03:00.000Z", latitude: "46.95", longitude: "7.45"),
      ]
      _ = try await client.post(body(fixes))
      func position(_ time: String) async throws -> Position {
        try await client.get("/v1/devices/van-7/position?time=2026-01-01T00:\(time):00Z").decoded()
      }
      let found = try await position("02")
      #expect(found.timestamp == "2026-01-01T00:01:00.000Z" && found.place?.text == "Zürich")
      #expect(try await position("04").place?.text == "Bern")
      #expect(try await position("00").latitude == nil)
      #expect(try await client.get("/v1/devices/van-7/position").status == 400)
      #expect(try await client.get("/v1/devices/x/position?time=2026-01-01T00:00:00Z").status == 404)
    }
  }

  @Test("the list has the kilometres of the trip that is under way, and since when a vehicle stands")
  func now() async throws {
    try await withCollector { client, _ in
      func fix(_ number: UInt64, _ longitude: String, isMoving: Bool = true) -> String {
        record(
          uuid(number), time: "2026-01-01T00:0\(number):00.000Z", latitude: "0", longitude: longitude,
          isMoving: isMoving
        ).replacing(#""extras":"""#, with: #""extras":"{\"trip\":1}""#)
      }
      _ = try await client.post(body([fix(1, "8.0"), fix(2, "8.01")]))
      let drives = try #require(try await client.get("/v1/fleet").decoded([Listed].self).first)
      #expect(drives.trip_begin == "2026-01-01T00:01:00.000Z" && drives.still_since == nil)
      #expect(abs((drives.trip_distance_m ?? 0) - Coordinate.degree_m / 100) < 1)
      _ = try await client.post(body([fix(3, "8.01", isMoving: false)]))
      let stands = try #require(try await client.get("/v1/fleet").decoded([Listed].self).first)
      #expect(stands.trip_begin == nil && stands.still_since == "2026-01-01T00:03:00.000Z")
    }
  }
}
