/// Names places: by the fleet's own geofences first, then by towns.
final class Places: Sendable {
  /// A geofence so near gives its name to what is outside of it.
  static let near_m = 3000.0
  /// What is so near to the middle of a town is there.
  static let inTown_m = 1500.0
  /// Another collector may have set geofences meanwhile.
  static let fresh_ms: Int64 = 60_000

  private let gazetteer: Gazetteer?
  private let state = Locked<(fences: [Fence], read_ms: Int64?)>(([], nil))

  init(_ gazetteer: Gazetteer?) { self.gazetteer = gazetteer }

  /// Geofences were set: they are read before the next place is named.
  func changed() { state.with { $0.read_ms = nil } }

  func refresh(from store: any FleetStorage, at now_ms: Int64) async throws {
    if let read_ms = state.with({ $0.read_ms }), abs(now_ms - read_ms) < Self.fresh_ms { return }
    let fences = try await store.geofences().compactMap(Fence.init)
    state.with { $0 = (fences, now_ms) }
  }

  /// - Parameter site: the geofence that the vehicle has said it is in. Its own file's are not known here.
  func name(_ place: Coordinate, in site: String? = nil) -> PlaceName? {
    let fences = state.with { $0.fences }
    if let site, !fences.contains(where: { $0.name == site }) {
      return PlaceName(name: site, kind: .geofence)
    }
    if let fence = fences.filter({ $0.contains(place) }).min(by: { $0.size < $1.size }) {
      return PlaceName(name: fence.name, kind: .geofence)
    }
    let near = fences.map { ($0, $0.middle.metres(to: place)) }.min { $0.1 < $1.1 }
    if let (fence, metres) = near, metres <= Self.near_m {
      return PlaceName(
        name: fence.name, kind: .geofence, distance_m: metres,
        bearing_deg: fence.middle.bearing_deg(to: place))
    }
    guard let (town, middle) = gazetteer?.nearest(to: place) else { return nil }
    let metres = middle.metres(to: place)
    if metres <= Self.inTown_m { return PlaceName(name: town, kind: .town) }
    return PlaceName(name: town, kind: .town, distance_m: metres, bearing_deg: middle.bearing_deg(to: place))
  }
}

/// The fleet as pages and programs see it.
struct FleetReader: Sendable {
  let store: any FleetStorage
  let places: Places
  var silentAfter_ms = FleetClock.usual_ms
  var targetVersion: AgentVersion?
  let now_ms: @Sendable () -> Int64

  /// All vehicles by name, or those of some names.
  func vehicles(named names: Set<ExactName>? = nil) async throws -> [Vehicle] {
    let now_ms = now_ms()
    try await places.refresh(from: store, at: now_ms)
    let all = try await store.vehicles(
      named: names, at: now_ms, silentAfter_ms: silentAfter_ms, target: targetVersion)
    return all.map { vehicle in
      var vehicle = vehicle
      if let latitude = vehicle.latitude, let longitude = vehicle.longitude {
        vehicle.place = places.name(
          Coordinate(latitude: latitude, longitude: longitude), in: vehicle.site)
      }
      return vehicle
    }
  }
}
