import Clibpq
import Foundation

/// What libpq takes for the places of a statement. Numbers and texts go as text, so that the server finds the type by the
/// column beside; blobs and arrays go as they are in its own form.
struct PostgresArguments {
  private var bytes: [UInt8] = []
  private var places: [Place?] = []

  private struct Place {
    var offset: Int
    var length: Int32
    var isBinary: Bool
  }

  init() {}

  init(_ values: [(any SQLConvertible)?]) {
    for value in values { append(value?.sqlValue ?? .null) }
  }

  mutating func append(_ value: SQLValue) {
    switch value {
    case .null: places.append(nil)
    case .integer(let number): append(text: String(number))
    case .real(let number): append(text: String(number))
    case .text(let text): append(text: text)
    case .blob(let data): append(binary: Array(data))
    }
  }

  mutating func append(binary: [UInt8]) {
    places.append(Place(offset: bytes.count, length: Int32(binary.count), isBinary: true))
    bytes += binary
    // An empty one has an address all the same.
    bytes.append(0)
  }

  private mutating func append(text: String) {
    let offset = bytes.count
    bytes += PostgresText.bytes(of: text)
    places.append(Place(offset: offset, length: Int32(bytes.count - offset), isBinary: false))
    bytes.append(0)
  }

  /// Calls `body` with what PQexecPrepared takes.
  func with<Result>(
    _ body: (
      _ count: Int32, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
    ) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { all in
      let base = all.baseAddress?.assumingMemoryBound(to: CChar.self)
      let values = places.map { place in place.flatMap { place in base.map { $0 + place.offset } } }
      return body(
        Int32(places.count), values, places.map { $0?.length ?? 0 },
        places.map { $0?.isBinary == true ? 1 : 0 })
    }
  }
}

enum PostgresText {
  /// PostgreSQL takes every character but U+0000; the replacement character stands for it.
  static func bytes(of text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    return bytes.contains(0) ? Array(plain(text).utf8) : bytes
  }

  static func plain(_ text: String) -> String { text.replacing("\0", with: "\u{FFFD}") }
}

/// A one-dimensional array in the server's own form (`array_send` in its sources): a whole column of records at once.
struct PostgresArray {
  private(set) var bytes: [UInt8] = []
  private var count: Int32 = 0
  private var hasNull = false
  private let type: UInt32

  private init(_ type: PostgresType, capacity: Int) {
    self.type = type.rawValue
    bytes.reserveCapacity(20 + capacity)
    bytes = [UInt8](repeating: 0, count: 20)
  }

  static func integers(_ values: [Int64]) -> [UInt8] {
    var array = PostgresArray(.int8, capacity: values.count * 12)
    for value in values { array.append(bits: UInt64(bitPattern: value)) }
    return array.ended()
  }

  static func doubles(_ values: [Double?]) -> [UInt8] {
    var array = PostgresArray(.float8, capacity: values.count * 12)
    for value in values {
      if let value { array.append(bits: value.bitPattern) } else { array.appendNull() }
    }
    return array.ended()
  }

  static func bools(_ values: [Bool?]) -> [UInt8] {
    var array = PostgresArray(.int2, capacity: values.count * 6)
    for value in values {
      if let value {
        array.append(number: 2)
        array.bytes += [0, value ? 1 : 0]
        array.count += 1
      } else {
        array.appendNull()
      }
    }
    return array.ended()
  }

  static func texts(_ values: [String?]) -> [UInt8] {
    var array = PostgresArray(.text, capacity: values.reduce(0) { $0 + 4 + ($1?.utf8.count ?? 0) })
    for value in values {
      guard let value else {
        array.appendNull()
        continue
      }
      let text = PostgresText.bytes(of: value)
      array.append(number: Int32(text.count))
      array.bytes += text
      array.count += 1
    }
    return array.ended()
  }

  private mutating func append(bits: UInt64) {
    append(number: 8)
    withUnsafeBytes(of: bits.bigEndian) { bytes += $0 }
    count += 1
  }

  private mutating func appendNull() {
    append(number: -1)
    hasNull = true
    count += 1
  }

  private mutating func append(number: Int32) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  /// With its head: dimensions, whether there are NULLs, type, length and the first index.
  private func ended() -> [UInt8] {
    var bytes = bytes
    let head: [UInt32] = [1, hasNull ? 1 : 0, type, UInt32(count), 1]
    for (place, number) in head.enumerated() {
      withUnsafeBytes(of: number.bigEndian) { bytes.replaceSubrange(place * 4..<place * 4 + 4, with: $0) }
    }
    return bytes
  }
}

/// Types by their numbers in the server's catalogue (`pg_type.dat`).
enum PostgresType: UInt32 {
  case bool = 16
  case bytea = 17
  case int8 = 20
  case int2 = 21
  case int4 = 23
  case text = 25
  case float8 = 701
  case jsonb = 3802
}

extension SQLValue {
  /// Of a column of a binary answer.
  init(_ bytes: UnsafeRawBufferPointer, type number: UInt32) {
    func integer<Number: FixedWidthInteger>(_: Number.Type) -> Number {
      bytes.count == MemoryLayout<Number>.size ? Number(bigEndian: bytes.loadUnaligned(as: Number.self)) : 0
    }
    switch PostgresType(rawValue: number) {
    case .bool: self = .integer(bytes.first == 1 ? 1 : 0)
    case .int2: self = .integer(Int64(integer(Int16.self)))
    case .int4: self = .integer(Int64(integer(Int32.self)))
    case .int8: self = .integer(integer(Int64.self))
    case .float8: self = .real(Double(bitPattern: integer(UInt64.self)))
    case .bytea: self = .blob(Data(bytes))
    case .jsonb: self = .init(json: String(decoding: bytes.dropFirst(), as: UTF8.self))
    case .text, nil: self = .text(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// As SQLite's json_extract has it: texts and numbers as such.
  private init(json: String) {
    switch JSONValue(text: json) {
    case .string(let text): self = .text(text)
    case .integer(let number): self = .integer(number)
    case .number(let number): self = .real(number)
    case .bool(let bool): self = .integer(bool ? 1 : 0)
    case .null, nil: self = .null
    case .array, .object: self = .text(json)
    }
  }
}
