import Foundation

/// What a column holds, whichever database it is in.
enum SQLValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

/// What a statement takes for a place, and what a column is read as.
protocol SQLConvertible: Sendable {
  var sqlValue: SQLValue { get }
  /// nil for what is none of its kind, NULL as well.
  init?(sqlValue: SQLValue)
}

extension Int64: SQLConvertible {
  var sqlValue: SQLValue { .integer(self) }

  init?(sqlValue: SQLValue) {
    switch sqlValue {
    case .integer(let number): self = number
    case .real(let number):
      guard let whole = Int64(exactly: number) else { return nil }
      self = whole
    case .null, .text, .blob: return nil
    }
  }
}

extension Int: SQLConvertible {
  var sqlValue: SQLValue { .integer(Int64(self)) }

  init?(sqlValue: SQLValue) {
    guard let number = Int64(sqlValue: sqlValue) else { return nil }
    self.init(number)
  }
}

extension Double: SQLConvertible {
  var sqlValue: SQLValue { .real(self) }

  init?(sqlValue: SQLValue) {
    switch sqlValue {
    case .real(let number): self = number
    case .integer(let number): self = Double(number)
    case .null, .text, .blob: return nil
    }
  }
}

/// In SQLite 0 and 1.
extension Bool: SQLConvertible {
  var sqlValue: SQLValue { .integer(self ? 1 : 0) }

  init?(sqlValue: SQLValue) {
    guard let number = Int64(sqlValue: sqlValue) else { return nil }
    self = number != 0
  }
}

extension String: SQLConvertible {
  var sqlValue: SQLValue { .text(self) }

  init?(sqlValue: SQLValue) {
    guard case .text(let text) = sqlValue else { return nil }
    self = text
  }
}

extension Data: SQLConvertible {
  var sqlValue: SQLValue { .blob(self) }

  init?(sqlValue: SQLValue) {
    guard case .blob(let data) = sqlValue else { return nil }
    self = data
  }
}

/// One row of an answer.
struct Row: Sendable {
  /// Of all rows of the answer; shared by them.
  let columns: [String]
  let values: [SQLValue]

  /// Of the leftmost column of the name.
  private func value(_ column: String) -> SQLValue {
    guard let place = columns.firstIndex(of: column) else {
      preconditionFailure("no column \(column) in this answer")
    }
    return values[place]
  }

  /// Of a column that is never NULL.
  subscript<Value: SQLConvertible>(_ column: String) -> Value {
    guard let value = Value(sqlValue: value(column)) else {
      preconditionFailure("the column \(column) holds no \(Value.self)")
    }
    return value
  }

  /// nil for NULL.
  subscript<Value: SQLConvertible>(_ column: String) -> Value? { Value(sqlValue: value(column)) }
}
