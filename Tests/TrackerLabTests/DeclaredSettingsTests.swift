import Testing
import TrackerBase
import TrackerLab

@Suite("Every property of a group of settings")
struct DeclaredSettingsTests {
  @Test("is declared, under a key of its own")
  func areDeclared() {
    // They are in files of their own.
    #expect(complaints(of: Settings()) == ["Settings: others is not declared"])
    #expect(complaints(of: Assumptions()) == [])
  }

  @Test("would be missed by name")
  func control() {
    #expect(
      complaints(of: Careless()) == [
        "Careless: forgotten_s is not declared", "Careless: twice is there twice",
        "Inner: leftOut is not declared",
      ])
  }

  @Test("can be changed, and no other changes with it", arguments: SettingsListing.lines(of: Settings()))
  func change(line: SettingsListing.Line) {
    let changed = ChangedSettings.of(Settings(), key: line.key)
    #expect(SettingsListing.changes(in: changed, from: Settings()).map(\.key) == [line.key])
  }

  private struct Inner: SettingGroup {
    var leftOut = ""
    @Setting("other", "") var other = ""
  }

  private struct Careless: SettingGroup {
    var forgotten_s = 0.0
    @Setting("twice", "") var one = ""
    @Setting("twice", "") var other = ""
    @Group("inner", "") var inner = Inner()
  }

  private func complaints(of group: any SettingGroup) -> [String] {
    let name = "\(type(of: group))"
    let children = Mirror(reflecting: group).children
    let forgotten = children.filter { !($0.value is any AnySetting || $0.value is any AnyGroup) }
    let keys = Dictionary(grouping: group.nodes.map(\.key)) { $0 }
    return forgotten.map { "\(name): \($0.label ?? "") is not declared" }
      + keys.filter { $0.value.count > 1 }.keys.sorted().map { "\(name): \($0) is there twice" }
      + children.compactMap { ($0.value as? any Inside)?.inside }.flatMap { complaints(of: $0) }
  }
}

private protocol Inside {
  var inside: any SettingGroup { get }
}

extension Group: Inside {
  fileprivate var inside: any SettingGroup { wrappedValue }
}

extension SettingNode {
  fileprivate var key: String {
    switch self {
    case .setting(let setting): setting.key
    case .group(let group): group.key
    }
  }
}
