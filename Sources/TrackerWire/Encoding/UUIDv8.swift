import TrackerBase

/// The uuid of a record, made from its identity: the same record always has the same one, so that a receiver
/// that keys by uuid stores it once.
public enum UUIDv8 {
  /// RFC 9562, section 5.8, version 8 with our own layout: 48 bits, the version, 12 bits, the variant, 62 bits.
  /// The first 60 free bits are the queue id, high bits first, and the last 62 the sequence.
  public static func text(queueID: UInt64, sequence: Int64) -> String {
    let id = queueID & 0x0FFF_FFFF_FFFF_FFFF
    let high = (id >> 12) << 16 | 0x8000 | id & 0x0FFF
    let low = 0x8000_0000_0000_0000 | UInt64(bitPattern: sequence) & 0x3FFF_FFFF_FFFF_FFFF
    let digits = SettingText.hex(high, digits: 16) + SettingText.hex(low, digits: 16)
    return [8, 4, 4, 4, 12].reduce(into: (text: "", rest: digits[...])) { uuid, length in
      uuid.text += (uuid.text.isEmpty ? "" : "-") + uuid.rest.prefix(length)
      uuid.rest = uuid.rest.dropFirst(length)
    }.text
  }
}
