/// `value` with exactly `decimals` digits after the point, rounded.
package func fixed(_ value: Double, decimals: Int) -> String {
  guard value.magnitude < 1e12 else { return "\(value)" }
  var scale: Int64 = 1
  for _ in 0..<decimals { scale *= 10 }
  let scaled = Int64((value.magnitude * Double(scale)).rounded())
  let sign = value < 0 && scaled != 0 ? "-" : ""
  guard decimals > 0 else { return sign + String(scaled) }
  let digits = String(scaled % scale)
  return sign + "\(scaled / scale)." + String(repeating: "0", count: decimals - digits.count) + digits
}
