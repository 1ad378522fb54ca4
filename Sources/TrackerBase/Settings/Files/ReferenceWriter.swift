/// Writes the commented reference: a settings file that holds every setting with its meaning, its default as a
/// comment, and behind that its range or choices.
public struct ReferenceWriter {
  private var lines: [String] = []

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
    writer.add(group.nodes, in: [])
    return writer.lines.joined(separator: "\n") + "\n"
  }

  private mutating func add(_ nodes: [SettingNode], in path: [String]) {
    for node in nodes {
      lines.append("")
      switch node {
      case .setting(let setting): add(setting)
      case .group(let group):
        let path = path + [group.key]
        comment(group.doc)
        lines.append("[\(path.joined(separator: "."))]")
        add(group.nodes, in: path)
      }
    }
  }

  private mutating func add(_ setting: any AnySetting) {
    comment(setting.doc)
    let line = "# \(setting.key) = \(setting.value.toml)"
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
