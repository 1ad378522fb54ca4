/// Names that people read and type: of devices, groups and operators. Two that look alike are one.
enum NameRule {
  /// What is wrong with a name; nil: nothing.
  static func fault(in name: String, longest: Int) -> String? {
    let scalars = name.unicodeScalars
    if scalars.isEmpty { return "is empty" }
    if scalars.count > longest { return "has \(scalars.count)" }
    // A path with one of these names leads elsewhere: browsers and proxies take it away.
    if name == "." || name == ".." { return "is . or .., which no address can hold" }
    if scalars.first == " " || scalars.last == " " { return "begins or ends with a space" }
    guard let place = scalars.firstIndex(where: isUnseen) else { return nil }
    let number = scalars.distance(from: scalars.startIndex, to: place) + 1
    let code = String(scalars[place].value, radix: 16, uppercase: true)
    let zeros = String(repeating: "0", count: max(0, 4 - code.count))
    return "has a character that cannot be seen, U+\(zeros)\(code), as number \(number)"
  }

  /// Controls, marks that turn the direction of text, characters without a width, and spaces of other widths. Not what
  /// chooses the picture of the character before it, nor the two that some scripts join and part letters with.
  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .spaceSeparator: scalar != " "
    case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
    default: scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
    }
  }
}
