/// A JSON value. Objects keep the order of the text.
public enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent that fits.
  case integer(Int64)
  case number(Double)
  /// A number that no Double holds, such as `1e400`: JSON (RFC 8259, section 6), and of no use to anybody.
  case outOfRange
  case string(String)
  case array([JSONValue])
  case object([JSONMember])

  /// The member `key` of an object; nil when there is none, or this is no object.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// Keys that stand more than once in this object, each once.
  public var doubled: [String] {
    guard case .object(let members) = self else { return [] }
    var (seen, doubled) = (Set<String>(), [String]())
    for member in members where !seen.insert(member.key).inserted && !doubled.contains(member.key) {
      doubled.append(member.key)
    }
    return doubled
  }

  /// Here or in any value inside.
  public var firstDoubled: String? {
    if let key = doubled.first { return key }
    switch self {
    case .array(let values): return values.lazy.compactMap(\.firstDoubled).first
    case .object(let members): return members.lazy.compactMap(\.value.firstDoubled).first
    case .null, .bool, .integer, .number, .outOfRange, .string: return nil
    }
  }

  public var string: String? { if case .string(let value) = self { value } else { nil } }
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// A number that is whole, however it is written: `7.0` and `7e0` are 7, as RFC 8259 has one kind of number.
  public var whole: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    case .null, .bool, .outOfRange, .string, .array, .object: nil
    }
  }

  /// Any number.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    case .null, .bool, .outOfRange, .string, .array, .object: nil
    }
  }

  /// It, or something in it, is a number that no Double holds.
  public var holdsOutOfRange: Bool {
    switch self {
    case .outOfRange: true
    case .array(let values): values.contains { $0.holdsOutOfRange }
    case .object(let members): members.contains { $0.value.holdsOutOfRange }
    case .null, .bool, .integer, .number, .string: false
    }
  }

  public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
}

public struct JSONMember: Equatable, Sendable {
  public var key: String
  public var value: JSONValue

  public init(key: String, value: JSONValue) {
    self.key = key
    self.value = value
  }
}

extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { JSONMember(key: $0, value: $1) })
  }
}
