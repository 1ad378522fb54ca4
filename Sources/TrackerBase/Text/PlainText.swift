/// Somebody else's words on their way to a terminal, a journal or a page.
public enum PlainText {
  /// Nobody sees it, and it may change what stands beside it: controls, marks that turn the direction of text, and
  /// characters without a width. Not what chooses the picture of the character before it.
  public static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
    }
  }

  /// As `isHidden`, but for the two that join letters or keep them apart, which some scripts and pictures need.
  public static func steers(_ scalar: Unicode.Scalar) -> Bool {
    isHidden(scalar) && scalar != "\u{200C}" && scalar != "\u{200D}"
  }

  /// One line, which can steer no terminal.
  public static func line(_ text: some StringProtocol, instead mark: Unicode.Scalar = " ") -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { steers($0) ? mark : $0 }))
  }

  /// `U+202E`.
  public static func name(of scalar: Unicode.Scalar) -> String {
    "U+" + SettingText.hex(UInt64(scalar.value), digits: 4).uppercased()
  }
}
