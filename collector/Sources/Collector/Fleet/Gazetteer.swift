import Foundation

/// Towns and villages by where they are: GeoNames' places of 1000 inhabitants and more (CC BY 4.0).
///
/// The file has a line a place: latitude, longitude, name, with tabs between; places of one cell of half a degree stand
/// together. It stays in the file's own bytes, and is looked through once, when the first place is asked for.
public final class Gazetteer: Sendable {
  private struct Cell: Hashable {
    var south: Int
    var west: Int
  }

  /// What is farther away names nothing.
  static let farthest_m = 30_000.0

  /// Of one cell. Numbers beside one another: a report looks through millions.
  private struct Towns {
    var latitudes: [Double] = []
    var longitudes: [Double] = []
    var names: [String] = []

    mutating func add(_ line: Data.SubSequence) {
      let fields = line.split(separator: UInt8(ascii: "\t")).map { String(decoding: $0, as: UTF8.self) }
      guard fields.count == 3, let latitude = Double(fields[0]), let longitude = Double(fields[1]) else {
        return
      }
      latitudes.append(latitude)
      longitudes.append(longitude)
      names.append(fields[2])
    }

    /// The place of the nearest one, if it is nearer than `least`, a square of degrees of latitude.
    func nearest(to place: Coordinate, shrink: Double, least: inout Double) -> Int? {
      latitudes.withUnsafeBufferPointer { latitudes in
        longitudes.withUnsafeBufferPointer { longitudes in
          var best: Int?
          var index = 0
          while index < latitudes.count {
            // On a plane: exact enough to say which of them is nearest.
            let north = latitudes[index] - place.latitude
            let east = (longitudes[index] - place.longitude) * shrink
            let square = north * north + east * east
            if square < least { (best, least) = (index, square) }
            index += 1
          }
          return best
        }
      }
    }
  }

  private struct Index {
    var ranges: [Cell: Range<Int>]
    /// Of cells that were asked for; a fleet is in a few of them.
    var towns: [Cell: Towns] = [:]
  }

  private let bytes: Data
  private let index = Locked<Index?>(nil)

  init(_ text: Data) { bytes = text }

  /// Nil where it cannot be read.
  public convenience init?(file: String) {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped) else {
      return nil
    }
    self.init(data)
    // Beside the start, so that the first who asks does not wait.
    Task.detached { [self] in _ = nearest(to: Coordinate(latitude: 0, longitude: 0)) }
  }

  func nearest(to place: Coordinate) -> (name: String, place: Coordinate)? {
    let middle = Self.cell(place)
    let shrink = cos(place.latitude * .pi / 180)
    let best = index.with { index -> (name: String, place: Coordinate)? in
      if index == nil { index = Index(ranges: indexed()) }
      var (best, least) = ((name: String, place: Coordinate)?.none, Double.infinity)
      for south in -1...1 {
        for west in -1...1 {
          let cell = Cell(south: middle.south + south, west: middle.west + west)
          let towns = towns(of: cell, &index)
          guard let found = towns.nearest(to: place, shrink: shrink, least: &least) else { continue }
          best = (
            towns.names[found],
            Coordinate(latitude: towns.latitudes[found], longitude: towns.longitudes[found])
          )
        }
      }
      return best
    }
    guard let best, best.place.metres(to: place) <= Self.farthest_m else { return nil }
    return best
  }

  private func towns(of cell: Cell, _ index: inout Index?) -> Towns {
    if let known = index?.towns[cell] { return known }
    var found = Towns()
    if let range = index?.ranges[cell] {
      for line in bytes[range].split(separator: UInt8(ascii: "\n")) { found.add(line) }
    }
    index?.towns[cell] = found
    return found
  }

  private static func cell(_ place: Coordinate) -> Cell {
    Cell(south: Int((place.latitude * 2).rounded(.down)), west: Int((place.longitude * 2).rounded(.down)))
  }

  /// A line's first two fields are enough to know its cell.
  private func indexed() -> [Cell: Range<Int>] {
    bytes.withUnsafeBytes { raw in
      var cells: [Cell: Range<Int>] = [:]
      var (start, end) = (0, 0)
      while start < raw.count {
        var numbers = [0, 0]
        var field = 0
        var isNegative = false
        end = start
        // Thousandths of a degree, as the file has them: `-35.125`.
        while end < raw.count, field < 2 {
          switch raw[end] {
          case UInt8(ascii: "-"): isNegative = true
          case UInt8(ascii: "\t"):
            if isNegative { numbers[field] = -numbers[field] }
            (field, isNegative) = (field + 1, false)
          case UInt8(ascii: "0")...UInt8(ascii: "9"):
            numbers[field] = numbers[field] * 10 + Int(raw[end] - UInt8(ascii: "0"))
          default: break
          }
          end += 1
        }
        while end < raw.count, raw[end] != UInt8(ascii: "\n") { end += 1 }
        let cell = Cell(south: Self.half(numbers[0]), west: Self.half(numbers[1]))
        cells[cell] = (cells[cell]?.lowerBound ?? start)..<min(end + 1, raw.count)
        start = end + 1
      }
      return cells
    }
  }

  /// Of thousandths.
  private static func half(_ number: Int) -> Int { Int((Double(number) / 500).rounded(.down)) }
}
