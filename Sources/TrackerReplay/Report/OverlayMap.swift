import TrackerCore

/// The lines of several settings for one track, on one map.
struct OverlayMap {
  let results: [ReplayResult]
  let id: String

  /// More lines would hide each other.
  static let most = 4
  private static let least_m = 200.0

  init(_ results: [ReplayResult], id: String) {
    self.results = Array(results.prefix(OverlayMap.most))
    self.id = id
  }

  var html: HTML {
    let base = results[0]
    let recorded = base.track.lines(gps: base.gps)
    let shown = recorded.joined().map(\.position) + results.flatMap { $0.kept.map(\.position) }
    let plane = MapPlane(showing: shown, least_m: OverlayMap.least_m)
    let under = MapLines.thinned(recorded.map { $0.map { plane.point($0.position) } })
    let lines = results.enumerated().map { index, result -> HTML in
      let runs = MapLines.thinned(result.keptByTrip.map { $0.map { plane.point($0.position) } })
      return """
        <path class="kept k\(index)" d="\(MapLines.path(runs))"><title>\(result.settingsName)</title></path>

        """
    }
    return """
      <h3>All settings on one map</h3>
      <figure class="map">
      <svg role="img" aria-labelledby="\(id)-map \(id)-map-d" style="aspect-ratio:\(MapPlane.width)/\(plane.height)">
      <title id="\(id)-map">Map of \(base.track.name) with \(counted(results.count, "line"))</title>
      <desc id="\(id)-map-d">\(description)</desc>
      <svg viewBox="0 0 \(MapPlane.width) \(plane.height)">
      <path class="recorded" d="\(MapLines.path(under))"/>
      \(HTML(lines))</svg>
      </svg>
      <ul class="legend">\(legend)</ul>
      <figcaption>The thin line is where the vehicle was; each other one is what the server would draw with these \
      settings. North is up.</figcaption>
      </figure>

      """
  }

  private var description: String {
    results.map { "\($0.settingsName): \(counted($0.kept.count, "kept fix", "kept fixes"))" }
      .joined(separator: ", ") + "."
  }

  private var legend: HTML {
    let items = results.enumerated().map { index, result -> HTML in
      """
      <li><svg width="34" height="18" aria-hidden="true"><path class="kept k\(index)" d="M1 9H33"/></svg>\
      \(result.settingsName)</li>
      """
    }
    return """
      <li><svg width="22" height="18" aria-hidden="true"><path class="recorded" d="M1 9H21"/></svg>recorded</li>\
      \(HTML(items))
      """
  }
}

extension ReplayResult {
  /// The fixes that are kept of each trip.
  var keptByTrip: [[TrackPoint]] {
    trips.map { trip in
      let first = kept.partitioningIndex { $0.time_ms >= trip.span.start_ms }
      let end = kept.partitioningIndex { $0.time_ms > trip.span.end_ms }
      return Array(kept[first..<max(first, end)])
    }
  }
}
