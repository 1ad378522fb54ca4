/// Numbers as track files write them.
enum NumberText {
  /// Nil for anything but a decimal number, with or without an exponent; infinite if it is too large.
  static func double(_ text: ArraySlice<UInt8>) -> Double? {
    // Double(String) alone would also take "nan", "infinity" and "0x1p3".
    let isDecimal = text.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
    return isDecimal ? Double(String(decoding: text, as: UTF8.self)) : nil
  }

  /// Nil for anything but plain digits, with or without a minus.
  static func integer(_ text: ArraySlice<UInt8>) -> Int64? {
    text.first == UInt8(ascii: "+") ? nil : Int64(String(decoding: text, as: UTF8.self))
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
