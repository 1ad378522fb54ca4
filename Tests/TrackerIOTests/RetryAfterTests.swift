import Testing
import TrackerBase
import TrackerDispatch

@testable import TrackerIO

/// From the header to the time of the next attempt; what it may say, value by value, is in RetryAfterTableTests.
@Suite("Retry-After")
struct RetryAfterTests {
  /// What the machine waits after a 503 with that header, without chance: what was asked for.
  private func wait_s(_ header: String) throws -> Int64? {
    let server = ScriptedServer([
      .json("503 Busy", "", headers: header.isEmpty ? "" : "Retry-After: \(header)\r\n")
    ])
    let uploader = try HTTPUploader(version: "0")
    try uploader.start(
      UploadRequest(url: server.url, body: [], contentType: "application/json", requestTimeout_s: 300))
    let result = try finish(uploader, with: server)
    var settings = Settings()
    settings.sync.url = server.url
    var machine = SyncMachine(settings: settings.sync, at: 0)
    _ = machine.queueChanged(count: 5, urgent: true, at: 0)
    let reply = UploadReply(status: result.status, retryAfter_s: result.retryAfter_s, sent: [1])
    for case .failed(_, let wait_ms) in machine.uploadFinished(reply, at: 0, chance: 0) {
      return wait_ms / 1000
    }
    return nil
  }

  @Test(
    "in seconds it is waited for, up to a day; what makes no sense is a plain failure",
    arguments: [
      ("", 1), ("0", 1), ("120", 120), ("99999999999999999999", 86_400), ("soon", 1),
    ] as [(String, Int64)])
  func seconds(header: String, wait_s: Int64) throws { #expect(try self.wait_s(header) == wait_s) }

  // A board whose clock stands in 1970 would wait for a day, and one in 2040 not at all.
  @Test("a date is measured from the server's own, where that stands beside it")
  func serversDate() throws {
    let ahead_s: Int64 = 900 * 86_400
    #expect(try wait_s("\(httpDate(ahead_s + 100))\r\nDate: \(httpDate(ahead_s))") == 100)
    #expect(try wait_s("\(httpDate(-ahead_s))\r\nDate: \(httpDate(-ahead_s - 30))") == 30)
  }

  @Test(
    "as a date too",
    arguments: [(100, 95...100), (-100, 1...1), (400 * 86_400, 86_400...86_400)]
      as [(Int64, ClosedRange<Int64>)])
  func date(ahead_s: Int64, range: ClosedRange<Int64>) throws {
    let waited_s = try #require(try wait_s(httpDate(ahead_s)))
    #expect(range.contains(waited_s), "\(waited_s) s")
  }

  /// RFC 9110, 5.6.7.
  private func httpDate(_ ahead_s: Int64) -> String {
    let time_s = HostClock.now().wall_ms / 1000 + ahead_s
    let day = Int(time_s / 86_400)
    let date = CivilDate(dayNumber: day)
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][day % 7]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = [time_s / 3600 % 24, time_s / 60 % 60, time_s % 60].map(two).joined(separator: ":")
    return "\(weekday), \(two(Int64(date.day))) \(months[date.month - 1]) \(date.year) \(clock) GMT"
  }
}
