/// `value` with exactly `decimals` digits after the point, rounded, zero-filled to `width` digits before it.
func fixed(_ value: Double, decimals: Int, width: Int = 1) -> String {
  var scale: Int64 = 1
  for _ in 0..<decimals { scale *= 10 }
  let scaled = Int64((abs(value) * Double(scale)).rounded())
  let sign = value < 0 && scaled != 0 ? "-" : ""
  let whole = sign + padded(scaled / scale, width)
  return decimals == 0 ? whole : whole + "." + padded(scaled % scale, decimals)
}

/// `value` zero-filled to `width` digits.
func padded(_ value: some BinaryInteger, _ width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// The number that `text` spells in plain digits, or nil. `Int("+5")` would accept a sign.
func digits(_ text: some StringProtocol) -> Int? {
  !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
}
