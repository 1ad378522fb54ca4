/// What a figure's value may be.
public protocol FigureValue: Equatable, Sendable {
  static var figureType: FigureType { get }
  var figureContent: JSONValue? { get }
}

/// A number, or several by name.
public protocol FigureNumber: FigureValue {}

/// A flag or text.
public protocol FigureWord: FigureValue {}

/// One of a few names.
public protocol FigureChoice: FigureWord, RawRepresentable<String>, CaseIterable {}

public indirect enum FigureType: Sendable {
  case integer
  case number
  case flag
  /// A flag that is shown in one state only.
  case only(Bool)
  case text
  case texts
  /// One of so many that new ones come now and then: small letters, digits and `_`.
  case name
  case choice([String])
  /// At most one for each name.
  case table([String], of: FigureType)

  /// - Parameter content: what leaves the figure out.
  func without(_ content: JSONValue?) -> FigureType {
    switch (self, content) {
    case (.flag, .bool(let absent)): .only(!absent)
    case (.choice(let names), .string(let absent)): .choice(names.filter { $0 != absent })
    default: self
    }
  }
}

extension Int: FigureNumber {
  public static var figureType: FigureType { .integer }
  public var figureContent: JSONValue? { .integer(Int64(self)) }
}

extension Int64: FigureNumber {
  public static var figureType: FigureType { .integer }
  public var figureContent: JSONValue? { .integer(self) }
}

extension Double: FigureNumber {
  public static var figureType: FigureType { .number }
  public var figureContent: JSONValue? { .number(self) }
}

extension Bool: FigureWord {
  public static var figureType: FigureType { .flag }
  public var figureContent: JSONValue? { .bool(self) }
}

extension String: FigureWord {
  public static var figureType: FigureType { .text }
  public var figureContent: JSONValue? { .string(self) }
}

extension Array: FigureValue, FigureWord where Element == String {
  public static var figureType: FigureType { .texts }
  public var figureContent: JSONValue? { .array(map { .string($0) }) }
}

extension FigureChoice {
  public static var figureType: FigureType { .choice(allCases.map(\.rawValue)) }
  public var figureContent: JSONValue? { .string(rawValue) }
}

extension Optional: FigureValue where Wrapped: FigureValue {
  public static var figureType: FigureType { Wrapped.figureType }
  // Not by a key path, which is made anew for each call: ten times the rest of a figure (docs/decisions.md).
  public var figureContent: JSONValue? { flatMap { $0.figureContent } }
}

extension Optional: FigureNumber where Wrapped: FigureNumber {}
extension Optional: FigureWord where Wrapped: FigureWord {}

/// In the order of the names' declaration.
extension Dictionary: FigureValue, FigureNumber where Key: FigureChoice, Value: FigureNumber {
  public static var figureType: FigureType { .table(Key.allCases.map(\.rawValue), of: Value.figureType) }

  public var figureContent: JSONValue? {
    .object(
      Key.allCases.compactMap { name in
        self[name]?.figureContent.map { JSONMember(key: name.rawValue, value: $0) }
      })
  }
}
