import Testing
import TrackerBase
import TrackerLab

/// `visit` is written by hand, since the agent does without reflection. This looks with it.
@Suite("Every property of a group of settings")
struct DeclaredSettingsTests {
  @Test("is shown to visitors, under a key of its own")
  func areShown() {
    // They stand in files of their own.
    #expect(complaints(of: Settings()) == ["Settings: others is not visited"])
    #expect(complaints(of: Assumptions()) == [])
  }

  @Test("would be missed by name")
  func control() {
    #expect(
      complaints(of: Careless()) == [
        "Careless: forgotten_s is not visited", "Inner: leftOut is not visited",
        "Careless: twice is there twice",
      ])
  }

  private struct Inner: SettingGroup {
    var leftOut = ""
    static let other = Setting<String>("other", "")
    var other = ""

    mutating func visit(with visitor: inout some SettingVisitor) { visitor.visit(&other, Self.other) }
  }

  private struct Careless: SettingGroup {
    static let forgotten_s = Setting<Double>("forgotten_s", in: 0...1, "")
    var forgotten_s = 0.0
    static let one = Setting<String>("twice", "")
    var one = ""
    static let other = Setting<String>("twice", "")
    var other = ""
    static let inner = Group("inner", "")
    var inner = Inner()

    mutating func visit(with visitor: inout some SettingVisitor) {
      visitor.visit(&one, Self.one)
      visitor.visit(&other, Self.other)
      visitor.visit(&inner, Self.inner)
    }
  }

  private func complaints(of group: some SettingGroup) -> [String] {
    var (changed, change, shown) = (group, ChangedSettings(), ShownSettings())
    changed.visit(with: &change)
    changed.visit(with: &shown)
    let twice = Dictionary(grouping: shown.paths) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    return unchanged(in: group, changed) + twice.map { "\(type(of: group)): \($0) is there twice" }
  }

  /// The properties that stayed as they were, of nested groups too.
  private func unchanged(in group: any SettingGroup, _ changed: any SettingGroup) -> [String] {
    zip(Mirror(reflecting: group).children, Mirror(reflecting: changed).children).flatMap { old, new in
      if "\(old.value)" == "\(new.value)" {
        return ["\(type(of: group)): \(old.label ?? "") is not visited"]
      }
      guard let old = old.value as? any SettingGroup, let new = new.value as? any SettingGroup else {
        return []
      }
      return unchanged(in: old, new)
    }
  }
}

private struct ShownSettings: SettingVisitor {
  private var group: [String] = []
  private(set) var paths: [String] = []

  mutating func begin(group name: String, _ doc: String) { group.append(name) }
  mutating func end(group name: String) { group.removeLast() }

  mutating func visit<Value>(_ value: inout Value, _ setting: Setting<Value>) {
    paths.append((group + [setting.key]).joined(separator: "."))
  }
}
