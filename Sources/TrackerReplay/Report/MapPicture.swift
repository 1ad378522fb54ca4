import TrackerCore

/// The map of one result: what was recorded, what was kept, where it was parked.
///
/// The outer drawing counts in CSS pixels and places its marks by per cent, so that marks and letters have one
/// size on every screen; the inner one stretches.
struct MapPicture {
  let result: ReplayResult
  /// Begins every id, unique on the page.
  let id: String
  private let recorded: [[TrackPoint]]
  private let plane: MapPlane
  let geofences: MapGeofences

  /// More numbers than these would hide the map.
  static let mostNumberedTrips = 40
  /// Up to so many, kept fixes are large dots.
  private static let mostLargeDots = 250
  private static let mostJumps = 200
  /// A map shows at least so much, however little moved.
  private static let least_m = 200.0

  init(_ result: ReplayResult, id: String) {
    self.result = result
    self.id = id
    recorded = result.track.lines(gps: result.gps)
    let shown =
      recorded.joined().map(\.position) + result.kept.map(\.position) + result.stops.map(\.position)
    plane = MapPlane(showing: shown, least_m: max(MapPicture.least_m, 4 * result.stationaryRadius_m))
    geofences = MapGeofences(result.geofences, on: plane)
  }

  var html: HTML {
    var labels = MapLabels(plane)
    let worst = worstMark(&labels)
    return """
      <figure class="map">
      <svg role="img" aria-labelledby="\(id)-map \(id)-map-d" style="aspect-ratio:\(MapPlane.width)/\(plane.height)">
      <title id="\(id)-map">Map of \(result.track.name)</title>
      <desc id="\(id)-map-d">\(description)</desc>
      <svg viewBox="0 0 \(MapPlane.width) \(plane.height)">
      <path class="recorded" d="\(MapLines.path(MapLines.thinned(recorded.map(points))))"/>
      \(geofences.shapes)\(fences)\(keptLines)\(keptDots)</svg>
      \(jumps)\(stops)\(tripMarks(&labels))\(worst)\(geofences.names(&labels, mark: mark))\(scaleBar)
      <g class="north" transform="translate(-20,12)"><svg x="100%" y="0" overflow="visible"><path d="M0 0l5 11l-5-3l-5 3z"/><text y="24">N</text></svg></g>
      </svg>
      \(legend)
      <figcaption>\(caption)</figcaption>
      </figure>

      """
  }

  private func points(_ run: [TrackPoint]) -> [PlanePoint] { run.map { plane.point($0.position) } }

  // MARK: Lines

  /// A line for each trip: nothing joins two of them.
  private var keptLines: HTML {
    let runs = result.trips.map { points(Array(result.kept[keptRange($0)])) }
    let lines = zip(result.trips, MapLines.thinned(runs)).map { trip, run -> HTML in
      """
      <path class="kept" id="\(id)-trip\(trip.id)" d="\(MapLines.path([run]))"><title>\(tooltip(trip))</title></path>

      """
    }
    return HTML(lines)
  }

  private func keptRange(_ trip: ReplayedTrip) -> Range<Int> {
    let first = keptBefore(trip.span.start_ms)
    return first..<max(first, keptBefore(trip.span.end_ms + 1))
  }

  /// How many kept fixes are older.
  private func keptBefore(_ time_ms: Int64) -> Int {
    result.kept.partitioningIndex { $0.time_ms >= time_ms }
  }

  private func tooltip(_ trip: ReplayedTrip) -> String {
    return "Trip \(trip.id), \(result.clock.fromTo(trip.span)), \(ReportText.distance(trip.distance_m))"
  }

  private var keptDots: HTML {
    let dots = MapLines.thinned(dots: points(result.kept))
    let size: HTML = dots.count > MapPicture.mostLargeDots ? " small" : ""
    return "<path class=\"dots\(size)\" d=\"\(MapLines.path(dots.map { [$0] }))\"/>\n"
  }

  private var fences: HTML {
    let radius = Int((result.stationaryRadius_m * plane.unitsPerMetre).rounded())
    return HTML(
      result.stops.map { stop -> HTML in
        let middle = plane.point(stop.position)
        return "<circle class=\"fence\" cx=\"\(middle.x)\" cy=\"\(middle.y)\" r=\"\(radius)\"/>\n"
      })
  }

  // MARK: Marks

  private var stops: HTML {
    HTML(
      result.stops.map { stop -> HTML in
        let times = "Parked \(result.clock.fromTo(stop.span)), \(ReportText.duration(stop.span.length_s))"
        return mark(plane.point(stop.position), "<circle class=\"stop\" r=\"5\"/><title>\(times)</title>")
      })
  }

  private var jumps: HTML {
    let shown = MapLines.thinned(dots: points(result.jumps).filter(plane.shows), most: MapPicture.mostJumps)
    return HTML(shown.map { mark($0, "<use href=\"#cross\" class=\"jump\"/>") })
  }

  private func tripMarks(_ labels: inout MapLabels) -> HTML {
    guard result.trips.count <= MapPicture.mostNumberedTrips else { return "" }
    var leaders: HTML = ""
    var badges: HTML = ""
    for trip in result.trips {
      let kept = result.kept[keptRange(trip)]
      guard let first = kept.first, let last = kept.last else { continue }
      for (point, isStart) in [(first, true), (last, false)] {
        let place = plane.point(point.position)
        guard let offset = labels.place(at: place, width: 18, height: 18, right: isStart) else { continue }
        leaders += mark(place, "<path class=\"leader\" d=\"M0 0L\(offset.x) \(offset.y)\"/>")
        badges += mark(place, badge(trip, isStart: isStart, at: offset))
      }
    }
    return leaders + badges
  }

  private func badge(_ trip: ReplayedTrip, isStart: Bool, at offset: (x: Int, y: Int)) -> HTML {
    let shape: HTML =
      isStart ? "<circle r=\"9\"/>" : "<rect x=\"-8.5\" y=\"-8.5\" width=\"17\" height=\"17\" rx=\"2\"/>"
    let name: HTML = isStart ? "start" : "end"
    return """
      <g class="\(name)" transform="translate(\(offset.x),\(offset.y))">\(shape)<text y="4">\(trip.id)</text>\
      <title>\(name) of trip \(trip.id)</title></g>
      """
  }

  private func worstMark(_ labels: inout MapLabels) -> HTML {
    guard let worst = result.error.worstAt else { return "" }
    let text = "\(fixed(result.error.worst_m, decimals: 1)) m"
    let point = plane.point(worst.position)
    let width = Double(14 + 7 * text.count)
    let right = point.x < MapPlane.width / 2
    let offset = labels.place(at: point, width: width, height: 18, right: right) ?? (0, -18)
    return mark(
      point,
      """
      <path class="worst" d="M0-7L7 0L0 7L-7 0z"/>\
      <text class="worst" x="\(offset.x)" y="\(offset.y + 5)">\(text)</text>\
      <title>worst error, \(result.clock.dateTime(worst.time_ms))</title>
      """)
  }

  private func mark(_ point: PlanePoint, _ content: HTML) -> HTML {
    "<svg x=\"\(plane.left(point))\" y=\"\(plane.top(point))\" overflow=\"visible\">\(content)</svg>\n"
  }

  /// The longest of 1, 2, 5, 10, 20 … metres that takes at most a quarter of the width.
  private var scaleBar: HTML {
    let quarter_m = Double(MapPlane.width) / 4 / plane.unitsPerMetre
    var power = 1.0
    while power * 10 <= quarter_m { power *= 10 }
    let length_m = [5.0, 2, 1].map { $0 * power }.first { $0 <= quarter_m } ?? power
    let share = ReportText.percent(length_m * plane.unitsPerMetre / Double(MapPlane.width))
    let text = length_m < 1000 ? "\(Int(length_m)) m" : "\(Int(length_m / 1000)) km"
    return """
      <g class="scale" transform="translate(12,-12)"><svg y="100%" overflow="visible">\
      <path d="M0-5V0"/><line x2="\(share)"/><svg x="\(share)" overflow="visible"><path d="M0-5V0"/></svg>\
      <text x="6" y="-6">\(text)</text></svg></g>
      """
  }
}
