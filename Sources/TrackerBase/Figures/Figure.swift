/// One figure of the status, declared above its value: its key in the document, what kind of number it is, and what it
/// means.
///
///     @Figure("fixes", .counter, "Fixes that were used.")
///     public var fixes = 0
///
/// From it come the JSON document, its schema, the metrics and the table of docs/status.md. The unit stands in the key.
@propertyWrapper
public struct Figure<Value: FigureValue>: Sendable {
  public let key: StaticString
  public let kind: FigureKind
  public let doc: StaticString
  public let notes: FigureNotes
  /// The value with which the figure is left out, as it is with nil.
  public let absent: Value?
  public var wrappedValue: Value

  /// What the document shows; nil where the figure is left out.
  public var content: FigureContent? {
    if let absent, wrappedValue == absent { return nil }
    return wrappedValue.figureContent?.rounded(to: notes.decimals)
  }
}

extension Figure where Value: FigureNumber {
  public init(
    wrappedValue: Value, _ key: StaticString, _ kind: FigureKind, decimals: UInt8? = nil,
    metric: StaticString? = nil, label: StaticString = "name", absent: Value? = nil, _ doc: StaticString
  ) {
    (self.key, self.kind, self.doc) = (key, kind, doc)
    notes = FigureNotes(decimals: decimals, metric: metric, label: label)
    (self.absent, self.wrappedValue) = (absent, wrappedValue)
  }
}

extension Figure where Value: FigureWord {
  public init(wrappedValue: Value, _ key: StaticString, absent: Value? = nil, _ doc: StaticString) {
    (self.key, kind, self.doc, notes) = (key, .word, doc, FigureNotes())
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

/// What few figures need to say.
public struct FigureNotes: Sendable {
  /// The document has no more of them.
  public var decimals: UInt8?
  /// In place of the key in the metric's name.
  public var metric: StaticString?
  /// Of the metric, where one figure has several numbers by name.
  public var label: StaticString = "name"
}
