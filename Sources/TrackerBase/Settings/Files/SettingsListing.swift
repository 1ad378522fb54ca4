/// Every setting as a line of text. Of headers, which may be secret, only the names.
public enum SettingsListing {
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

  public static func lines(of group: some SettingGroup) -> [Line] { lines(of: group.nodes, in: "") }

  private static func lines(of nodes: [SettingNode], in prefix: String) -> [Line] {
    nodes.flatMap { node in
      switch node {
      case .group(let group): lines(of: group.nodes, in: "\(prefix)\(group.key).")
      case .setting(let setting):
        [
          Line(
            key: prefix + setting.key, value: text(of: setting.value), needsRestart: setting.needsRestart,
            isRemote: setting.isRemote)
        ]
      }
    }
  }

  /// The lines of `group` that are not the same in `base`.
  public static func changes<Members: SettingGroup>(in group: Members, from base: Members) -> [Line] {
    zip(lines(of: group), lines(of: base)).filter { $0 != $1 }.map { $0.0 }
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
