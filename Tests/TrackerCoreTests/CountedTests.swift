import Testing

@testable import TrackerCore

@Suite("Numbers in sentences")
struct CountedTests {
  @Test(
    "one is singular, and nothing else is",
    arguments: [
      (0, "0 records", "0 records wait"), (1, "1 record", "1 record waits"),
      (2, "2 records", "2 records wait"),
      (21, "21 records", "21 records wait"), (-1, "-1 records", "-1 records wait"),
    ])
  func counted(number: Int, noun: String, words: String) {
    #expect(TrackerCore.counted(number, "record") == noun)
    #expect(TrackerCore.counted(Int64(number), "record waits", "records wait") == words)
  }
}
