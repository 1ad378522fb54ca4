import Testing

@testable import TrackerIO

@Suite("The last lines of the log")
struct RecentLinesTests {
  @Test("the newest, oldest first, within both bounds")
  func bounds() {
    var recent = RecentLines()
    #expect(recent.last(5) == [])
    for number in 0..<250 { recent.append(.notice, "line \(number)", at: 1_772_435_000_000) }
    #expect(
      recent.last(2) == [
        "2026-03-02T07:03:20.000Z notice: line 248", "2026-03-02T07:03:20.000Z notice: line 249",
      ])
    #expect(recent.last(1000).count == 100)
    #expect(recent.last(1000).first?.hasSuffix("line 150") == true)
    #expect(recent.last(1000, most_bytes: 100).count == 2)
    recent.append(.error, String(repeating: "x", count: 5000), at: 0)
    #expect(recent.last(1).first?.utf8.count == RecentLines.longestLine_bytes)
  }

  @Test(
    "a number that could be part of a place does not leave the box",
    arguments: [
      ("at 47.0012687 8.0016115!", "at … …!"), ("12 m, 3.5 s, 10.25", "12 m, 3.5 s, 10.25"),
      ("version 1.2.3.", "version 1.2.3."), ("-0.123", "-…"), ("127.0.0.1:80", "127.0.0.1:80"), ("", ""),
    ])
  func places(line: String, shown: String) { #expect(RecentLines.withoutPlaces(line) == shown) }
}
