import Foundation

/// What makes a record the same record when it comes again.
///
/// Godwit's uuid is a version 8 UUID (RFC 9562, section 5.8) that carries the queue id (60 bits: the 48
/// before the version and the 12 after it) and the sequence (the 62 bits after the variant). Any other uuid
/// stands for itself; the original geomony client sends version 4.
enum RecordIdentity: Equatable, Sendable {
  case sequenced(queueID: Int64, sequence: Int64)
  case uuid

  /// Stands in the queue column for records that come from no Godwit queue; a queue id is never negative.
  static let noQueueID: Int64 = -1

  /// Nil for records that come from no Godwit queue.
  var sequence: Int64? { if case .sequenced(_, let sequence) = self { sequence } else { nil } }

  init(_ uuid: UUID) {
    let (high, low) = Self.halves(of: uuid)
    let version = (high >> 12) & 0xf
    let variant = low >> 62
    guard version == 8, variant == 0b10 else {
      self = .uuid
      return
    }
    self = .sequenced(
      queueID: Int64((high >> 16) << 12 | (high & 0xfff)),
      sequence: Int64(low & 0x3fff_ffff_ffff_ffff))
  }

  /// Both numbers as a uuid carries them.
  init(queueID: UInt64, sequence: Int64) {
    self = .sequenced(
      queueID: Int64(queueID & 0x0fff_ffff_ffff_ffff), sequence: sequence & 0x3fff_ffff_ffff_ffff)
  }

  /// The uuid that carries both numbers.
  static func uuid(queueID: UInt64, sequence: Int64) -> String {
    let high = (queueID >> 12) << 16 | 0x8000 | queueID & 0xfff
    let low = 0x8000_0000_0000_0000 | UInt64(bitPattern: sequence) & 0x3fff_ffff_ffff_ffff
    return String(unsafeUninitializedCapacity: 36) { text in
      var place = 0
      for digit in 0..<32 {
        if [8, 12, 16, 20].contains(digit) {
          text[place] = UInt8(ascii: "-")
          place += 1
        }
        let value = UInt8(truncatingIfNeeded: (digit < 16 ? high : low) >> UInt64(60 - digit % 16 * 4)) & 15
        text[place] = value + (value < 10 ? 0x30 : 0x57)
        place += 1
      }
      return place
    }
  }

  private static func halves(of uuid: UUID) -> (high: UInt64, low: UInt64) {
    withUnsafeBytes(of: uuid.uuid) { bytes in
      let number = { (range: Range<Int>) in bytes[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
      return (number(0..<8), number(8..<16))
    }
  }
}
