/// Walks every setting of a group, once each, in the order of the reference file.
///
/// `Settings.visit(with:)` is the one place where a setting is declared: its key, storage, range and meaning.
/// Its default is the initial value of the stored property. Reading a file, writing the reference file and
/// the JSON Schema, and hashing are visitors.
public protocol SettingVisitor {
  mutating func begin(group: String, _ doc: String)
  mutating func end(group: String)
  mutating func number(_ key: String, _ value: inout Double, in range: ClosedRange<Double>, _ doc: String)
  mutating func integer(_ key: String, _ value: inout Int, in range: ClosedRange<Int>, _ doc: String)
  mutating func flag(_ key: String, _ value: inout Bool, _ doc: String)
  mutating func text(_ key: String, _ value: inout String, _ doc: String)
  mutating func choice<Choice: SettingChoice>(_ key: String, _ value: inout Choice, _ doc: String)
  mutating func texts(_ key: String, _ value: inout [String], _ doc: String)
  /// A table of free keys with text values.
  mutating func table(_ key: String, _ value: inout [String: String], _ doc: String)
}

/// Something whose values are declared with `visit(with:)`.
public protocol SettingGroup {
  mutating func visit(with visitor: inout some SettingVisitor)
}

/// A setting with a few named values.
public typealias SettingChoice = RawRepresentable<String> & CaseIterable & Sendable & Equatable
