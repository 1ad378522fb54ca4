/// One figure of the status, declared above its value: its key in the document, what kind of number it is, and what it
/// means.
///
///     @Figure("fixes", .counter, "Fixes that were used.")
///     public var fixes = 0
///
/// From it come the JSON document, its schema, the metrics and the table of docs/status.md. The unit is in the key.
@propertyWrapper
public struct Figure<Value: FigureValue>: AnyFigure {
  private let name: StaticString
  public let kind: FigureKind
  private let meaning: StaticString
  /// The document has no more of them.
  private let decimals: UInt8?
  public let metric: StaticString?
  public let label: StaticString
  /// The value with which the figure is left out, as it is with nil.
  private let absent: Value?
  public var wrappedValue: Value

  public var key: String { name.description }
  public var doc: String { meaning.description }
  public var type: FigureType { Value.figureType.without(absent?.figureContent) }

  public var content: JSONValue? {
    if let absent, wrappedValue == absent { return nil }
    let content = wrappedValue.figureContent
    guard case .number(let number)? = content, let decimals else { return content }
    let scale = [1.0, 10, 100][Int(decimals)]
    return .number((number * scale).rounded() / scale)
  }
}

/// A figure, whatever its value.
public protocol AnyFigure: Sendable {
  var key: String { get }
  var kind: FigureKind { get }
  var type: FigureType { get }
  var doc: String { get }
  /// In place of the key in the metric's name.
  var metric: StaticString? { get }
  /// Of the metric, if the figure has several numbers by name.
  var label: StaticString { get }
  /// The value in the document, a time as Unix milliseconds; nil if the figure is left out.
  var content: JSONValue? { get }
}

extension Figure where Value: FigureNumber {
  public init(
    wrappedValue: Value, _ key: StaticString, _ kind: FigureKind, decimals: UInt8? = nil,
    metric: StaticString? = nil, label: StaticString = "name", absent: Value? = nil, _ doc: StaticString
  ) {
    (name, self.kind, meaning) = (key, kind, doc)
    (self.decimals, self.metric, self.label) = (decimals, metric, label)
    (self.absent, self.wrappedValue) = (absent, wrappedValue)
  }
}

extension Figure where Value: FigureWord {
  public init(wrappedValue: Value, _ key: StaticString, absent: Value? = nil, _ doc: StaticString) {
    (name, kind, meaning) = (key, .word, doc)
    (decimals, metric, label) = (nil, nil, "name")
    (self.absent, self.wrappedValue) = (absent, wrappedValue)
  }
}

extension Figure: Equatable {
  public static func == (a: Figure, b: Figure) -> Bool { a.wrappedValue == b.wrappedValue }
}

public enum FigureKind: Sendable {
  /// Begins at nil with the process, and only grows.
  case counter
  /// May become less, and is never below 0.
  case gauge
  /// A gauge that may be below 0.
  case signedGauge
  /// A gauge from 0 to 100.
  case percent
  /// Unix milliseconds, which the document has as a date.
  case time
  /// No number: a flag, a name or text.
  case word
}
