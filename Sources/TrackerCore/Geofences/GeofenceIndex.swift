/// Which of thousands of boxes may hold a position: a pyramid of grids, each twice as fine as the one above. A box
/// lies in the finest grid whose cells are not smaller than it is, so in four cells at the most; a position lies in
/// one cell of each grid.
///
/// Built in O(n log n); a look costs one binary search a grid, and the boxes of the cells it finds.
struct GeofenceIndex: Equatable, Sendable {
  private struct Entry: Equatable {
    var cell: UInt64
    var box: Int
  }

  /// 360° / 2^16: 600 m.
  private static let finest = 16

  /// By cell.
  private let entries: [Entry]
  /// Grids that have a box.
  private let grids: [Int]

  init(_ boxes: [GeoBox]) {
    var entries: [Entry] = []
    var grids: Set<Int> = []
    for (number, box) in boxes.enumerated() {
      let grid = GeofenceIndex.grid(of: box)
      grids.insert(grid)
      var cells: Set<UInt64> = []
      for latitude_deg in [box.south_deg, box.north_deg] {
        for longitude_deg in [box.west_deg, wrapped(box.west_deg + box.width_deg)] {
          let position = Position(latitude_deg: latitude_deg, longitude_deg: longitude_deg)
          cells.insert(GeofenceIndex.cell(of: position, grid: grid))
        }
      }
      entries += cells.map { Entry(cell: $0, box: number) }
    }
    self.entries = entries.sorted { ($0.cell, $0.box) < ($1.cell, $1.box) }
    self.grids = grids.sorted()
  }

  /// Calls `look` with the number of each box that may hold `position`, each once.
  func visit(_ position: Position, _ look: (Int) -> Void) {
    for grid in grids {
      let cell = GeofenceIndex.cell(of: position, grid: grid)
      var index = firstEntry(of: cell)
      while index < entries.count, entries[index].cell == cell {
        look(entries[index].box)
        index += 1
      }
    }
  }

  private func firstEntry(of cell: UInt64) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].cell < cell { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func grid(of box: GeoBox) -> Int {
    let side_deg = max(box.width_deg, box.north_deg - box.south_deg)
    var (grid, cell_deg) = (0, 360.0)
    while grid < finest, cell_deg / 2 >= side_deg {
      grid += 1
      cell_deg /= 2
    }
    return grid
  }

  private static func cell(of position: Position, grid: Int) -> UInt64 {
    let columns = UInt64(1) << UInt64(grid)
    let cellsPerDegree = Double(columns) / 360
    let column = UInt64(saturating: max(0, (position.longitude_deg + 180) * cellsPerDegree)) % columns
    let row = UInt64(saturating: max(0, (position.latitude_deg + 90) * cellsPerDegree)) & 0xFF_FFFF
    return UInt64(grid) << 48 | row << 24 | column
  }
}
