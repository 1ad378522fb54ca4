import Testing

@testable import TrackerCore

/// The outcome table of docs/sync.md, row by row.
@Suite("Sync: the outcome table")
struct OutcomeTableTests {
  enum Records: Equatable {
    case removed
    case kept
    /// Kept, and the next request has half of them.
    case halved
  }

  enum Schedule: Equatable {
    /// At once, as long as there is more.
    case goesOn
    /// 1 s.
    case short
    /// Random, growing.
    case backoff
    /// `unauthorised_retry_s`.
    case slowLane
    /// Backoff after what Retry-After says.
    case asked
  }

  struct Row: Sendable {
    var reply: UploadReply
    var problem: UploadReply.Problem?
    var records: Records
    var schedule: Schedule
    var warning: Warnings.Name?

    init(
      _ reply: UploadReply, _ problem: UploadReply.Problem?, _ records: Records, _ schedule: Schedule,
      _ warning: Warnings.Name?
    ) {
      self.reply = reply
      self.problem = problem
      self.records = records
      self.schedule = schedule
      self.warning = warning
    }
  }

  static let sent: [Int64] = [1, 2, 3, 4]

  private static func failure(_ failure: UploadReply.Failure) -> UploadReply {
    .of(0, failure: failure, sent: sent)
  }

  private static func status(_ status: Int, type: String = "application/json", asked_s: Int? = nil)
    -> UploadReply
  {
    .of(status, type: type, retryAfter_s: asked_s, sent: sent)
  }

  static let rows: [Row] = [
    Row(status(200), nil, .removed, .goesOn, nil),
    Row(status(204), nil, .removed, .goesOn, nil),
    Row(failure(.resolve), .failed(.resolve), .kept, .backoff, .sync),
    Row(failure(.connect), .failed(.connect), .kept, .backoff, .sync),
    Row(failure(.interface), .failed(.interface), .kept, .backoff, .sync),
    Row(failure(.tls), .failed(.tls), .kept, .backoff, .sync),
    Row(failure(.tlsClock), .failed(.tlsClock), .kept, .backoff, .sync),
    Row(failure(.notHTTP), .failed(.notHTTP), .kept, .backoff, .sync),
    Row(failure(.notMQTT), .failed(.notMQTT), .kept, .backoff, .sync),
    Row(failure(.noSubscriber), .failed(.noSubscriber), .kept, .backoff, .sync),
    Row(failure(.timeout), .failed(.timeout), .kept, .backoff, .sync),
    Row(failure(.dropped), .failed(.dropped), .kept, .backoff, .sync),
    Row(failure(.replyTooLarge), .failed(.replyTooLarge), .kept, .backoff, .sync),
    Row(failure(.setup), .failed(.setup), .kept, .backoff, .sync),
    Row(failure(.notCarried), .failed(.notCarried), .kept, .backoff, .sync),
    Row(failure(.noToken), .failed(.noToken), .kept, .slowLane, .unauthorised),
    Row(status(200, type: "text/html"), .captivePortal, .kept, .backoff, .captivePortal),
    Row(status(302, type: "text/html"), .captivePortal, .kept, .backoff, .captivePortal),
    Row(status(302), .redirect, .kept, .backoff, .sync),
    Row(.of(200, sent: sent, echoed: []), .notEchoed, .kept, .backoff, .sync),
    Row(status(408), .busy, .kept, .backoff, .sync),
    Row(status(425), .busy, .kept, .backoff, .sync),
    Row(status(429), .busy, .kept, .backoff, .sync),
    Row(status(503), .busy, .kept, .backoff, .sync),
    Row(status(429, asked_s: 120), .busy, .kept, .asked, .sync),
    Row(status(503, asked_s: 120), .busy, .kept, .asked, .sync),
    Row(status(500), .serverError, .kept, .backoff, .sync),
    Row(status(502), .serverError, .kept, .backoff, .sync),
    Row(status(401), .unauthorised, .kept, .slowLane, .unauthorised),
    Row(status(403), .unauthorised, .kept, .slowLane, .unauthorised),
    Row(status(413), .tooLarge, .halved, .short, .sync),
    Row(status(400), .refused, .halved, .short, .sync),
    Row(status(404), .refused, .halved, .short, .sync),
    Row(status(409), .refused, .halved, .short, .sync),
    Row(status(422), .refused, .halved, .short, .sync),
    Row(status(100), .unexpected, .kept, .backoff, .sync),
    Row(status(405), .unexpected, .kept, .backoff, .sync),
    Row(status(418), .unexpected, .kept, .backoff, .sync),
  ]

  @Test("each row: the records, the schedule of attempts", arguments: rows)
  func row(_ row: Row) {
    var machine = SyncMachine(settings: Settings.with().sync, at: 86_400_000)
    _ = machine.queueChanged(count: 4, urgent: true, at: 0)
    #expect(row.reply.problem() == row.problem)
    let actions = machine.uploadFinished(row.reply, at: 1000, chance: 0.5)
    #expect(actions.contains(.remove(OutcomeTableTests.sent)) == (row.records == .removed))
    #expect(!actions.contains { if case .quarantine = $0 { true } else { false } })
    #expect(machine.limit == (row.records == .halved ? 2 : 100))
    let waits_ms = actions.compactMap { if case .failed(_, let wait_ms) = $0 { wait_ms } else { nil } }
    switch row.schedule {
    case .goesOn: #expect(waits_ms == [])
    case .short: #expect(waits_ms == [1000])
    case .backoff: #expect(waits_ms == [5000])
    case .slowLane: #expect(waits_ms == [900_000])
    case .asked: #expect(waits_ms == [125_000])
    }
  }

  // The batch is one record here, so that also a refusal is a failure.
  @Test("each row: what the status says, since when, until when", arguments: rows)
  func status(_ row: Row) throws {
    let day = try TrackerTimeline(.parked)
    day.server = { batch, _ in batch.isEmpty ? .of(200, sent: []) : row.reply }
    day.latency_s = 0
    while day.requests.last?.records ?? 0 == 0, day.now_s < 1000 { day.run(to: day.now_s + 0.5) }
    let status = day.tracker.status(at: day.now)
    #expect(status.sync.problem == row.problem)
    #expect(status.warnings.contains { $0.name == row.warning?.rawValue } == (row.warning != nil))
    if row.problem == nil {
      #expect(status.sync.lastDelivery_s == 0 && status.sync.failures == 0)
      return
    }
    #expect(status.sync.nextAttempt_s != nil && status.sync.problem_s == 0)
    #expect(status.sync.failures == 1)
    let later = day.tracker.status(at: .at(day.now_s + 60))
    #expect((60...61).contains(later.sync.problem_s))
  }

  @Test("no problem is missing from the table")
  func complete() {
    let covered = Set(OutcomeTableTests.rows.compactMap(\.problem))
    #expect(UploadReply.Problem.allCases.filter { !covered.contains($0) } == [])
    for failure in UploadReply.Failure.allCases where failure != .nothingToSend {
      #expect(UploadReply(status: 200, failure: failure, sent: [1]).problem()?.name == failure.rawValue)
      #expect(UploadReply(status: 200, failure: failure, sent: [1]).verdict != .acknowledged, "\(failure)")
    }
  }

  // MARK: acknowledgement

  @Test(
    "strict wants our own records named, lenient takes the status' word",
    arguments: [
      (nil, "json", nil, .notEchoed), ([], "json", .notEchoed, .notEchoed), ([2], "json", nil, nil),
      (nil, "text/html", .captivePortal, .captivePortal), ([2], "text/html", .captivePortal, .captivePortal),
    ] as [([Int64]?, String, UploadReply.Problem?, UploadReply.Problem?)])
  func rules(
    echoed: [Int64]?, type: String, lenient: UploadReply.Problem?, strict: UploadReply.Problem?
  ) {
    let reply = UploadReply.of(200, type: type, sent: [1, 2], echoed: echoed)
    #expect(reply.problem(.lenient) == lenient)
    #expect(reply.problem(.strict) == strict)
  }

  @Test("strict: a status alone wants an ack too, even an empty one")
  func strictStatus() {
    #expect(UploadReply.of(200, sent: []).problem(.strict) == .notEchoed)
    #expect(UploadReply.of(200, sent: [], echoed: []).problem(.strict) == nil)
    #expect(UploadReply.of(200, sent: []).problem(.lenient) == nil)
  }

  @Test("a body that looks like a page is no acknowledgement, whatever its type")
  func pageInDisguise() {
    var reply = UploadReply.of(200, type: "application/json", sent: [1])
    reply.looksLikePage = true
    #expect(reply.problem() == .captivePortal)
  }

  @Test("strict in the machine: what is named leaves, the rest goes again")
  func strictMachine() {
    var named: [Int64]? = nil
    var timeline = SyncTimeline(
      changing: { $0.ack = .strict }, server: { batch, _ in .of(200, sent: batch, echoed: named) })
    timeline.add(5, at: 0)
    timeline.run(to: 4)
    #expect(timeline.delivered.isEmpty && timeline.waits_ms == [5000])
    named = [2, 4]
    timeline.run(to: 5.2)
    #expect(timeline.delivered == [2, 4] && timeline.queue == [1, 3, 5])
  }
}
