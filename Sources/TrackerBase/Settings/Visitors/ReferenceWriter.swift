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
        What says "remote" at its end the server may set too (docs/remote.md).
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

  public mutating func visit<Value>(_ value: inout Value, _ setting: Setting<Value>) {
    lines.append("")
    comment(setting.doc)
    let line = "# \(setting.key) = \(value.settingValue.toml)"
    let allowed = setting.type.allowed(for: setting.key)
    let remote = setting.isRemote ? "remote" : nil
    let notes = [allowed, remote].compactMap { $0 }.joined(separator: "; ")
    let whole = notes.isEmpty ? line : "\(line)  # \(notes)"
    if let allowed, whole.count > Self.width {
      comment("One of \(allowed).")
      lines.append(remote.map { "\(line)  # \($0)" } ?? line)
    } else {
      lines.append(whole)
    }
  }

  private static let width = 104

  private mutating func comment(_ text: String) {
    lines += SettingText.wrapped(text, width: Self.width).map { "# \($0)" }
  }
}
