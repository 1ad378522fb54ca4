/// Finds free places for labels around what they name. Labels keep their size on every screen, so a place must be
/// free on a telephone and on a desk.
struct MapLabels {
  struct Box {
    /// Of the middle.
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    func overlaps(_ other: Box) -> Bool {
      abs(x - other.x) * 2 < width + other.width && abs(y - other.y) * 2 < height + other.height
    }
  }

  /// The map at one width, in CSS pixels.
  private struct Layout {
    let pixelsPerUnit: Double
    let width: Double
    let height: Double
    var taken: [Box]

    init(_ plane: MapPlane, width: Double) {
      self.width = width
      pixelsPerUnit = width / Double(MapPlane.width)
      height = Double(plane.height) * pixelsPerUnit
      // Scale bar and north arrow.
      taken = [
        Box(x: width / 7, y: height - 16, width: width / 3.5, height: 32),
        Box(x: width - 20, y: 20, width: 40, height: 40),
      ]
    }

    func box(at anchor: PlanePoint, _ dx: Double, _ dy: Double, width: Double, height: Double) -> Box {
      Box(
        x: Double(anchor.x) * pixelsPerUnit + dx, y: Double(anchor.y) * pixelsPerUnit + dy, width: width + 2,
        height: height + 2)
    }

    func isFree(_ box: Box) -> Bool {
      let isInside =
        box.x - box.width / 2 >= 0 && box.x + box.width / 2 <= width && box.y - box.height / 2 >= 0
        && box.y + box.height / 2 <= height
      return isInside && !taken.contains(where: box.overlaps)
    }
  }

  private var layouts: [Layout]

  init(_ plane: MapPlane) { layouts = [330, 1100].map { Layout(plane, width: $0) } }

  /// Pixels from `anchor` to the middle of its label; nil where all is full.
  ///
  /// - Parameter right: where to look first.
  mutating func place(at anchor: PlanePoint, width: Double, height: Double, right: Bool) -> (x: Int, y: Int)?
  {
    for ring in 0..<6 {
      for direction in MapLabels.directions {
        let dx = (right ? direction.x : -direction.x) * (width / 2 + 9 + Double(ring) * 18)
        let dy = direction.y * (height / 2 + 9 + Double(ring) * 18)
        let boxes = layouts.map { $0.box(at: anchor, dx, dy, width: width, height: height) }
        guard zip(layouts, boxes).allSatisfy({ $0.isFree($1) }) else { continue }
        for index in layouts.indices { layouts[index].taken.append(boxes[index]) }
        return (Int(dx.rounded()), Int(dy.rounded()))
      }
    }
    return nil
  }

  /// Above on the preferred side first. Downwards is y.
  private static let directions: [(x: Double, y: Double)] = [
    (0.8, -0.8), (1, 0), (0, -1), (0.8, 0.8), (-0.8, -0.8), (0, 1), (-1, 0), (-0.8, 0.8),
  ]
}
