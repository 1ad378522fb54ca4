import TrackerCore

/// The user's geofences, as far as the map shows them: circles, and the edges of polygons.
struct MapGeofences {
  /// More would hide the map; the legend says how many there are.
  static let most = 200
  /// More names would hide it too; the others show when pointed at.
  static let mostNames = 12

  private enum Outline {
    case circle(x: Int, y: Int, radius: Int)
    case lines([[PlanePoint]])
  }

  private let plane: MapPlane
  private var drawn: [(name: String, outline: Outline, anchor: PlanePoint)] = []
  /// That the map would show, drawn or not.
  private(set) var visible = 0

  init(_ geofences: [Geofence], on plane: MapPlane) {
    self.plane = plane
    for geofence in geofences {
      guard let (outline, anchor) = outline(of: geofence.shape) else { continue }
      visible += 1
      if drawn.count < MapGeofences.most { drawn.append((geofence.id, outline, anchor)) }
    }
  }

  var isEmpty: Bool { drawn.isEmpty }

  var legend: String {
    let drawnOnly = visible > drawn.count ? ", of which \(drawn.count) are drawn" : ""
    return "geofence (\(visible) on this map\(drawnOnly))"
  }

  var shapes: HTML {
    HTML(
      drawn.map { name, outline, _ -> HTML in
        let title: HTML = "<title>geofence \(name)</title>"
        switch outline {
        case .circle(let x, let y, let radius):
          return "<circle class=\"geofence\" cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\">\(title)</circle>\n"
        case .lines(let lines):
          return "<path class=\"geofence\" d=\"\(MapLines.path(lines))\">\(title)</path>\n"
        }
      })
  }

  /// Names where there is room for them.
  func names(_ labels: inout MapLabels, mark: (PlanePoint, HTML) -> HTML) -> HTML {
    var names: HTML = ""
    for (name, _, anchor) in drawn.prefix(MapGeofences.mostNames) {
      let text = name.count > 20 ? "\(name.prefix(19))…" : name
      let width = Double(8 + 7 * text.count)
      guard let place = labels.place(at: anchor, width: width, height: 16, right: true) else { continue }
      names += mark(anchor, "<text class=\"geofence\" x=\"\(place.x)\" y=\"\(place.y + 4)\">\(text)</text>")
    }
    return names
  }

  // MARK: Parts

  /// What the map shows of it, and a point of that for the name; nil for nothing.
  private func outline(of shape: Geofence.Shape) -> (Outline, PlanePoint)? {
    switch shape {
    case .circle(let centre, let radius_m):
      let (x, y) = plane.exact([centre])[0]
      let radius = radius_m * plane.unitsPerMetre
      let nearest = plane.nearest(x, y)
      let (dx, dy) = (x - Double(nearest.x), y - Double(nearest.y))
      guard dx * dx + dy * dy < radius * radius else { return nil }
      return (
        .circle(x: Int(x.rounded()), y: Int(y.rounded()), radius: max(1, Int(radius.rounded()))), nearest
      )
    case .polygon(let polygon):
      let lines = MapLines.thinned(polygon.lines.flatMap { plane.clipped(plane.exact($0)) })
      guard let anchor = lines.first?.first else { return nil }
      return (.lines(lines), anchor)
    }
  }
}

extension MapPlane {
  /// In units, however far outside; the line goes on across the antimeridian.
  func exact(_ line: [Position]) -> [(x: Double, y: Double)] {
    guard var last = line.first else { return [] }
    var east_deg = originEastward_deg(to: last)
    return line.map { position in
      east_deg += last.eastward_deg(to: position)
      last = position
      return exact(east_deg: east_deg, latitude_deg: position.latitude_deg)
    }
  }

  /// The picture's point that is nearest to a place.
  func nearest(_ x: Double, _ y: Double) -> PlanePoint {
    PlanePoint(
      x: Int(min(max(x, 0), Double(MapPlane.width))), y: Int(min(max(y, 0), Double(height))))
  }

  /// The pieces of a line that lie in the picture.
  func clipped(_ line: [(x: Double, y: Double)]) -> [[PlanePoint]] {
    var pieces: [[PlanePoint]] = []
    var isOpen = false
    for (from, to) in zip(line, line.dropFirst()) {
      guard let inside = sharesInside(from, to) else {
        isOpen = false
        continue
      }
      let at = { (share: Double) in
        self.nearest(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y))
      }
      if !isOpen || inside.lowerBound > 0 { pieces.append([at(inside.lowerBound)]) }
      pieces[pieces.count - 1].append(at(inside.upperBound))
      isOpen = inside.upperBound == 1
    }
    return pieces
  }

  /// From which to which share of the way an edge lies in the picture (Liang and Barsky, 1984).
  private func sharesInside(_ from: (x: Double, y: Double), _ to: (x: Double, y: Double))
    -> ClosedRange<Double>?
  {
    var (enters, leaves) = (0.0, 1.0)
    let sides = [
      (from.x, to.x - from.x, Double(MapPlane.width)), (from.y, to.y - from.y, Double(height)),
    ]
    for (start, way, end) in sides {
      if way == 0 {
        guard (0...end).contains(start) else { return nil }
        continue
      }
      let (one, other) = (-start / way, (end - start) / way)
      enters = max(enters, min(one, other))
      leaves = min(leaves, max(one, other))
    }
    return enters < leaves ? enters...leaves : nil
  }
}
