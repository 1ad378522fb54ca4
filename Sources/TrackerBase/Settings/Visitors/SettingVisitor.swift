/// Walks every setting of a group, once each, in the order of the reference file.
///
/// Reading a file, writing the reference file and the JSON Schema, and listing are visitors.
public protocol SettingVisitor {
  mutating func begin(group: String, _ doc: String)
  mutating func end(group: String)
  mutating func visit<Value>(_ value: inout Value, _ setting: Setting<Value>)
}

extension SettingVisitor {
  public mutating func visit(_ members: inout some SettingGroup, _ group: Group) {
    begin(group: group.name, group.doc)
    members.visit(with: &self)
    end(group: group.name)
  }
}
