import TrackerBase

/// Gives one setting, or all, another value that it may have.
struct ChangedSettings: SettingVisitor {
  private let key: String?
  private var group: [String] = []

  /// - Parameter key: as `group.key`; nil for all.
  init(key: String? = nil) { self.key = key }

  mutating func begin(group name: String, _ doc: String) { group.append(name) }
  mutating func end(group name: String) { group.removeLast() }

  mutating func visit<Value>(_ value: inout Value, _ setting: Setting<Value>) {
    if let key, key != (group + [setting.key]).joined(separator: ".") { return }
    value = Value(setting: other(than: value.settingValue, setting.type)) ?? value
  }

  private func other(than value: SettingValue, _ type: SettingType) -> SettingValue {
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
