/// What a figure's value may be.
public protocol FigureValue: Equatable, Sendable {
  static var figureType: FigureType { get }
  var figureContent: FigureContent? { get }
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
  func without(_ content: FigureContent?) -> FigureType {
    switch (self, content) {
    case (.flag, .flag(let absent)): .only(!absent)
    case (.choice(let names), .text(let absent)): .choice(names.filter { $0 != absent })
    default: self
    }
  }
}

public enum FigureContent: Sendable {
  case integer(Int64)
  case number(Double)
  case flag(Bool)
  case text(String)
  case texts([String])
  case table([FigureEntry])

  func rounded(to decimals: UInt8?) -> FigureContent {
    guard case .number(let number) = self, let decimals else { return self }
    let scale = [1.0, 10, 100][Int(decimals)]
    return .number((number * scale).rounded() / scale)
  }
}

public struct FigureEntry: Sendable {
  public var name: String
  public var content: FigureContent
}

extension Int: FigureNumber {
  public static var figureType: FigureType { .integer }
  public var figureContent: FigureContent? { .integer(Int64(self)) }
}

extension Int64: FigureNumber {
  public static var figureType: FigureType { .integer }
  public var figureContent: FigureContent? { .integer(self) }
}

extension Double: FigureNumber {
  public static var figureType: FigureType { .number }
  public var figureContent: FigureContent? { .number(self) }
}

extension Bool: FigureWord {
  public static var figureType: FigureType { .flag }
  public var figureContent: FigureContent? { .flag(self) }
}

extension String: FigureWord {
  public static var figureType: FigureType { .text }
  public var figureContent: FigureContent? { .text(self) }
}

extension Array: FigureValue, FigureWord where Element == String {
  public static var figureType: FigureType { .texts }
  public var figureContent: FigureContent? { .texts(self) }
}

extension FigureChoice {
  public static var figureType: FigureType { .choice(allCases.map(\.rawValue)) }
  public var figureContent: FigureContent? { .text(rawValue) }
}

extension Optional: FigureValue where Wrapped: FigureValue {
  public static var figureType: FigureType { Wrapped.figureType }
  // Not by a key path, which is made anew for each call: ten times the rest of a figure (docs/decisions.md).
  public var figureContent: FigureContent? { flatMap { $0.figureContent } }
}

extension Optional: FigureNumber where Wrapped: FigureNumber {}
extension Optional: FigureWord where Wrapped: FigureWord {}

/// In the order of the names' declaration.
extension Dictionary: FigureValue, FigureNumber where Key: FigureChoice, Value: FigureNumber {
  public static var figureType: FigureType { .table(Key.allCases.map(\.rawValue), of: Value.figureType) }

  public var figureContent: FigureContent? {
    .table(
      Key.allCases.compactMap { name in
        self[name]?.figureContent.map { FigureEntry(name: name.rawValue, content: $0) }
      })
  }
}
