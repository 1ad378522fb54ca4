/// Turns the entries of a file into settings, and collects everything that is wrong with them.
public struct SettingsReader: SettingVisitor {
  /// The settings that the entries ask for, with the defaults for the rest, or what `track.preset` has in their place.
  /// Where there are problems, the setting concerned has that.
  public private(set) var settings = Settings()
  /// In the order of the file.
  public private(set) var problems: [SettingsProblem] = []

  public let file: String
  private var unread: [[String]: SettingEntry]
  private var group: [String] = []
  private var names = SettingNames()
  private var refusedTables: Set<[String]> = []
  /// Where each setting that the file sets stands; for a list, where each element stands.
  private(set) var places: [String: SettingPlace] = [:]
  private(set) var elementPlaces: [String: [SettingPlace]] = [:]

  /// - Parameters:
  ///   - isWhole: false when the entries are only the beginning of a file; then each is checked by itself.
  ///   - checkSchedule: why a schedule rule is malformed; nil when it is fine.
  public init(
    _ entries: [SettingEntry], file: String, isWhole: Bool = true, checkSchedule: (String) -> String?
  ) {
    var settings = Settings(preset: TrackPreset(in: entries))
    self.init(entries, file: file, into: &settings)
    self.settings = settings
    if isWhole { checkTogether(checkSchedule: checkSchedule) }
    problems.sort()
  }

  /// Reads values of another group, such as a replay's assumptions: each by itself.
  public init(_ entries: [SettingEntry], file: String, into group: inout some SettingGroup) {
    self.file = file
    unread = Dictionary(entries.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    group.visit(with: &self)
    refuseUnread()
    problems.sort()
  }

  /// Where a setting stands in the file; nil when the file leaves it alone.
  public func place(of key: String) -> SettingPlace? { places[key] }

  // MARK: Visiting

  public mutating func begin(group name: String, _ doc: String) {
    group.append(name)
    names.add(table: group)
    guard let entry = unread.removeValue(forKey: group), entry.value != .table else { return }
    refuse(entry, "is a group of settings, not \(entry.value.kind)")
  }

  public mutating func end(group name: String) { group.removeLast() }

  public mutating func number(
    _ key: String, _ value: inout Double, in range: ClosedRange<Double>, _ doc: String
  ) {
    guard let entry = take(key) else { return }
    let number: Double
    switch entry.value {
    case .number(let written): number = written
    case .integer(let written): number = Double(written)
    case .table, .text, .flag, .texts, .other:
      return refuse(entry, wants: "a number (\(SettingText.range(range, of: key)))")
    }
    guard range.contains(number) else {
      let allowed = SettingText.range(range, of: key)
      return refuse(entry, "\(SettingText.number(number)) is outside \(allowed)")
    }
    value = number
  }

  public mutating func integer(_ key: String, _ value: inout Int, in range: ClosedRange<Int>, _ doc: String) {
    guard let entry = take(key) else { return }
    guard case .integer(let written) = entry.value else {
      return refuse(entry, wants: "a whole number (\(SettingText.range(range, of: key)))")
    }
    guard let number = Int(exactly: written), range.contains(number) else {
      return refuse(entry, "\(written) is outside \(SettingText.range(range, of: key))")
    }
    value = number
  }

  public mutating func flag(_ key: String, _ value: inout Bool, _ doc: String) {
    guard let entry = take(key) else { return }
    guard case .flag(let written) = entry.value else { return refuse(entry, wants: "true or false") }
    value = written
  }

  public mutating func text(_ key: String, _ value: inout String, _ doc: String) {
    guard let entry = take(key) else { return }
    guard case .text(let written) = entry.value else {
      return refuse(entry, wants: "text between quotes")
    }
    guard isClean(written) else { return refuse(entry, Self.unclean) }
    value = written
  }

  public mutating func choice<Choice: SettingChoice>(_ key: String, _ value: inout Choice, _ doc: String) {
    guard let entry = take(key) else { return }
    let allowed = Choice.allCases.map(\.rawValue)
    let list = allowed.map(SettingText.quoted).joined(separator: ", ")
    guard case .text(let written) = entry.value else { return refuse(entry, wants: "one of \(list)") }
    guard let choice = Choice(rawValue: written) else {
      let meant = SettingNames.nearest(to: written, among: allowed)
      return refuse(
        entry, "\(SettingText.shown(written)) is not one of \(list)",
        suggestion: meant.map(SettingText.quoted))
    }
    value = choice
  }

  public mutating func texts(_ key: String, _ value: inout [String], _ doc: String) {
    guard let entry = take(key) else { return }
    guard case .texts(let written) = entry.value else {
      return refuse(entry, wants: "a list of texts, as in [\"…\", \"…\"]")
    }
    for element in written where !isClean(element.text) {
      refuse(entry.path, at: element.place, Self.unclean)
    }
    guard written.allSatisfy({ isClean($0.text) }) else { return }
    value = written.map(\.text)
    elementPlaces[SettingText.dotted(entry.path)] = written.map(\.place)
  }

  public mutating func table(_ key: String, _ value: inout [String: String], _ doc: String) {
    let path = group + [key]
    names.add(table: path)
    guard let entry = take(key) else { return }
    guard entry.value == .table else { return refuse(entry, wants: "a table of texts") }
    let inside = unread.values.filter { $0.path.starts(with: path) }.sorted { $0.place < $1.place }
    for entry in inside {
      unread[entry.path] = nil
      guard entry.path.count == path.count + 1 else { continue }
      guard case .text(let written) = entry.value else {
        refuse(entry, wants: "text between quotes")
        continue
      }
      places[SettingText.dotted(entry.path)] = entry.place
      value[entry.path[path.count]] = written
    }
  }

  // MARK: Problems

  mutating func refuse(
    _ path: [String], at place: SettingPlace?, _ reason: String, suggestion: String? = nil
  ) {
    problems.append(
      SettingsProblem(
        file: file, place: place, key: SettingText.dotted(path), reason: reason, suggestion: suggestion))
  }

  /// The setting of that key, dotted.
  ///
  /// - Parameter other: where the reason is written, for a setting that is not in the file.
  mutating func refuse(_ key: String, or other: SettingPlace? = nil, _ reason: String) {
    refuse(key.split(separator: ".").map(String.init), at: place(of: key) ?? other, reason)
  }

  mutating func sortProblems() { problems.sort() }

  private mutating func refuse(_ entry: SettingEntry, _ reason: String, suggestion: String? = nil) {
    refuse(entry.path, at: entry.place, reason, suggestion: suggestion)
    if entry.value == .table { refusedTables.insert(entry.path) }
  }

  private mutating func refuse(_ entry: SettingEntry, wants: String) {
    refuse(entry, "must be \(wants), not \(entry.value.kind)")
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
      refuse(entry, reason, suggestion: meant)
    }
  }

  // MARK: Helpers

  private static let unclean = "contains a control character"

  private mutating func take(_ key: String) -> SettingEntry? {
    let path = group + [key]
    names.add(setting: path)
    guard let entry = unread.removeValue(forKey: path) else { return nil }
    places[SettingText.dotted(path)] = entry.place
    return entry
  }

  private func isClean(_ text: String) -> Bool { !text.unicodeScalars.contains(where: SettingText.isControl) }
}
