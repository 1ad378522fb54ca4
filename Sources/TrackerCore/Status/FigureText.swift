/// Words of a declaration: a literal, by its address in the program.
///
/// A status has hundreds of them and is copied as a whole: as a `String`, each would be retained and released by code of
/// its own in every copy (docs/decisions.md).
public struct FigureText: ExpressibleByStringLiteral, @unchecked Sendable {
  // What it points to is part of the program and never changes.
  private let utf8: UnsafePointer<UInt8>

  public init(stringLiteral literal: StaticString) { utf8 = literal.utf8Start }

  public var text: String { String(cString: utf8) }
}
