/// A server of `sync.also`.
public struct OtherServer: Equatable, Sendable {
  /// Names the server to operators, and its queue file.
  public var name: String
  public var sync: SyncSettings

  /// Each has a bit in the store.
  static let most = 60

  public init(name: String, sync: SyncSettings) {
    self.name = name
    self.sync = sync
  }

  /// Before what is said of a server to operators; empty for the first, which has no name.
  public static func label(_ name: String) -> String { name.isEmpty ? "" : "server \(name): " }

  /// The file's name without `.toml`; nil where that is not short, of lower-case letters, digits, `-` and `_`.
  public static func name(ofFile path: String) -> String? {
    guard path.hasPrefix("/"), path.hasSuffix(".toml") else { return nil }
    let name = path.dropLast(".toml".count).split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let isName = SettingText.isPlain(name, and: "-_") && !name.contains(where: \.isUppercase)
    return isName && (1...32).contains(name.utf8.count) ? String(name) : nil
  }
}

extension SettingsChecks {
  /// In the main file.
  mutating func checkAlso() {
    var names: Set<String> = []
    if settings.sync.also.count > OtherServer.most {
      refuse(["sync", "also"], at: nil, "names more than \(OtherServer.most) servers")
    }
    for (file, place) in elements("sync.also", settings.sync.also) {
      guard let name = OtherServer.name(ofFile: file) else {
        refuse(
          ["sync", "also"], at: place,
          "\(SettingText.shown(file)) must be a whole path such as /etc/godwit/second.toml; the name, of a-z, 0-9, - and _, names the server"
        )
        continue
      }
      guard !names.insert(name).inserted else { continue }
      refuse(["sync", "also"], at: place, "\(SettingText.shown(name)) names two servers")
    }
  }

  mutating func checkServer(_ foreign: [SettingEntry]) {
    for (name, entries) in Dictionary(grouping: foreign, by: { $0.path[0] }) {
      refuse(
        [name], at: entries.map(\.place).min(),
        "does not belong here: the file of a further server has one group, [sync]")
    }
    let sync = settings.sync
    refuse("sync.url", if: sync.url.isEmpty, "must be set")
    let isForAll = "it is for all servers together"
    for (key, isSet, reason) in [
      ("also", !sync.also.isEmpty, nil),
      (
        "config_trial_s", sync.configTrial_s != SyncSettings().configTrial_s,
        "only that server may send settings"
      ),
      ("budget_day_kb", sync.budgetDay_kb > 0, isForAll),
      ("budget_month_mb", sync.budgetMonth_mb > 0, isForAll),
      ("roaming.budget_day_kb", sync.roaming.budgetDay_kb > 0, isForAll),
      ("roaming.budget_month_mb", sync.roaming.budgetMonth_mb > 0, isForAll),
      ("command_topic", sync.commandTopic, "only its server may send commands"),
    ] {
      let why = reason.map { ": \($0)" } ?? ""
      refuse("sync.\(key)", if: isSet, "belongs into the main settings file\(why)")
    }
  }
}

extension SettingsReader {
  /// The file of a further server.
  ///
  /// - Returns: a reader whose `settings.sync` are the server's, and all that is wrong with the file.
  public static func server(_ entries: [SettingEntry], file: String) -> SettingsReader {
    var reader = SettingsReader(entries.filter { $0.path.first == "sync" }, file: file) { _ in nil }
    let foreign = entries.filter { $0.path.first != "sync" }
    reader.add(SettingsChecks.problems(ofServer: reader, foreign: foreign))
    return reader
  }
}
