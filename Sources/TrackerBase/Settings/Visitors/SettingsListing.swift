/// Every setting as a line of text. Of headers, which may be secret, only the names.
public struct SettingsListing: SettingVisitor {
  public struct Line: Equatable, Sendable {
    /// `group.key`
    public var key: String
    /// As TOML writes it.
    public var value: String
    public var needsRestart: Bool
    /// The server may set it.
    public var isRemote: Bool

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
  public static func changes<Members: SettingGroup>(in group: Members, from base: Members) -> [Line] {
    zip(lines(of: group), lines(of: base)).filter { $0 != $1 }.map { $0.0 }
  }

  public mutating func begin(group name: String, _ doc: String) { group.append(name) }
  public mutating func end(group name: String) { group.removeLast() }

  public mutating func visit<Value>(_ value: inout Value, _ setting: Setting<Value>) {
    let key = (group + [setting.key]).joined(separator: ".")
    lines.append(
      Line(
        key: key, value: Self.text(of: value.settingValue), needsRestart: setting.needsRestart,
        isRemote: setting.isRemote))
  }

  private static func text(of value: SettingValue) -> String {
    guard case .table(let texts) = value else { return value.toml }
    let members = texts.keys.sorted().map { "\(SettingText.quoted($0)) = \"…\"" }
    return members.isEmpty ? "{}" : "{ \(members.joined(separator: ", ")) }"
  }
}

extension Settings {
  /// The settings that a running agent would have to exchange, and cannot; empty if a reload can apply all.
  public func changesThatNeedRestart(to new: Settings) -> [String] {
    SettingsListing.changes(in: new.held, from: held).filter(\.needsRestart).map(\.key)
  }

  /// Of a further server's file only the name is held, which is the name of its queue.
  private var held: Settings {
    var held = self
    held.sync.also = sync.also.map { OtherServer.name(ofFile: $0) ?? $0 }
    return held
  }
}
