import TrackerBase

/// Settings from the command line, as `group.key=value`. A value is written as in TOML; text needs no quotes
/// unless it would be something else without them.
public enum SettingsOverride {
  public static let option = "--set"
  /// Stands for a place that is in no file.
  private static let nowhere = SettingPlace(line: 0, column: 0)

  /// - Parameter option: what errors call the place, such as `--set`.
  public static func entries(
    _ texts: [String], option: String = option
  ) throws(SettingsFileError) -> [SettingEntry] {
    var entries: [SettingEntry] = []
    var problems: [SettingsProblem] = []
    for text in texts {
      guard let found = parse(text) else {
        let reason = "\(SettingText.quoted(text)) is not KEY=VALUE, such as motion.stop_timeout_s=600"
        problems.append(SettingsProblem(file: option, place: nil, key: "", reason: reason))
        continue
      }
      entries += found
    }
    guard problems.isEmpty else { throw .invalid(problems) }
    return entries
  }

  /// Values of another group than the settings, such as a replay's assumptions.
  public static func read(
    _ texts: [String], option: String, into group: inout some SettingGroup
  ) throws(SettingsFileError) {
    let reader = SettingsReader(
      merged([], with: try entries(texts, option: option)), file: option, into: &group)
    guard reader.problems.isEmpty else { throw .invalid(reader.problems) }
  }

  /// The last of several values for one key counts.
  static func merged(_ entries: [SettingEntry], with overrides: [SettingEntry]) -> [SettingEntry] {
    var all = Dictionary(entries.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    for entry in overrides where entry.value != .table || all[entry.path] == nil { all[entry.path] = entry }
    return Array(all.values)
  }

  /// A problem that an override has, with the option's name in place of the file's.
  static func blamed(_ problem: SettingsProblem, _ overrides: [SettingEntry]) -> SettingsProblem {
    guard problem.line == 0, overrides.contains(where: { SettingText.dotted($0.path) == problem.key }) else {
      return problem
    }
    var blamed = problem
    blamed.file = option
    return blamed
  }

  private static func parse(_ text: String) -> [SettingEntry]? {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    let key = text[..<equals]
    let value = text[text.index(after: equals)...].drop { $0 == " " }
    let candidates = ["\(key) = \(value)", "\(key) = \(SettingText.quoted(String(value)))"]
    for candidate in candidates {
      guard let document = try? TOMLDocument(Array(candidate.utf8)) else { continue }
      return document.entries.map(placeless)
    }
    return nil
  }

  private static func placeless(_ entry: SettingEntry) -> SettingEntry {
    var entry = entry
    entry.place = nowhere
    if case .texts(let elements) = entry.value {
      entry.value = .texts(elements.map { SettingEntry.Element(text: $0.text, place: nowhere) })
    }
    return entry
  }
}
