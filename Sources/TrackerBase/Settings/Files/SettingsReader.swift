/// Turns the entries of a file into settings, and collects everything that is wrong with them.
public struct SettingsReader {
  /// The settings that the entries ask for, with the defaults for the rest, or what `track.preset` has in their place.
  /// Where there are problems, the setting concerned has that.
  public private(set) var settings = Settings()
  /// In the order of the file.
  public private(set) var problems: [SettingsProblem] = []

  public let file: String
  /// Whether problems may hold what was set: the settings of a server are told of in the journal and the status.
  let showsValues: Bool
  private var unread: [[String]: SettingEntry]
  private var names = SettingNames()
  private var refusedTables: Set<[String]> = []
  /// Where each setting that the file sets stands; for a list, where each element stands.
  private(set) var places: [String: SettingPlace] = [:]
  private(set) var elementPlaces: [String: [SettingPlace]] = [:]

  /// - Parameters:
  ///   - isWhole: false when the entries are only the beginning of a file; then each is checked by itself.
  ///   - showsValues: false: no problem says what was set.
  ///   - checkSchedule: why a schedule rule is malformed; nil when it is fine.
  public init(
    _ entries: [SettingEntry], file: String, isWhole: Bool = true, showsValues: Bool = true,
    checkSchedule: (String) -> String?
  ) {
    var settings = Settings(preset: TrackPreset(in: entries))
    self.init(entries, file: file, showsValues: showsValues, into: &settings)
    self.settings = settings
    if isWhole { problems += SettingsChecks.problems(of: self, checkSchedule: checkSchedule) }
    problems.sort()
  }

  /// Reads values of another group, such as a replay's assumptions: each by itself.
  public init(
    _ entries: [SettingEntry], file: String, showsValues: Bool = true, into group: inout some SettingGroup
  ) {
    (self.file, self.showsValues) = (file, showsValues)
    unread = Dictionary(entries.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    open(group.nodes, in: [])
    group.change { read(&$0, at: $1) }
    refuseUnread()
    problems.sort()
  }

  /// Where a setting stands in the file; nil when the file leaves it alone.
  public func place(of key: String) -> SettingPlace? { places[key] }

  // MARK: Reading

  /// Notes the names that there are, and reads the tables of groups.
  private mutating func open(_ nodes: [SettingNode], in path: [String]) {
    for node in nodes {
      switch node {
      case .setting(let setting):
        names.settings.append(path + [setting.key])
        if case .table = setting.type { names.tables.append(path + [setting.key]) }
      case .group(let group):
        let path = path + [group.key]
        names.tables.append(path)
        if let entry = unread.removeValue(forKey: path), entry.value != .table {
          refuse(entry, "is a group of settings, not \(entry.value.kind)")
        }
        open(group.nodes, in: path)
      }
    }
  }

  private mutating func read(_ setting: inout any AnySetting, at path: [String]) {
    guard let entry = unread.removeValue(forKey: path) else { return }
    places[SettingText.dotted(path)] = entry.place
    setting.value = value(of: entry, as: setting.type) ?? setting.value
  }

  /// What the entry says; nil, and a problem, where the setting cannot have it.
  private mutating func value(of entry: SettingEntry, as type: SettingType) -> SettingValue? {
    switch (type, entry.value) {
    case (.number(let range), .number(let number)):
      if range.contains(number) { return .number(number) }
      refuse(entry, SettingText.number(number), isOutside: type)
    case (.number(let range), .integer(let number)):
      if range.contains(Double(number)) { return .number(Double(number)) }
      refuse(entry, SettingText.number(Double(number)), isOutside: type)
    case (.integer(let range), .integer(let number)):
      if let number = Int(exactly: number), range.contains(number) { return .integer(number) }
      refuse(entry, "\(number)", isOutside: type)
    case (.flag, .flag(let flag)): return .flag(flag)
    case (.text, .text(let text)):
      if !SettingText.hasControl(text) { return .text(text) }
      refuse(entry, Self.unclean)
    case (.choice(let choice), .text(let text)):
      if choice.isName(text) { return .text(text) }
      let meant = choice.otherNames[text.lowercased()] ?? SettingNames.nearest(to: text, among: choice.names)
      refuse(
        entry, (showsValues ? "\(SettingText.shown(text)) " : "") + "is not \(type.wanted(for: entry.key))",
        suggestion: meant.map(SettingText.quoted))
    case (.texts, .texts(let elements)): return texts(entry, elements)
    case (.table, .table): return .table(table(at: entry.path))
    case (.number, .text(let text)), (.integer, .text(let text)):
      refuse(
        entry, wants: type, suggestion: showsValues ? SettingText.number(meantBy: text, of: entry.key) : nil)
    case (.number, _), (.integer, _), (.flag, _), (.text, _), (.choice, _), (.texts, _), (.table, _):
      refuse(entry, wants: type)
    }
    return nil
  }

  private mutating func texts(_ entry: SettingEntry, _ elements: [SettingEntry.Element]) -> SettingValue? {
    let unclean = elements.filter { SettingText.hasControl($0.text) }
    for element in unclean { refuse(entry.path, at: element.place, Self.unclean) }
    if !unclean.isEmpty { return nil }
    elementPlaces[SettingText.dotted(entry.path)] = elements.map(\.place)
    return .texts(elements.map(\.text))
  }

  private mutating func table(at path: [String]) -> [String: String] {
    var texts: [String: String] = [:]
    let inside = unread.values.filter { $0.path.starts(with: path) }.sorted { $0.place < $1.place }
    for entry in inside {
      unread[entry.path] = nil
      guard entry.path.count == path.count + 1 else { continue }
      guard case .text(let text) = entry.value else {
        refuse(entry, wants: .text)
        continue
      }
      places[SettingText.dotted(entry.path)] = entry.place
      texts[entry.key] = text
    }
    return texts
  }

  // MARK: Problems

  private mutating func refuse(
    _ path: [String], at place: SettingPlace?, _ reason: String, suggestion: String? = nil
  ) {
    problems.append(
      SettingsProblem(
        file: file, place: place, key: SettingText.dotted(path), reason: reason, suggestion: suggestion))
  }

  /// What else is wrong with the file.
  mutating func add(_ more: [SettingsProblem]) { problems = (problems + more).sorted() }

  private mutating func refuse(_ entry: SettingEntry, _ reason: String, suggestion: String? = nil) {
    refuse(entry.path, at: entry.place, reason, suggestion: suggestion)
    if entry.value == .table { refusedTables.insert(entry.path) }
  }

  private mutating func refuse(_ entry: SettingEntry, wants type: SettingType, suggestion: String? = nil) {
    refuse(entry, "must be \(type.wanted(for: entry.key)), not \(entry.value.kind)", suggestion: suggestion)
  }

  private mutating func refuse(_ entry: SettingEntry, _ number: String, isOutside type: SettingType) {
    refuse(entry, (showsValues ? "\(number) " : "") + "is outside \(type.allowed(for: entry.key) ?? "")")
  }

  private mutating func refuseUnread() {
    for entry in unread.values.sorted(by: { $0.path.count < $1.path.count }) {
      // The table has been reported; what is in it would only be noise.
      if entry.path.indices.contains(where: { refusedTables.contains(Array(entry.path[..<$0])) }) {
        continue
      }
      let isTable = entry.value == .table
      let meant = names.nearest(to: entry.path, isTable: isTable)
      var reason = isTable ? "unknown group" : "unknown setting"
      // The most frequent slip in TOML: everything below a [group] belongs to it.
      if let meant, entry.path.count > 1, !isTable, !meant.contains(".") {
        reason += " (\(meant) stands above the first [group])"
      }
      if let place = Self.elsewhere[entry.path] {
        refuse(entry, "\(reason): \(place)")
      } else {
        refuse(entry, reason, suggestion: meant)
      }
    }
  }

  /// Settings that other programs have, and where they go here.
  private static let elsewhere = [
    ["sync", "proxy"]: "the environment names the proxy, as https_proxy (docs/transport.md)",
    ["sync", "token"]: "write the token into a file, and name that in sync.token_file",
    ["sync", "password"]: "write the password into a file, and name that in sync.password_file",
  ]

  static let unclean = "contains a control character"
}
