import TrackerCore
import TrackerWire

/// What the report's map shows of one result. A point is `[seconds since the start, latitude, longitude, m/s]`, without
/// the speed where none is known.
struct ReportMap {
  let result: ReplayResult

  /// More points are not drawn of a line, nor more jumps and geofences on a map.
  static let mostPoints = 20_000
  static let mostJumps = 500
  static let mostGeofences = 200

  init(_ result: ReplayResult) { self.result = result }

  /// - Parameter hasRecorded: with the recorded line, which results of one track may share.
  func write(hasRecorded: Bool, to json: inout JSONWriter) {
    let recorded = result.track.lines(gps: result.gps)
    if hasRecorded {
      json.array("recorded", RecordedLine.thinned(recorded, most: ReportMap.mostPoints)) { line, json in
        json.beginArray()
        for point in line { write(point, to: &json) }
        json.endArray()
      }
    }
    json.array("kept", kept) { write($0, to: &$1) }
    let step = max(1, result.jumps.count / ReportMap.mostJumps)
    let jumps = stride(from: 0, to: result.jumps.count, by: step).map { result.jumps[$0] }
    json.array("jumps", jumps) { write(LinePoint($0), to: &$1) }
    json.member("jump_count", result.jumps.count)
    if let worst = result.error.worstAt {
      json.key("worst")
      write(LinePoint(worst), to: &json)
    }
    json.array("stops", result.stops) { stop, json in
      json.beginArray()
      json.integer(stop.span.start_ms)
      json.integer(stop.span.end_ms)
      write(stop.position, to: &json)
      json.endArray()
    }
    json.member("stationary_radius_m", result.stationaryRadius_m)
    write(geofencesNear: recorded.joined().map(\.position) + result.kept.map(\.position), to: &json)
  }

  /// All, or of very many those that the lines of the trips need.
  private var kept: [LinePoint] {
    guard result.kept.count > ReportMap.mostPoints else { return result.kept.map { LinePoint($0) } }
    let trips = result.trips.map { trip in
      result.kept.filter { (trip.span.start_ms...trip.span.end_ms).contains($0.time_ms) }
        .map { LinePoint($0) }
    }
    return Array(RecordedLine.thinned(trips, most: ReportMap.mostPoints).joined())
  }

  // MARK: Geofences

  /// Those whose edge is on the map, or just beside it.
  private func write(geofencesNear shown: [Position], to json: inout JSONWriter) {
    json.member("has_geofences", !result.geofences.isEmpty)
    guard !result.geofences.isEmpty, let first = shown.first else { return }
    let east_deg = shown.map { first.eastward_deg(to: $0) }
    let north_deg = shown.map(\.latitude_deg)
    let (west, east) = (east_deg.min() ?? 0, east_deg.max() ?? 0)
    let (south, north) = (north_deg.min() ?? 0, north_deg.max() ?? 0)
    let middle = Position(
      latitude_deg: (south + north) / 2, longitude_deg: first.longitude_deg + (west + east) / 2)
    let corner = Position(latitude_deg: south, longitude_deg: first.longitude_deg + west)
    let reach_m = 1.5 * middle.distance_m(to: corner) + 500
    let near = result.geofences.filter { abs($0.depth_m(of: middle)) < reach_m }
    json.member("geofences_near", near.count)
    json.array("geofences", Array(near.prefix(ReportMap.mostGeofences))) { write($0, to: &$1) }
  }

  private func write(_ geofence: Geofence, to json: inout JSONWriter) {
    json.beginObject()
    json.member("id", geofence.id)
    switch geofence.shape {
    case .circle(let centre, let radius_m):
      json.key("centre")
      json.beginArray()
      write(centre, to: &json)
      json.endArray()
      json.member("radius_m", radius_m)
    case .polygon(let polygon):
      json.array("lines", polygon.lines) { line, json in
        json.beginArray()
        for position in line {
          json.beginArray()
          write(position, to: &json)
          json.endArray()
        }
        json.endArray()
      }
    }
    json.endObject()
  }

  // MARK: Points

  private func write(_ point: LinePoint, to json: inout JSONWriter) {
    json.beginArray()
    json.seconds(point.time_ms - result.span.start_ms)
    write(point.position, to: &json)
    if let speed_mps = point.speed_mps { json.fixed(speed_mps, decimals: 1) }
    json.endArray()
  }

  /// To a tenth of a metre.
  private func write(_ position: Position, to json: inout JSONWriter) {
    json.fixed(position.latitude_deg, decimals: 6)
    json.fixed(position.longitude_deg, decimals: 6)
  }
}
