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

  static func plain(_ text: String) -> String {
    text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
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
