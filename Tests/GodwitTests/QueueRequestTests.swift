import Testing
import TrackerBase
import TrackerIO

@testable import godwit

@Suite("Questions about the queue")
struct QueueRequestTests {
  static let requests: [QueueRequest] = [
    .summary, .records(after: 0), .quarantine(after: 7), .quarantined(after: .max),
    .count(QueueSelection(), after: 3), .count(QueueSelection(before_ms: -5, positionsOnly: true), after: 3),
    .purge(QueueSelection(before_ms: 1_767_225_600_000), after: 0, through: 9), .retry([4, 12]),
  ]

  @Test("each line reads back as the request that it was", arguments: requests)
  func roundTrip(_ request: QueueRequest) { #expect(QueueRequest(request.line) == request) }

  @Test(
    "what is no request is refused",
    arguments: [
      "", "queu", "queue x", "queue records", "queue records -1", "queue records 1 2", "queue retry",
      "queue retry 4 x", "queue count 0 before= some", "queue count 0 before=x all",
      "queue purge 0 before= all",
      "queue purge 0 9", "queue purge 99999999999999999999 9 before= all",
    ])
  func refused(_ line: String) { #expect(QueueRequest(line) == nil) }

  @Test("as many sequences as one request takes fit into a line")
  func longest() {
    let request = QueueRequest.retry(Array(repeating: .max, count: QueueRequest.maxSequences))
    #expect(request.line.utf8.count <= 1024)
  }

  @Test("a server's words cannot steer the terminal")
  func printable() { #expect(PlainText.line("a\u{1B}[2J\u{9B}b\nü") == "a [2J b ü") }
}
