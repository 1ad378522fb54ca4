import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Words of somebody else's on a terminal")
struct PlainTextTests {
  @Test(
    "nobody sees controls, marks of direction, and characters without a width",
    arguments: [
      "\u{0}", "\u{1B}", "\u{7F}", "\u{9B}", "\u{AD}", "\u{34F}", "\u{61C}", "\u{115F}", "\u{200B}",
      "\u{200D}",
      "\u{200E}", "\u{2028}", "\u{202A}", "\u{202E}", "\u{2060}", "\u{2066}", "\u{2069}", "\u{FEFF}",
      "\u{FFF9}",
      "\u{E0001}", "\u{E0041}",
    ] as [Unicode.Scalar])
  func hidden(scalar: Unicode.Scalar) {
    #expect(PlainText.isHidden(scalar))
    #expect(PlainText.line("a\(scalar)b", instead: "?") == (scalar == "\u{200D}" ? "a\u{200D}b" : "a?b"))
  }

  @Test(
    "letters of any script, blanks and pictures are seen",
    arguments: ["a", " ", "\u{A0}", "é", "車", "ش", "🚗", "\u{301}", "\u{FE0F}"] as [Unicode.Scalar])
  func seen(scalar: Unicode.Scalar) { #expect(!PlainText.isHidden(scalar)) }

  @Test("a character is named as Unicode does")
  func name() {
    #expect(PlainText.name(of: "\u{202E}") == "U+202E" && PlainText.name(of: "\u{7}") == "U+0007")
  }
}
