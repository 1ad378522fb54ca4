import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Bytes by cause")
struct ByteCountsTests {
  private static let day_ms: Int64 = 86_400_000

  private func reply(sent: [Int64] = [1], up: Int64, down: Int64 = 0, handshake: Int64 = 0) -> UploadReply {
    var reply = UploadReply.of(200, sent: sent, bytesUp: up)
    (reply.bytesDown, reply.handshakeUp) = (down, handshake)
    return reply
  }

  @Test("what a request brought is what its bytes were for; handshakes stand apart, those of failures do not")
  func causes() {
    var ledger = DayAndMonth<ByteCounts>(at: 0)
    ledger.turn(trusted_ms: epoch_ms, at: 0)
    ledger.add(ByteCounts(reply(up: 1000, down: 70, handshake: 400), withStatus: false, isTaken: true))
    ledger.add(ByteCounts(reply(up: 2000), withStatus: true, isTaken: true))
    ledger.add(ByteCounts(reply(sent: [], up: 300), withStatus: true, isTaken: true))
    ledger.add(ByteCounts(reply(up: 500, down: 10, handshake: 400), withStatus: true, isTaken: false))
    let status = TrafficStatus(ledger)
    #expect(
      status.todayUp_bytes == [
        .records: 600, .connecting: 400, .recordsWithStatus: 2000, .status: 300, .failed: 500,
      ])
    #expect(status.todayDown_bytes == [.records: 70, .failed: 10])
    #expect(status.monthUp_bytes == status.todayUp_bytes && status.monthDown_bytes == status.todayDown_bytes)
  }

  @Test("a restart goes on, within the day and the month")
  func saved() {
    var before = DayAndMonth<ByteCounts>(at: 0)
    before.turn(trusted_ms: epoch_ms, at: 0)
    before.add(ByteCounts(reply(up: 1000, down: 70), withStatus: false, isTaken: true))
    let used: JSONValue = ["up": ["records": 1000], "down": ["records": 70]]
    let saved: JSONValue = [
      "day": ["number": 20241, "used": used], "month": ["number": 24305, "used": used],
    ]
    #expect(before.saved == saved)
    var after = DayAndMonth<ByteCounts>(DayAndMonth(saved: saved), at: 5)
    after.turn(trusted_ms: epoch_ms + 1, at: 6)
    #expect(after.day.used.up == ["records": 1000])
    after.turn(trusted_ms: epoch_ms + Self.day_ms, at: 7)
    #expect(after.day.used == .none && after.month.used.up == ["records": 1000])
    #expect(after.month.used.down == ["records": 70])
    #expect(after.saved == ["day": ["number": 20242], "month": ["number": 24305, "used": used]])
  }

  @Test(
    "what is no ledger makes no sense",
    arguments: [
      "x", ["day": 1], ["day": ["used": ["up": ["records": -1]]]],
      ["day": ["used": ["up": ["records": 9e9]], "number": 0.5]], ["month": ["used": 5]],
    ] as [JSONValue])
  func unreadable(value: JSONValue) { #expect(DayAndMonth<ByteCounts>(saved: value) == nil) }

  @Test("a cause of another version is kept, and is not in the status")
  func otherCause() {
    let saved: JSONValue = ["month": ["used": ["up": ["others": 1, "records": 2]]]]
    let found = DayAndMonth<ByteCounts>(saved: saved)
    #expect(found?.saved == saved)
    #expect(found.map { TrafficStatus($0).monthUp_bytes } == [.records: 2])
  }

  @Test("each server's bytes stand under its name, and survive a restart with other servers before it")
  func servers() throws {
    var before = DayAndMonth<ByteCounts>(at: 0)
    before.turn(trusted_ms: epoch_ms, at: 0)
    before.add(ByteCounts(reply(up: 1000, down: 70), of: ""))
    before.add(ByteCounts(reply(up: 30, down: 4), of: "second"))
    #expect(before.saved["day"]?["used"]?["up"] == ["": 1000, "second": 30])
    var after = DayAndMonth<ByteCounts>(DayAndMonth(saved: before.saved), at: 5)
    after.turn(trusted_ms: epoch_ms + Self.day_ms, at: 6)
    after.add(ByteCounts(reply(up: 1), of: "new"))
    after.add(ByteCounts(reply(up: 2), of: "second"))
    func figures(_ server: String) -> [Int64] {
      var status = DeliveryStatus()
      status.add(after, of: server)
      return [status.todayUp_bytes, status.todayDown_bytes, status.monthUp_bytes, status.monthDown_bytes]
    }
    #expect(figures("") == [0, 0, 1000, 70])
    #expect(figures("new") == [1, 0, 1, 0] && figures("second") == [2, 0, 32, 4])
    #expect(figures("gone") == [0, 0, 0, 0])
  }

  @Test("a day without a budget counts, over an orderly restart and a kill, with no commit more than without")
  func wholeDay() throws {
    let day = try parkedDay(budget_kb: 0)
    let traffic = day.tracker.status(at: day.now).traffic
    let sum = traffic.todayUp_bytes.values.reduce(0, +)
    let expected = day.requests.reduce(Int64(0)) { $0 + ($1.s > 20_000 && $1.s < 30_000 ? 100 : 1000) }
    #expect(sum == expected && traffic.todayUp_bytes[.failed] ?? 0 > 0)
    #expect(traffic.todayUp_bytes[.status] ?? 0 > 0 && traffic.monthUp_bytes == traffic.todayUp_bytes)
    #expect(day.tracker.status(at: day.now).sync.budget == nil)
    #expect(try day.disk.commits < parkedDay(budget_kb: 1000).disk.commits)
    // The hourly commit is at most an hour old.
    day.kill()
    let kept = day.tracker.status(at: day.now).traffic.todayUp_bytes.values.reduce(0, +)
    #expect(kept <= sum && kept >= sum - 4000)
  }

  /// The server is away for a time.
  private func parkedDay(budget_kb: Double) throws -> TrackerTimeline {
    let day = try TrackerTimeline(.parked) { $0.sync.budgetDay_kb = budget_kb }
    day.server = { batch, s in
      s > 20_000 && s < 30_000
        ? .of(0, failure: .dropped, sent: batch.map(\.sequence), bytesUp: 100)
        : .of(200, sent: batch.map(\.sequence), bytesUp: 1000)
    }
    day.run(to: 40_000)
    return day
  }
}
