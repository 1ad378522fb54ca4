/// Writes the commented reference: a settings file that holds every setting with its meaning, its default as a
/// comment, and behind that its range or choices.
public struct ReferenceWriter: SettingVisitor {
  private var lines: [String] = []
  private var group: [String] = []

  public static func text() -> String {
    text(
      of: Settings(),
      heading: """
        Godwit's settings with their defaults. To change one, remove the "# " in front of it.
        `godwit check` says whether the file is fine. This file is made by `godwit settings --reference`.
        """)
  }

  /// The same for any group of declared values.
  public static func text(of group: some SettingGroup, heading: String) -> String {
    var writer = ReferenceWriter()
    writer.comment(heading)
    var copy = group
    copy.visit(with: &writer)
    return writer.lines.joined(separator: "\n") + "\n"
  }

  public mutating func begin(group name: String, _ doc: String) {
    group.append(name)
    lines.append("")
    comment(doc)
    lines.append("[\(group.joined(separator: "."))]")
  }

  public mutating func end(group name: String) { group.removeLast() }

  public mutating func number(
    _ key: String, _ value: inout Double, in range: ClosedRange<Double>, _ doc: String
  ) {
    write(key, SettingText.number(value), doc, allowed: SettingText.range(range, of: key))
  }

  public mutating func integer(_ key: String, _ value: inout Int, in range: ClosedRange<Int>, _ doc: String) {
    write(key, "\(value)", doc, allowed: SettingText.range(range, of: key))
  }

  public mutating func flag(_ key: String, _ value: inout Bool, _ doc: String) {
    write(key, "\(value)", doc)
  }

  public mutating func text(_ key: String, _ value: inout String, _ doc: String) {
    write(key, SettingText.quoted(value), doc)
  }

  public mutating func choice<Choice: SettingChoice>(_ key: String, _ value: inout Choice, _ doc: String) {
    let allowed = Choice.allCases.map { SettingText.quoted($0.rawValue) }.joined(separator: ", ")
    write(key, SettingText.quoted(value.rawValue), doc, allowed: allowed)
  }

  public mutating func texts(_ key: String, _ value: inout [String], _ doc: String) {
    write(key, "[\(value.map(SettingText.quoted).joined(separator: ", "))]", doc)
  }

  public mutating func table(_ key: String, _ value: inout [String: String], _ doc: String) {
    let pairs = value.sorted { $0.key < $1.key }
      .map { "\(SettingText.dotted([$0.key])) = \(SettingText.quoted($0.value))" }
    write(key, pairs.isEmpty ? "{}" : "{ \(pairs.joined(separator: ", ")) }", doc)
  }

  private mutating func write(_ key: String, _ value: String, _ doc: String, allowed: String? = nil) {
    lines.append("")
    comment(doc)
    let line = "# \(key) = \(value)"
    let whole = line + (allowed.map { "  # \($0)" } ?? "")
    if let allowed, whole.count > Self.width {
      comment("One of \(allowed).")
      lines.append(line)
    } else {
      lines.append(whole)
    }
  }

  private static let width = 104

  private mutating func comment(_ text: String) {
    lines += SettingText.wrapped(text, width: Self.width).map { "# \($0)" }
  }
}
