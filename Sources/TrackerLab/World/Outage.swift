import TrackerBase

/// An outage that cannot be read.
public struct OutageError: Error, Equatable, CustomStringConvertible {
  public var text: String

  public init(text: String) { self.text = text }

  public var description: String {
    "network.outages: \"\(text)\" is not an outage: write when it begins after the recording's start and how "
      + "long it lasts, such as \"2h for 45m\""
  }
}

enum Outage {
  /// - Returns: in the recording's time, which starts at `from_ms`.
  static func spans(_ texts: [String], from_ms: Int64) throws(OutageError) -> [Span] {
    var spans: [Span] = []
    for text in texts {
      let words = text.split(separator: " ")
      guard words.count == 3, words[1] == "for", let start_s = offset_s(words[0]),
        let length_s = lengthInSeconds(String(words[2]))
      else { throw OutageError(text: text) }
      let start_ms = from_ms + start_s * 1000
      spans.append(Span(start_ms: start_ms, end_ms: start_ms + length_s * 1000))
    }
    return spans
  }

  private static func offset_s(_ word: Substring) -> Int64? {
    word == "0" || word == "0s" ? 0 : lengthInSeconds(String(word))
  }
}
