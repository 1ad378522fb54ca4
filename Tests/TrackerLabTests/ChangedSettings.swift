import TrackerBase

/// Gives one setting, or all, another value that it may have.
enum ChangedSettings {
  /// - Parameter key: as `group.key`; nil for all.
  static func of<Members: SettingGroup>(_ group: Members, key: String? = nil) -> Members {
    var group = group
    group.change { setting, path in
      if key == nil || key == path.joined(separator: ".") {
        setting.value = other(than: setting.value, setting.type)
      }
    }
    return group
  }

  private static func other(than value: SettingValue, _ type: SettingType) -> SettingValue {
    switch type {
    case .number(let range):
      value == .number(range.lowerBound) ? .number(range.upperBound) : .number(range.lowerBound)
    case .integer(let range):
      value == .integer(range.lowerBound) ? .integer(range.upperBound) : .integer(range.lowerBound)
    case .choice(let choice): .text(choice.names.first { .text($0) != value }!)
    case .flag: .flag(value != .flag(true))
    case .text: .text("/other")
    case .texts: .texts(["/other"])
    case .table: .table(["Other": "/other"])
    }
  }
}
