/// A short name for a set of settings, so that a fleet's status shows which devices run the same ones.
///
/// Stable across runs and machines. Left out, since they may be secret: the values of headers.
public enum SettingsHash {
  /// 16 hexadecimal digits.
  public static func of(_ settings: Settings) -> String {
    var hash = FNV1a()
    hash.add(settings)
    for other in settings.others {
      var only = Settings()
      only.sync = other.sync
      hash.add("[\(other.name)]\n")
      hash.add(only)
    }
    return SettingText.hex(hash.value, digits: 16)
  }
}

extension FNV1a {
  fileprivate mutating func add(_ settings: Settings) {
    for line in SettingsListing.lines(of: settings) { add("\(line.key)=\(line.value)\n") }
  }
}

/// FNV-1a with 64 bits (draft-eastlake-fnv). Not for anything that an adversary may choose.
public struct FNV1a: Equatable, Sendable {
  public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  public init() {}

  public mutating func add(_ text: String) {
    for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
  }
}
