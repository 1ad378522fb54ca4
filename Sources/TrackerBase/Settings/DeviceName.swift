/// How the device's name travels: UTF-8, with `%` and two hexadecimal digits for what a place cannot hold (RFC 3986,
/// 2.1). A plain ASCII name without `%` goes as it is.
public enum DeviceName {
  /// Characters, as Unicode counts them (scalars).
  public static let longest = 128

  /// As a level of a topic: four bytes a character, each as `%` and two digits.
  static let longestLevel_bytes = longest * 4 * 3

  /// Why it cannot be a device's name; nil if it can. An empty one stands for the machine id. The collector has the same
  /// rule (`NameRule`).
  public static func problem(of name: String) -> String? {
    let scalars = name.unicodeScalars
    if scalars.count > longest { return "has \(scalars.count) characters, and may have 1 to \(longest)" }
    if name == "." || name == ".." { return "is . or .., which no address can hold" }
    if scalars.first == " " || scalars.last == " " { return "begins or ends with a space" }
    return scalars.first(where: isUnseen).map {
      "has a character that cannot be seen, \(PlainText.name(of: $0))"
    }
  }

  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    PlainText.steers(scalar) || scalar.properties.generalCategory == .spaceSeparator && scalar != " "
  }

  /// For a header: printable ASCII stays, with spaces inside; those at the ends would be lost on the way.
  public static func header(_ name: String) -> String {
    let bytes = Array(name.utf8)
    return encoded(bytes) { index, byte in
      byte == 0x20 ? index > 0 && index + 1 < bytes.count : (0x21...0x7e).contains(byte)
    }
  }

  /// For one level of an MQTT topic, and for receivers that make one of it: no `/`, which would add a level, and no
  /// wildcard.
  public static func topicLevel(_ name: String) -> String {
    encoded(Array(name.utf8)) { _, byte in (0x20...0x7e).contains(byte) && !reserved.contains(byte) }
  }

  private static let reserved = Array("/+#".utf8)

  private static func encoded(_ bytes: [UInt8], isPlain: (Int, UInt8) -> Bool) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if byte != UInt8(ascii: "%"), isPlain(index, byte) {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
