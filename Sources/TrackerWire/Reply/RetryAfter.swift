/// How long a server asks to be left alone (RFC 9110, 10.2.3).
public enum RetryAfter {
  /// No longer wait is believed.
  public static let most_s = 86_400

  /// - Parameters:
  ///   - text: the header's value.
  ///   - from_s: what a date is measured from, Unix seconds; nil if nobody knows.
  ///   - date: Unix seconds of an HTTP date; nil for what is none.
  /// - Returns: 0...`most_s`; nil for what is neither whole seconds nor a date.
  public static func seconds(_ text: String, from from_s: Int64?, date: (String) -> Int64?) -> Int? {
    let text = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    if text.isEmpty { return nil }
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // More digits than any number has are a very long time.
      return min(Int(text) ?? most_s, most_s)
    }
    // All three forms of a date begin with the day of the week and hold a time (5.6.7); readers of dates take more.
    guard text.first?.isLetter == true, text.contains(":"), let from_s, let date_s = date(text) else {
      return nil
    }
    if date_s <= from_s { return 0 }
    let (wait_s, isAges) = date_s.subtractingReportingOverflow(from_s)
    return isAges ? most_s : Int(min(wait_s, Int64(most_s)))
  }
}
