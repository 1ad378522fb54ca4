import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

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
    var warning: WarningName?

    init(
      _ reply: UploadReply, _ problem: UploadReply.Problem?, _ records: Records, _ schedule: Schedule,
      _ warning: WarningName?
    ) {
      self.reply = reply
      self.problem = problem
      self.records = records
      self.schedule = schedule
      self.warning = warning
    }
  }

  static let sent: [Int64] = [1, 2, 3, 4]

  private static func failure(_ failure: UploadReply.NoReply) -> UploadReply {
    .of(0, failure: failure, sent: sent)
  }

  private static func status(_ status: Int, type: String = "application/json", asked_s: Int? = nil)
    -> UploadReply
  {
    .of(status, type: type, retryAfter_s: asked_s, sent: sent)
  }

  private static func saying(_ answer: UploadReply.Answer) -> UploadReply {
    var reply = status(200)
    reply.answer = answer
    return reply
  }

  private static func refusingOthers(_ status: Int) -> UploadReply {
    var reply = self.status(status)
    reply.refusesOthers = true
    return reply
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
    Row(failure(.replyTooLarge), .failed(.replyTooLarge), .halved, .backoff, .sync),
    Row(failure(.earlyReply), .failed(.earlyReply), .kept, .backoff, .sync),
    Row(failure(.setup), .failed(.setup), .kept, .backoff, .sync),
    Row(failure(.notCarried), .failed(.notCarried), .kept, .backoff, .sync),
    Row(failure(.noToken), .failed(.noToken), .kept, .slowLane, .unauthorised),
    Row(status(200, type: "text/html"), .captivePortal, .kept, .backoff, .captivePortal),
    Row(status(302, type: "text/html"), .captivePortal, .kept, .backoff, .captivePortal),
    Row(status(302), .redirect, .kept, .backoff, .sync),
    Row(status(308), .redirect, .kept, .backoff, .sync),
    Row(status(304), .unexpected, .kept, .backoff, .sync),
    Row(status(511), .captivePortal, .kept, .backoff, .captivePortal),
    Row(saying(.failed), .notEchoed, .kept, .backoff, .sync),
    Row(saying(.unexpected), .notEchoed, .kept, .backoff, .sync),
    Row(saying(.notAccepted), .notEchoed, .kept, .backoff, .sync),
    Row(saying(.accepted), nil, .removed, .goesOn, nil),
    Row(saying(.expected), nil, .removed, .goesOn, nil),
    Row(.of(200, sent: sent, echoed: []), .notEchoed, .kept, .backoff, .sync),
    Row(.of(200, sent: sent, isPlainHTTP: true), .notEchoed, .kept, .backoff, .sync),
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
    Row(status(404), .notFound, .kept, .backoff, .sync),
    Row(status(409), .refused, .halved, .short, .sync),
    Row(status(422), .refused, .halved, .short, .sync),
    Row(refusingOthers(400), .unexpected, .kept, .backoff, .sync),
    Row(refusingOthers(409), .unexpected, .kept, .backoff, .sync),
    Row(refusingOthers(422), .unexpected, .kept, .backoff, .sync),
    Row(status(100), .unexpected, .kept, .backoff, .sync),
    Row(status(405), .unexpected, .kept, .backoff, .sync),
    Row(status(418), .unexpected, .kept, .backoff, .sync),
  ]

  @Test("a redirect to the server's own other address is no portal's, whatever page comes with it")
  func ownRedirect() throws {
    var reply = UploadReply.of(301, type: "text/html")
    #expect(reply.problem() == .captivePortal)
    reply.redirectsToItself = true
    #expect(reply.problem() == .redirect)
    #expect(reply.advice(.auto).contains("https:// in place of http://"))
    let url = try ServerURL("http://example.com/track")
    for own in ["https://Example.com/track", "/other", "http://example.com:8080/"] { #expect(url.isOwn(own)) }
    for other in ["https://portal.example/", "//portal.example/", "", "x"] { #expect(!url.isOwn(other)) }
  }

  @Test("a server that misses our certificate and says so with 400 halves no batch, and the setting is named")
  func missingCertificate() {
    let reply = UploadReply.of(400, failure: .tls, type: "text/html")
    #expect(reply.problem() == .failed(.tls) && reply.verdict == .transient)
    #expect(reply.advice(.auto).hasSuffix("look at sync.client_cert_file"))
  }

  @Test("each row: the records, the schedule of attempts", arguments: rows)
  func row(_ row: Row) {
    var machine = SyncMachine(settings: Settings.with().sync, at: 86_400_000)
    _ = machine.queueChanged(count: 4, urgent: true, at: 0)
    #expect(row.reply.problem() == row.problem)
    let actions = machine.uploadFinished(row.reply, at: 1000, chance: 0.5)
    #expect(actions.contains(.remove(OutcomeTableTests.sent)) == (row.records == .removed))
    #expect(!actions.contains { if case .quarantine = $0 { true } else { false } })
    #expect(machine.limit(of: .all, at: 1000) == (row.records == .halved ? 2 : 100))
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
    let day = try TrackerTimeline(.parked) { $0.sync.maxBatchSize = 1 }
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
    #expect((60...61).contains(later.sync.problem_s ?? 0))
  }

  @Test("no problem is missing from the table")
  func complete() {
    let covered = Set(OutcomeTableTests.rows.compactMap(\.problem))
    #expect(UploadReply.Problem.allCases.filter { !covered.contains($0) } == [])
    for failure in UploadReply.NoReply.allCases where failure != .nothingToSend {
      #expect(UploadReply(status: 200, failure: failure, sent: [1]).problem()?.name == failure.rawValue)
      #expect(UploadReply(status: 200, failure: failure, sent: [1]).verdict != .acknowledged, "\(failure)")
    }
  }

  // MARK: acknowledgement

  struct Echo: Sendable {
    var echoed: [Int64]?
    var type = "application/json"
    /// With `auto`, over TLS and over plain http, and with `any` and `strict`, over plain http.
    var problems: [UploadReply.Problem?]
  }

  @Test(
    "auto takes the status' word over TLS, any over plain http too, and strict never",
    arguments: [
      Echo(echoed: nil, problems: [nil, .notEchoed, nil, .notEchoed]),
      Echo(echoed: [], problems: [.notEchoed, .notEchoed, .notEchoed, .notEchoed]),
      Echo(echoed: [2], problems: [nil, nil, nil, nil]),
      Echo(echoed: nil, type: "text/html", problems: Array(repeating: .captivePortal, count: 4)),
      Echo(echoed: [2], type: "text/html", problems: Array(repeating: .captivePortal, count: 4)),
      Echo(
        echoed: nil, type: "application/vnd.wap.xhtml+xml; charset=utf-8",
        problems: Array(repeating: .captivePortal, count: 4)),
    ])
  func rules(echo: Echo) {
    func problem(_ rule: SyncSettings.Acknowledgement, plain: Bool) -> UploadReply.Problem? {
      UploadReply.of(200, type: echo.type, sent: [1, 2], echoed: echo.echoed, isPlainHTTP: plain).problem(
        rule)
    }
    let found = [
      problem(.auto, plain: false), problem(.auto, plain: true), problem(.any, plain: true),
      problem(.strict, plain: true),
    ]
    #expect(found == echo.problems)
    #expect(problem(.strict, plain: false) == echo.problems[3])
  }

  @Test(
    "what a reply says of itself counts by each rule but strict, and never over plain http with auto",
    arguments: [
      (.other, .certificate), (.accepted, .text), (.expected, .answer), (.failed, nil), (.notAccepted, nil),
      (.unexpected, nil),
    ] as [(UploadReply.Answer, UploadReply.Proof?)])
  func answers(answer: UploadReply.Answer, proof: UploadReply.Proof?) {
    var reply = UploadReply.of(200, sent: [1, 2])
    reply.answer = answer
    #expect(reply.proof(.auto) == proof && reply.proof(.strict) == nil)
    reply.isPlainHTTP = true
    #expect(reply.proof(.auto) == nil && reply.proof(.any) == (proof == .certificate ? .any : proof))
    reply.echoed = [1]
    for rule in SyncSettings.Acknowledgement.allCases { #expect(reply.proof(rule) == .ids) }
    reply = .of(200, type: "text/html; charset=UTF-8", sent: [1, 2])
    reply.answer = answer
    #expect(
      reply.problem() == (answer == .accepted ? nil : .captivePortal), "the type that PHP sends with anything"
    )
  }

  // It would be the proof that a record is bad, and that the network works.
  @Test("where records must be named, a status alone wants an ack too, even an empty one")
  func statusAlone() {
    for rule in [SyncSettings.Acknowledgement.auto, .strict] {
      #expect(UploadReply.of(200, sent: [], isPlainHTTP: true).problem(rule) == .notEchoed)
      #expect(UploadReply.of(200, sent: [], echoed: [], isPlainHTTP: true).problem(rule) == nil)
    }
    #expect(UploadReply.of(200, sent: []).problem(.auto) == nil)
    #expect(UploadReply.of(200, sent: [], isPlainHTTP: true).problem(.any) == nil)
  }

  @Test("a 2xx that does not count says why, and what to do")
  func advice() {
    let plain = UploadReply.of(200, isPlainHTTP: true)
    #expect(
      plain.advice(.auto)
        == "the reply does not name our records, and over plain http:// anyone on the way can answer: use https://, or set sync.ack = \"any\" if this server never names them"
    )
    #expect(
      plain.advice(.strict) == "the reply does not name our records, and sync.ack = \"strict\" wants that")
    #expect(
      UploadReply.of(200, echoed: []).advice(.auto)
        == "the reply was cut short, or names none of our records as stored: the server should send their uuids as ack, or the text of Godwit-Batch"
    )
    func advice(_ answer: UploadReply.Answer) -> String {
      var reply = UploadReply.of(200)
      reply.answer = answer
      return reply.advice(.auto)
    }
    #expect(
      advice(.failed)
        == "the reply says that the request failed; if it has stored the records all the same, name a text of its reply in sync.accept"
    )
    #expect(advice(.notAccepted) == "the text of sync.accept is not in the reply")
    #expect(
      advice(.unexpected)
        == "the reply is no JSON array or object, as servers of sync.format answer: is the address in sync.url right?"
    )
    for counts in [plain.advice(.any), UploadReply.of(503).advice(.auto)] { #expect(counts == "") }
  }

  @Test("a redirect, a token that is not taken and a wrong path say which setting to look at")
  func settingToLookAt() {
    #expect(
      UploadReply.of(302).advice(.auto)
        == "redirects are not followed: unless a portal sent it, write the new address into sync.url")
    #expect(
      UploadReply.of(401).advice(.auto)
        == "the server does not take who we say we are: look at sync.token_file, sync.password_file or [sync.header_files]"
    )
    #expect(
      UploadReply.of(404).advice(.auto)
        == "is the path in sync.url right, and does the server know this device?")
    #expect(UploadReply.of(422).advice(.auto) == "")
    #expect(
      UploadReply.of(304).advice(.auto)
        == "a cache answers in place of the server, which it must not for a POST")
    #expect(
      UploadReply.of(405).advice(.auto)
        == "nothing takes a POST at that address: is the path in sync.url right?")
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
