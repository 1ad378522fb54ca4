import Testing

@testable import TrackerCore

@Suite("The state while it is put together")
struct StateDraftTests {
  private func text(_ fill: (inout StateWords) -> Void) -> String {
    var draft = StateDraft()
    draft.write("key", fill)
    return draft.values["key"] ?? "nothing"
  }

  @Test("words have a space between them, and the next value begins anew")
  func words() {
    var draft = StateDraft()
    draft.write("first") { words in
      words.add("boot")
      words.add(12)
      words.add(0.5, decimals: 3)
    }
    draft.write("empty") { _ in }
    draft.write("second") { $0.add("alone") }
    draft["whole"] = "as it is"
    #expect(
      draft.values == ["first": "boot 12 0.5", "empty": "", "second": "alone", "whole": "as it is"])
  }

  @Test("whole numbers up to the last one", arguments: [0, 7, -7, 10, 1_800_000_000_000, .min, .max])
  func whole(_ number: Int64) { #expect(text { $0.add(number) } == "\(number)") }

  @Test(
    "decimals: as many as there are, rounded to the nearest",
    arguments: [
      (0, 3, "0"), (-0.0, 3, "0"), (12, 3, "12"), (12.5, 3, "12.5"), (0.001, 3, "0.001"), (0.0004, 3, "0"),
      (-0.25, 3, "-0.25"), (1.9996, 3, "2"), (1234567.8905, 3, "1234567.891"), (47.1234567, 7, "47.1234567"),
      (-8.0500001, 7, "-8.0500001"), (9_007_199_254_740, 3, "9007199254740"),
    ] as [(Double, Int, String)])
  func decimals(_ number: Double, _ decimals: Int, _ expected: String) {
    #expect(text { $0.add(number, decimals: decimals) } == expected)
  }

  @Test("what has no such decimals is written as Swift writes it, and none of it ends the process")
  func absurd() {
    for number in [Double.nan, .infinity, -.infinity, 1e300, -1e17] {
      #expect(text { $0.add(number, decimals: 3) } == "\(number)")
    }
  }

  @Test("a random number reads back within half of the last decimal")
  func readsBack() throws {
    var random = SeededRandom(1)
    for _ in 0..<10_000 {
      let number: Double = .random(in: -1e9...1e9, using: &random)
      let read: Double = try #require(Double(text { $0.add(number, decimals: 3) }))
      #expect(abs(read - number) <= 0.000_500_2, "\(number)")
    }
  }
}
