// Swift's own are in its library of regular expressions, which is 0.9 MB in a static program (docs/decisions.md).
// Package.swift has the compiler refuse that library in all that is installed.
extension StringProtocol {
  /// Byte by byte, without regard to canonical equivalence.
  public func firstRange(of text: String) -> Range<Index>? {
    let wanted = Array(text.utf8)
    var start = startIndex
    while !utf8[start...].starts(with: wanted) {
      guard start < endIndex else { return nil }
      utf8.formIndex(after: &start)
    }
    return start..<utf8.index(start, offsetBy: wanted.count)
  }

  public func contains(_ text: String) -> Bool { firstRange(of: text) != nil }
}
