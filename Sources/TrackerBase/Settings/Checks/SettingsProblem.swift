/// One thing that is wrong with a settings file.
///
/// Neither `reason` nor `description` holds a header's value or anything out of a token file.
public struct SettingsProblem: Error, Equatable, Sendable {
  /// The file's name, as the operator gave it.
  public var file: String
  /// 0 when the problem has no line.
  public var line: Int
  public var column: Int
  /// The setting, as `group.key`; empty when the text could not be read as far as its keys.
  public var key: String
  public var reason: String
  /// What was probably meant: a setting or one of its values.
  public var suggestion: String?

  public init(
    file: String, place: SettingPlace?, key: String, reason: String, suggestion: String? = nil
  ) {
    self.file = file
    self.line = place?.line ?? 0
    self.column = place?.column ?? 0
    self.key = key
    self.reason = reason
    self.suggestion = suggestion
  }

  /// But for where it stands.
  public func isSame(as other: SettingsProblem) -> Bool {
    (file, key, reason) == (other.file, other.key, other.reason)
  }
}

extension SettingsProblem: CustomStringConvertible {
  public var description: String {
    (line == 0 ? "\(file): " : "\(file):\(line): ") + words
  }

  /// But for the file.
  var words: String {
    (key.isEmpty ? "" : "\(key): ") + reason + (suggestion.map { "; did you mean \($0)?" } ?? "")
  }
}

extension SettingsProblem: Comparable {
  /// The order of the file.
  public static func < (a: SettingsProblem, b: SettingsProblem) -> Bool {
    (a.line, a.column, a.key) < (b.line, b.column, b.key)
  }
}
