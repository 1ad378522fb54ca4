/// Numbers as track files write them, straight from the bytes.
enum NumberText {
  // Both factors of the division are exact up to here, so its result is the nearest Double: W. Clinger,
  // "How to Read Floating Point Numbers Accurately", 1990.
  private static let largestExact: UInt64 = 1 << 53
  private static let powersOfTen: [Double] = (0...22).map { count in
    (0..<count).reduce(1) { power, _ in power * 10 }
  }

  /// Nil for anything but a decimal number, with or without an exponent; infinite if it is too large.
  static func double(_ text: ArraySlice<UInt8>) -> Double? {
    var index = text.startIndex
    let sign = text.first
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { index += 1 }
    var (mantissa, decimals, digits): (UInt64, Int, Int) = (0, 0, 0)
    var sawPoint = false
    while index < text.endIndex {
      let byte = text[index]
      if (0x30...0x39).contains(byte) {
        mantissa = mantissa * 10 + UInt64(byte - 0x30)
        digits += 1
        if sawPoint { decimals += 1 }
      } else if byte == UInt8(ascii: "."), !sawPoint {
        sawPoint = true
      } else {
        return unusual(text)
      }
      guard mantissa <= largestExact, decimals < powersOfTen.count else { return unusual(text) }
      index += 1
    }
    guard digits > 0 else { return nil }
    let value = Double(mantissa) / powersOfTen[decimals]
    return sign == UInt8(ascii: "-") ? -value : value
  }

  /// Nil for anything but plain digits, with or without a minus.
  static func integer(_ text: ArraySlice<UInt8>) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    guard let value = digits(isNegative ? text.dropFirst() : text) else { return nil }
    return isNegative ? -value : value
  }

  /// Nil for anything but 1 to 18 digits.
  static func digits(_ text: ArraySlice<UInt8>) -> Int64? {
    guard (1...18).contains(text.count) else { return nil }
    var value: Int64 = 0
    for byte in text {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - 0x30)
    }
    return value
  }

  // Double(String) alone would also take "nan", "infinity" and "0x1p3".
  private static func unusual(_ text: ArraySlice<UInt8>) -> Double? {
    let isDecimal = text.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
    return isDecimal ? Double(String(decoding: text, as: UTF8.self)) : nil
  }
}

extension ArraySlice<UInt8> {
  /// Without white space at both ends.
  var trimmed: ArraySlice<UInt8> {
    var (start, end) = (startIndex, endIndex)
    while start < end, self[start] <= 0x20 { start += 1 }
    while start < end, self[end - 1] <= 0x20 { end -= 1 }
    return self[start..<end]
  }
}
