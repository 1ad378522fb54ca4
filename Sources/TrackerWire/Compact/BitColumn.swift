/// One column of a compact batch: whole numbers, most of them small, as bits. docs/godwit.proto defines the
/// coding; every step here follows it.
enum BitColumn {
  static func write(_ values: [Int64], to bits: inout BitWriter) {
    let dense = values.map(zigzag)
    let (runs, changes) = split(dense)
    bits.append(changes.isEmpty ? 0 : 1, count: 1)
    if changes.isEmpty { return }
    let (denseKey, denseBits) = bestKey(dense, upTo: 15)
    let (runKey, runBits) = bestKey(runs, upTo: 14)
    let (changeKey, changeBits) = bestKey(changes, upTo: 15)
    guard runBits + changeBits < denseBits else {
      bits.append(UInt64(denseKey), count: 8)
      for value in dense { bits.append(value, key: denseKey) }
      return
    }
    bits.append(UInt64((runKey + 1) << 4 | changeKey), count: 8)
    for (index, run) in runs.enumerated() {
      bits.append(run, key: runKey)
      if index < changes.count { bits.append(changes[index], key: changeKey) }
    }
  }

  /// 0, -1, 1, -2 … to 0, 1, 2, 3 …
  static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }

  /// The lengths of the runs of zeros, and the values that end them. A run at the end has no value after it.
  private static func split(_ values: [UInt64]) -> (runs: [UInt64], changes: [UInt64]) {
    var runs: [UInt64] = []
    var changes: [UInt64] = []
    var zeros: UInt64 = 0
    for value in values {
      if value == 0 {
        zeros += 1
      } else {
        runs.append(zeros)
        changes.append(value)
        zeros = 0
      }
    }
    if zeros > 0 { runs.append(zeros) }
    return (runs, changes)
  }

  private static func bestKey(_ values: [UInt64], upTo last: Int) -> (key: Int, bits: Int) {
    var best = (key: 0, bits: Int.max)
    for key in 0...last {
      let bits = values.reduce(0) { $0 + BitWriter.length(of: $1, key: key) }
      if bits < best.bits { best = (key, bits) }
    }
    return best
  }
}

/// Bits into bytes, the highest of each byte first.
struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var free = 0

  /// The lowest `count` bits of `value`, the highest of them first.
  mutating func append(_ value: UInt64, count: Int) {
    for bit in stride(from: count - 1, through: 0, by: -1) {
      if free == 0 {
        bytes.append(0)
        free = 8
      }
      free -= 1
      bytes[bytes.count - 1] |= UInt8(truncatingIfNeeded: value >> UInt64(bit) & 1) << UInt8(free)
    }
  }

  /// The number of bits of `value >> key` in ones and a zero, these bits without the first, which is always 1,
  /// and the `key` lowest bits.
  mutating func append(_ value: UInt64, key: Int) {
    let high = value >> UInt64(key)
    let width = 64 - high.leadingZeroBitCount
    for _ in 0..<width { append(1, count: 1) }
    append(0, count: 1)
    append(high, count: max(0, width - 1))
    append(value, count: key)
  }

  static func length(of value: UInt64, key: Int) -> Int {
    let width = 64 - (value >> UInt64(key)).leadingZeroBitCount
    return width + 1 + max(0, width - 1) + key
  }
}
