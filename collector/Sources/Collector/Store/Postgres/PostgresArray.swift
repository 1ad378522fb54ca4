import Foundation

/// A one-dimensional array in the server's own form (`array_send` in its sources): a whole column of records at once.
struct PostgresArray {
  private var bytes: [UInt8]
  private var count: UInt32 = 0
  private var hasNull = false
  private let type: PostgresType

  private static let head_bytes = 20

  private init(_ type: PostgresType, capacity: Int) {
    self.type = type
    bytes = []
    bytes.reserveCapacity(Self.head_bytes + capacity)
    bytes.append(contentsOf: repeatElement(0, count: Self.head_bytes))
  }

  static func integers(_ values: [Int64]) -> [UInt8] {
    var array = PostgresArray(.int8, capacity: values.count * 12)
    for value in values { array.append(value) }
    return array.ended()
  }

  static func doubles(_ values: [Double?]) -> [UInt8] {
    var array = PostgresArray(.float8, capacity: values.count * 12)
    for value in values { array.append(value?.bitPattern) }
    return array.ended()
  }

  static func bools(_ values: [Bool?]) -> [UInt8] {
    var array = PostgresArray(.int2, capacity: values.count * 6)
    for value in values { array.append(value.map { Int16($0 ? 1 : 0) }) }
    return array.ended()
  }

  static func texts(_ values: [String?]) -> [UInt8] {
    var array = PostgresArray(.text, capacity: values.reduce(0) { $0 + 4 + ($1?.utf8.count ?? 0) })
    for value in values { array.append(bytes: value.map(PostgresText.bytes)) }
    return array.ended()
  }

  /// - Parameter type: of the elements; a value of another one is left out as NULL.
  static func column(_ values: [SQLValue], as type: PostgresType) -> [UInt8] {
    var array = PostgresArray(type, capacity: values.count * 16)
    for value in values {
      switch type {
      case .int8: array.append(Int64(sqlValue: value))
      case .int4: array.append(Int64(sqlValue: value).flatMap { Int32(exactly: $0) })
      case .int2: array.append(Int64(sqlValue: value).flatMap { Int16(exactly: $0) })
      case .float8: array.append(Double(sqlValue: value)?.bitPattern)
      case .text: array.append(bytes: String(sqlValue: value).map(PostgresText.bytes))
      case .bytea: array.append(bytes: Data(sqlValue: value).map { Array($0) })
      case .bool, .jsonb: array.append(bytes: nil)
      }
    }
    return array.ended()
  }

  private mutating func append<Number: FixedWidthInteger>(_ number: Number?) {
    count += 1
    guard let number else { return appendNull() }
    put(Int32(MemoryLayout<Number>.size))
    put(number)
  }

  private mutating func append(bytes element: [UInt8]?) {
    count += 1
    guard let element else { return appendNull() }
    put(Int32(element.count))
    bytes += element
  }

  private mutating func appendNull() {
    put(Int32(-1))
    hasNull = true
  }

  private mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  /// With its head: dimensions, whether there are NULLs, type, length and the first index.
  private func ended() -> [UInt8] {
    var bytes = bytes
    let head: [UInt32] = [1, hasNull ? 1 : 0, type.rawValue, count, 1]
    for (place, number) in head.enumerated() {
      withUnsafeBytes(of: number.bigEndian) { bytes.replaceSubrange(place * 4..<place * 4 + 4, with: $0) }
    }
    return bytes
  }
}
