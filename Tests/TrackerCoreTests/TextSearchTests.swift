import Testing
import TrackerCore

@Suite("A text in a text")
struct TextSearchTests {
  /// What Swift itself finds, byte by byte.
  static func place(of text: String, in whole: String) -> Int? {
    let (bytes, wanted) = (Array(whole.utf8), Array(text.utf8))
    return (0...bytes.count).first { bytes[$0...].starts(with: wanted) }
  }

  @Test(
    "is found where it first stands, at the ends too, and not past the end",
    arguments: [
      ("<title>Log in</title>", "<title>"), ("<title>Log in</title>", "</title>"), ("aab", "ab"),
      ("aaab", "aab"),
      ("ab", "abc"), ("", ""), ("", "a"), ("a", ""), ("Zürich Süd", "ü"), ("Zürich Süd", "Süd"),
      ("a\r\nb", "\n"),
      ("e\u{301}", "e"), ("👩‍👧", "👧"),
    ])
  func found(_ whole: String, _ text: String) throws {
    let range = whole.firstRange(of: text)
    #expect(
      range.map { whole.utf8.distance(from: whole.startIndex, to: $0.lowerBound) }
        == Self.place(of: text, in: whole))
    #expect(range.map { Array(whole.utf8[$0]) } ?? Array(text.utf8) == Array(text.utf8))
    #expect(whole.contains(text) == (range != nil))
    #expect(("x" + whole).dropFirst().contains(text) == (range != nil), "in a part as in the whole")
  }
}
