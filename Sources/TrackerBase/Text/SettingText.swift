/// How settings and their values are written: in files, in messages and for the hash.
public enum SettingText {
  /// `120`, `0.5`: whole numbers without a fraction.
  public static func number(_ value: Double) -> String {
    let words = value.description
    return words.hasSuffix(".0") ? String(words.dropLast(2)) : words
  }

  /// A string between quotes that reads the same in TOML and in JSON.
  public static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where isControl(scalar): result += "\\u" + hex(UInt64(scalar.value), digits: 4)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// `group.key` for people. What is not a plain key is quoted, so that a file cannot move the cursor of
  /// the terminal that shows its problems; what is absurdly long is cut.
  public static func dotted(_ path: [String]) -> String {
    path.map { component in
      let short = component.unicodeScalars.count > longest ? cut(component) : component
      return !short.isEmpty && isPlain(short, and: "_-…") ? short : quoted(short)
    }.joined(separator: ".")
  }

  /// A value for people.
  package static func shown(_ text: String) -> String {
    quoted(text.unicodeScalars.count > longest ? cut(text) : text)
  }

  static func cut(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest))) + "…"
  }

  public static func hex(_ value: UInt64, digits: Int) -> String {
    let words = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - words.count)) + words
  }

  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
  }

  static func hasControl(_ text: some StringProtocol) -> Bool {
    text.unicodeScalars.contains(where: isControl)
  }

  /// The unit that a key ends with, as people write it.
  static func unit(of key: String) -> String? {
    let units = [
      ("_s", "s"), ("_ms", "ms"), ("_m", "m"), ("_mps", "m/s"), ("_mb", "MB"), ("_kb", "kB"), ("_v", "V"),
    ]
    return units.first { key.hasSuffix($0.0) }?.1
  }

  /// The number that a text such as `5m`, `11,8` or `25 m` stands for, in the unit that the key ends with; nil where it is
  /// none, or of another unit.
  public static func number(meantBy text: String, of key: String) -> String? {
    let text = text.lowercased().split(separator: " ").joined()
    let digits = text.prefix { "0123456789.,-".contains($0) }
    let written = String(digits.map { $0 == "," ? "." : $0 })
    guard let number = Double(written) else { return nil }
    let suffix = String(text.dropFirst(digits.count))
    if suffix.isEmpty { return self.number(number) }
    guard let factor = factors[unit(of: key) ?? ""]?[suffix] else { return nil }
    // A hundredth is as exact as anybody writes.
    return self.number((number * factor * 100).rounded() / 100)
  }

  /// What people write behind a number, by the unit of the setting.
  private static let factors: [String: [String: Double]] = [
    "s": ["s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400], "ms": ["ms": 1, "s": 1000],
    "m": ["m": 1, "km": 1000], "m/s": ["m/s": 1, "km/h": 1 / 3.6, "kmh": 1 / 3.6], "V": ["v": 1],
    "MB": ["mb": 1, "gb": 1000], "kB": ["kb": 1, "mb": 1000],
  ]

  /// `10 to 3600 s`.
  static func range(_ range: ClosedRange<Double>, of key: String) -> String {
    let words = "\(number(range.lowerBound)) to \(number(range.upperBound))"
    return unit(of: key).map { "\(words) \($0)" } ?? words
  }

  static func range(_ range: ClosedRange<Int>, of key: String) -> String {
    self.range(Double(range.lowerBound)...Double(range.upperBound), of: key)
  }

  /// The text in lines of at most `width` characters, broken at spaces. Lines that are indented, such as an example's,
  /// stay as they are.
  static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var isOpen = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix(" ") {
        lines.append(String(line))
        isOpen = false
        continue
      }
      for word in line.split(separator: " ") {
        if isOpen, let last = lines.last, last.count + 1 + word.count <= width {
          lines[lines.count - 1] = "\(last) \(word)"
        } else {
          lines.append(String(word))
        }
        isOpen = true
      }
    }
    return lines
  }

  private static let longest = 60

  /// Nothing but ASCII letters and digits, and these characters.
  static func isPlain(_ text: some StringProtocol, and others: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9": true
      default: others.unicodeScalars.contains(scalar)
      }
    }
  }
}
