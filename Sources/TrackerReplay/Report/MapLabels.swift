/// Finds free places for labels around what they name. Labels keep their size on every screen, so they are laid
/// out for a telephone; on a wider screen they only get more room.
struct MapLabels {
  struct Box {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    func overlaps(_ other: Box) -> Bool {
      abs(x - other.x) * 2 < width + other.width && abs(y - other.y) * 2 < height + other.height
    }
  }

  /// CSS pixels.
  private static let width = 330.0
  private let height: Double
  private let pixelsPerUnit: Double
  private var taken: [Box] = []

  init(_ plane: MapPlane) {
    pixelsPerUnit = MapLabels.width / Double(MapPlane.width)
    height = Double(plane.height) * pixelsPerUnit
    taken = [Box(x: 60, y: height - 14, width: 120, height: 28), Box(x: 312, y: 18, width: 36, height: 36)]
  }

  /// Pixels from `anchor` to the middle of its label; nil where all is full.
  ///
  /// - Parameter right: where to look first.
  mutating func place(at anchor: PlanePoint, width: Double, height: Double, right: Bool) -> (x: Int, y: Int)?
  {
    let (x, y) = (Double(anchor.x) * pixelsPerUnit, Double(anchor.y) * pixelsPerUnit)
    for ring in 0..<6 {
      for direction in MapLabels.directions {
        let dx = (right ? direction.x : -direction.x) * (width / 2 + 9 + Double(ring) * 18)
        let dy = direction.y * (height / 2 + 9 + Double(ring) * 18)
        let box = Box(x: x + dx, y: y + dy, width: width + 2, height: height + 2)
        guard isInside(box), !taken.contains(where: box.overlaps) else { continue }
        taken.append(box)
        return (Int(dx.rounded()), Int(dy.rounded()))
      }
    }
    return nil
  }

  private func isInside(_ box: Box) -> Bool {
    box.x - box.width / 2 >= 0 && box.x + box.width / 2 <= MapLabels.width
      && box.y - box.height / 2 >= 0 && box.y + box.height / 2 <= height
  }

  /// Above on the preferred side first. Downwards is y.
  private static let directions: [(x: Double, y: Double)] = [
    (0.8, -0.8), (1, 0), (0, -1), (0.8, 0.8), (-0.8, -0.8), (0, 1), (-1, 0), (-0.8, 0.8),
  ]
}
