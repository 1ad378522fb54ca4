/// A short name for a set of settings, so that a fleet's status shows which devices run the same ones.
///
/// Stable across runs and machines. Left out, since they may be secret: the values of headers.
public struct SettingsHash: SettingVisitor {
  private var group: [String] = []
  private var hash = FNV1a()

  /// 16 hexadecimal digits.
  public static func of(_ settings: Settings) -> String {
    var copy = settings
    var visitor = SettingsHash()
    copy.visit(with: &visitor)
    return SettingText.hex(visitor.hash.value, digits: 16)
  }

  public mutating func begin(group name: String, _ doc: String) { group.append(name) }
  public mutating func end(group name: String) { group.removeLast() }

  public mutating func number(
    _ key: String, _ value: inout Double, in range: ClosedRange<Double>, _ doc: String
  ) {
    add(key, SettingText.number(value))
  }

  public mutating func integer(_ key: String, _ value: inout Int, in range: ClosedRange<Int>, _ doc: String) {
    add(key, "\(value)")
  }

  public mutating func flag(_ key: String, _ value: inout Bool, _ doc: String) { add(key, "\(value)") }

  public mutating func text(_ key: String, _ value: inout String, _ doc: String) {
    add(key, SettingText.quoted(value))
  }

  public mutating func choice<Choice: SettingChoice>(_ key: String, _ value: inout Choice, _ doc: String) {
    add(key, SettingText.quoted(value.rawValue))
  }

  public mutating func texts(_ key: String, _ value: inout [String], _ doc: String) {
    add(key, value.map(SettingText.quoted).joined(separator: ","))
  }

  public mutating func table(_ key: String, _ value: inout [String: String], _ doc: String) {
    add(key, value.keys.sorted().map(SettingText.quoted).joined(separator: ","))
  }

  private mutating func add(_ key: String, _ value: String) {
    hash.add("\((group + [key]).joined(separator: "."))=\(value)\n")
  }
}

/// FNV-1a with 64 bits (draft-eastlake-fnv). Not for anything that an adversary may choose.
struct FNV1a: Equatable {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ text: String) {
    for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
  }
}
