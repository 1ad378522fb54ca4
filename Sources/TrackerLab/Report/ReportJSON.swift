import TrackerBase
import TrackerWire

/// What the report's script draws. The page and this are made together, so the form may change at any time; programs
/// read `ReplayJSON`. A point is `[seconds since the start, latitude, longitude, m/s]`, without a speed that is not
/// known.
enum ReportJSON {
  /// More points are not drawn of a line.
  static let mostPoints = 20_000

  static func text(_ results: [ReplayResult], isSweep: Bool) -> String {
    JSONWriter.object { json in
      json.member("is_sweep", isSweep)
      let changed = results.flatMap(\.changedSettings)
      json.object("defaults") { json in
        for line in SettingsListing.lines(of: Settings())
        where changed.contains(where: { $0.hasPrefix(line.key + " ") }) {
          json.key(line.key)
          json.string(line.value)
        }
      }
      json.array("tracks", byTrack(results)) { track, json in
        json.beginArray()
        for (index, result) in track.enumerated() {
          // The line of one recording is the same for all settings that take the same fixes.
          write(result, hasOwnLine: index == 0 || result.gps != track[0].gps, to: &json)
        }
        json.endArray()
      }
    }
  }

  /// The results of each track.
  private static func byTrack(_ results: [ReplayResult]) -> [[ReplayResult]] {
    results.reduce(into: []) { tracks, result in
      // Files in two folders may have one name.
      let same = tracks.firstIndex { $0[0].track.name == result.track.name && $0[0].span == result.span }
      if let same { tracks[same].append(result) } else { tracks.append([result]) }
    }
  }

  private static func write(_ result: ReplayResult, hasOwnLine: Bool, to json: inout JSONWriter) {
    let start_ms = result.span.start_ms
    json.beginObject()
    json.key("result")
    ReplayJSON.write(result, withLines: false, to: &json)
    json.object("zone") { write(zoneOf: result, to: &$0) }
    json.array("figures", result.figures) { figure, json in
      json.beginArray()
      for text in [figure.label, figure.unit, figure.text] { json.string(text) }
      json.endArray()
    }
    let recorded = result.track.lines(gps: result.gps)
    if hasOwnLine {
      json.array("recorded", recorded.thinned(most: mostPoints)) { line, json in
        json.beginArray()
        for point in line { json.point(point, since: start_ms) }
        json.endArray()
      }
    }
    let isMuch = result.kept.count > mostPoints
    json.array("kept", isMuch ? [result.kept].thinned(most: mostPoints)[0] : result.kept) {
      $1.point($0, since: start_ms)
    }
    if let worst = result.error.worstAt {
      json.key("worst")
      json.point(worst, since: start_ms)
    }
    json.array("stops", result.stops) { stop, json in
      json.numbers([Double(stop.span.start_ms), Double(stop.span.end_ms)], stop.position)
    }
    json.member("stationary_radius_m", result.stationaryRadius_m)
    let shown = recorded.joined().map(\.position) + result.kept.map(\.position)
    json.array("geofences", geofences(of: result, near: shown)) { $1.geofence($0) }
    json.array("requests", result.requests) { request, json in
      json.numbers([Double(request.span.start_ms - start_ms) / 1000, request.isDelivered ? 1 : 0])
    }
    json.endObject()
  }

  /// The offsets from UTC of the recording's time and a little around it: `[from, seconds]`.
  private static func write(zoneOf result: ReplayResult, to json: inout JSONWriter) {
    var from_s = (result.span.start_ms - 86_400_000).flooredDivision(by: 1000)
    let end_s = (result.span.end_ms + 86_400_000).flooredDivision(by: 1000)
    var starts_s = [from_s]
    while let next_s = result.zone.nextTransition(after: from_s), next_s < end_s {
      starts_s.append(next_s)
      from_s = next_s
    }
    json.member("name", result.zoneName)
    json.array("offsets", starts_s) { start_s, json in
      json.numbers([Double(start_s * 1000), Double(result.zone.offset_s(at: start_s))])
    }
  }

  /// Those with an edge on the map or just beside it.
  private static func geofences(of result: ReplayResult, near shown: [Position]) -> [Geofence] {
    guard let first = shown.first, !result.geofences.isEmpty else { return [] }
    let reach_m = 1.5 * (shown.map { first.distance_m(to: $0) }.max() ?? 0) + 500
    return result.geofences.filter { abs($0.depth_m(of: first)) < reach_m }
  }
}

extension JSONWriter {
  mutating func array<Element>(
    _ key: String, _ elements: [Element], _ write: (Element, inout JSONWriter) -> Void
  ) {
    self.key(key)
    beginArray()
    for element in elements { write(element, &self) }
    endArray()
  }

  fileprivate mutating func point(_ point: TrackPoint, since start_ms: Int64) {
    numbers([Double(point.time_ms - start_ms) / 1000], point.position, point.speed_mps)
  }

  /// With a place to a tenth of a metre, and a speed to a tenth of a metre a second.
  fileprivate mutating func numbers(_ values: [Double], _ place: Position? = nil, _ speed_mps: Double? = nil)
  {
    beginArray()
    for value in values { number(value) }
    if let place {
      raw(fixed(place.latitude_deg, decimals: 6))
      raw(fixed(place.longitude_deg, decimals: 6))
    }
    if let speed_mps, speed_mps.isFinite { raw(fixed(speed_mps, decimals: 1)) }
    endArray()
  }

  /// A circle is the one point of its line, with a radius.
  fileprivate mutating func geofence(_ geofence: Geofence) {
    beginObject()
    member("id", geofence.id)
    let lines: [[Position]]
    switch geofence.shape {
    case .polygon(let polygon): lines = polygon.lines
    case .circle(let centre, let radius_m):
      lines = [[centre]]
      member("radius_m", radius_m)
    }
    array("lines", lines) { line, json in
      json.beginArray()
      for position in line { json.numbers([], position) }
      json.endArray()
    }
    endObject()
  }
}
