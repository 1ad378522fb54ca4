import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

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
    #expect(TrackerBase.counted(number, "record") == noun)
    #expect(TrackerBase.counted(Int64(number), "record waits", "records wait") == words)
  }
}
