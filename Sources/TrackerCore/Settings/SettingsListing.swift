/// Every setting as a line of text. Of headers, which may be secret, only the names.
public struct SettingsListing: SettingVisitor {
  public struct Line: Equatable, Sendable {
    /// `group.key`
    public var key: String
    /// As TOML writes it.
    public var value: String

    /// As a file would have it.
    public var text: String { "\(key) = \(value)" }
  }

  private var group: [String] = []
  private var lines: [Line] = []

  public static func lines(of group: some SettingGroup) -> [Line] {
    var copy = group
    var visitor = SettingsListing()
    copy.visit(with: &visitor)
    return visitor.lines
  }

  /// The lines of `group` that are not the same in `base`.
  public static func changes<Group: SettingGroup>(in group: Group, from base: Group) -> [Line] {
    zip(lines(of: group), lines(of: base)).filter { $0 != $1 }.map { $0.0 }
  }

  public mutating func begin(group name: String, _ doc: String) { group.append(name) }
  public mutating func end(group name: String) { group.removeLast() }

  public mutating func number(
    _ key: String, _ value: inout Double, in range: ClosedRange<Double>, _ doc: String
  ) {
    add(key, SettingText.number(value))
  }

  public mutating func integer(_ key: String, _ value: inout Int, in range: ClosedRange<Int>, _ doc: String) {
    add(key, "\(value)")
  }

  public mutating func flag(_ key: String, _ value: inout Bool, _ doc: String) { add(key, "\(value)") }

  public mutating func text(_ key: String, _ value: inout String, _ doc: String) {
    add(key, SettingText.quoted(value))
  }

  public mutating func choice<Choice: SettingChoice>(_ key: String, _ value: inout Choice, _ doc: String) {
    add(key, SettingText.quoted(value.rawValue))
  }

  public mutating func texts(_ key: String, _ value: inout [String], _ doc: String) {
    add(key, "[\(value.map(SettingText.quoted).joined(separator: ", "))]")
  }

  public mutating func table(_ key: String, _ value: inout [String: String], _ doc: String) {
    add(key, value.keys.sorted().map(SettingText.quoted).joined(separator: ","))
  }

  private mutating func add(_ key: String, _ value: String) {
    lines.append(Line(key: (group + [key]).joined(separator: "."), value: value))
  }
}
