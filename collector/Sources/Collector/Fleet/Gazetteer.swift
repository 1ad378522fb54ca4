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

  private let bytes: Data
  private let cells = Locked<[Cell: Range<Int>]?>(nil)

  init(_ text: Data) { bytes = text }

  /// Nil where it cannot be read.
  public convenience init?(file: String) {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped) else {
      return nil
    }
    self.init(data)
  }

  func nearest(to place: Coordinate) -> (name: String, place: Coordinate)? {
    let cells = cells.with { cells in
      let all = cells ?? indexed()
      cells = all
      return all
    }
    let middle = Self.cell(place)
    var best: (name: String, place: Coordinate, metres: Double)?
    for south in -1...1 {
      for west in -1...1 {
        let cell = Cell(south: middle.south + south, west: middle.west + west)
        for line in cells[cell].map({ bytes[$0].split(separator: UInt8(ascii: "\n")) }) ?? [] {
          guard let (name, there) = Self.place(line) else { continue }
          let metres = there.metres(to: place)
          if metres < best?.metres ?? Self.farthest_m { best = (name, there, metres) }
        }
      }
    }
    return best.map { ($0.name, $0.place) }
  }

  private static func cell(_ place: Coordinate) -> Cell {
    Cell(south: Int((place.latitude * 2).rounded(.down)), west: Int((place.longitude * 2).rounded(.down)))
  }

  private static func place(_ line: Data.SubSequence) -> (String, Coordinate)? {
    let fields = line.split(separator: UInt8(ascii: "\t"))
    guard fields.count == 3, let latitude = number(fields[0]), let longitude = number(fields[1]) else {
      return nil
    }
    return (
      String(decoding: fields[2], as: UTF8.self), Coordinate(latitude: latitude, longitude: longitude)
    )
  }

  private static func number(_ digits: Data.SubSequence) -> Double? {
    Double(String(decoding: digits, as: UTF8.self))
  }

  /// A line's first two fields are enough to know its cell.
  private func indexed() -> [Cell: Range<Int>] {
    bytes.withUnsafeBytes { raw in
      var cells: [Cell: Range<Int>] = [:]
      var (start, index) = (0, 0)
      while start < raw.count {
        var numbers = [0, 0]
        var field = 0
        var isNegative = false
        index = start
        // Thousandths of a degree, as the file has them: `-35.125`.
        while index < raw.count, field < 2 {
          switch raw[index] {
          case UInt8(ascii: "-"): isNegative = true
          case UInt8(ascii: "\t"):
            if isNegative { numbers[field] = -numbers[field] }
            (field, isNegative) = (field + 1, false)
          case UInt8(ascii: "0")...UInt8(ascii: "9"):
            numbers[field] = numbers[field] * 10 + Int(raw[index] - UInt8(ascii: "0"))
          default: break
          }
          index += 1
        }
        while index < raw.count, raw[index] != UInt8(ascii: "\n") { index += 1 }
        let cell = Cell(south: Self.half(numbers[0]), west: Self.half(numbers[1]))
        cells[cell] = (cells[cell]?.lowerBound ?? start)..<min(index + 1, raw.count)
        start = index + 1
      }
      return cells
    }
  }

  /// Of thousandths.
  private static func half(_ number: Int) -> Int { Int((Double(number) / 500).rounded(.down)) }
}
