import Foundation
import HTTPTypes
import Hummingbird
import Testing

@testable import Collector

/// Somebody who is told of events, and who may be asleep.
private final class Receiver: Sendable {
  struct Told: Equatable, Sendable {
    var id: String
    var signature: String
    var body: String
  }

  /// How the first requests are answered; then 200.
  private let answers: Locked<[HTTPResponse.Status]>
  private let all: AsyncStream<Told>
  private let continuation: AsyncStream<Told>.Continuation

  init(_ answers: [HTTPResponse.Status] = []) {
    self.answers = Locked(answers)
    (all, continuation) = AsyncStream.makeStream(of: Told.self)
  }

  func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.post("/told") { [self] request, _ in
      let body = try await request.body.collect(upTo: 65_536)
      let header = { (name: String) in request.headers[HTTPField.Name(name)!] ?? "" }
      continuation.yield(
        Told(
          id: header("Godwit-Event-Id"), signature: header("Godwit-Signature"), body: String(buffer: body)))
      return answers.with { $0.isEmpty ? .ok : $0.removeFirst() }
    }
    return router
  }

  /// The next `count`, in the order in which they came.
  func next(_ count: Int) async -> [Told] {
    var found: [Told] = []
    for await told in all {
      found.append(told)
      if found.count == count { break }
    }
    return found
  }
}

@Suite("Webhooks", .timeLimit(.minutes(10)))
struct WebhookTests {
  /// A collector and somebody who listens, both over TCP.
  private func whole(
    _ receiver: Receiver,
    _ body: @escaping @Sendable (TestClient, Store, String) async throws -> Void
  ) async throws {
    let other = Application(
      router: receiver.router(), configuration: .init(address: .hostname("127.0.0.1", port: 0)))
    try await other.test { client in
      let port = client.port
      try await withCollector(change: { $0.retries = RetryLaw(first_ms: 0) }) { collector, store in
        try await body(collector, store, "http://127.0.0.1:\(port)/told")
      }
    }
  }

  private func add(
    _ target: String, _ events: [String], to client: TestClient
  ) async throws -> Routes.NewWebhook {
    let names = events.map { "\"\($0)\"" }.joined(separator: ",")
    let answer = try await client.send(
      .post, "/v1/webhooks", #"{"target":"\#(target)","events":[\#(names)]}"#)
    #expect(answer.status == 201)
    return try answer.decoded()
  }

  private func geofence(_ sequence: UInt64) -> String {
    record(uuid(sequence), event: "geofence")
      .replacing(#""extras":"""#, with: #""extras":"{\"action\":\"ENTER\",\"geofence\":\"depot\"}""#)
  }

  @Test("tell each event once, signed, also where a record comes again")
  func once() async throws {
    let receiver = Receiver()
    try await whole(receiver) { client, store, target in
      let hook = try await add(target, ["geofence"], to: client)
      for records in [
        [geofence(1)], [geofence(1), record(uuid(2)), record(uuid(3), event: "warning")], [geofence(4)],
      ] {
        _ = try await client.post(body(records))
      }
      let told = await receiver.next(2)
      #expect(told.map(\.id) == [uuid(1), uuid(4)])
      let body =
        #"{"device":"van-7","event":"geofence","extras":{"action":"ENTER","geofence":"depot"},"id":"\#(uuid(1))","#
        + #""latitude":59.3293,"longitude":18.0686,"timestamp":"2026-01-01T00:00:00.000Z"}"#
      #expect(told.first?.body == body)
      let code = Digest.code(Data("1767226200.\(body)".utf8), key: Data(hook.secret.utf8))
      #expect(told.first?.signature == "t=1767226200,v1=\(code.hex)")
    }
  }

  @Test("are told again until they have taken it, and count what they have")
  func again() async throws {
    let receiver = Receiver([.internalServerError, .found])
    try await whole(receiver) { client, store, target in
      _ = try await add(target, ["trip"], to: client)
      _ = try await client.post(body([record(uuid(1), event: "trip")]))
      let told = await receiver.next(3)
      #expect(told.map(\.id) == [uuid(1), uuid(1), uuid(1)])
      // The answer is on its way when it has been told.
      while try await store.webhooks().first?.delivered != 1 { await Task.yield() }
      let hook = try #require(try await store.webhooks().first)
      #expect(hook.waiting == 0 && hook.given_up == 0 && hook.last_failure == nil && hook.last_failed != nil)
    }
  }

  @Test("wait over a restart of the collector")
  func restart() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "fleet.sqlite").path
      let first = try openStore(path)
      _ = try await first.addWebhook("https://a.example", [.trip], secret: "s", at: 0)
      let upload = try Upload(
        device: "van-7", schema: nil, batch: nil, body: Array(body([record(uuid(1), event: "trip")]).utf8))
      #expect(try await first.store(upload, at: now_ms).toTell == 1)
      #expect(try await first.store(upload, at: now_ms).toTell == 0, "it came again")
      try first.close()
      let second = try openStore(path)
      let due = try await second.dueDeliveries(at: now_ms, limit: 10)
      #expect(due.map(\.eventID) == [uuid(1)] && due.map(\.attempts) == [0])
      try await second.failed(due[0], "the answer was 500", next: now_ms + 10, at: now_ms)
      #expect(try await second.dueDeliveries(at: now_ms + 9, limit: 10).isEmpty)
      #expect(try await second.dueDeliveries(at: now_ms + 10, limit: 10).map(\.attempts) == [1])
      #expect(try await second.webhooks().first?.last_failure == "the answer was 500")
      try await second.failed(due[0], "the answer was 500", next: nil, at: now_ms)
      #expect(try await second.webhooks().map(\.given_up) == [1])
      #expect(try await second.webhooks().map(\.waiting) == [0])
      try second.close()
    }
  }

  @Test("silence is told once, until the vehicle has been heard again")
  func silence() async throws {
    try await withTemporaryFolder { folder in
      let store = try openStore(folder.appending(path: "fleet.sqlite").path)
      _ = try await store.addWebhook("https://a.example", [.silence], secret: "s", at: 0)
      let upload = try Upload(device: "van-7", schema: nil, batch: nil, body: Array(body([]).utf8))
      _ = try await store.store(upload, at: 1000)
      var told: [Int] = []
      for now_ms in [2000, 2001, 9000] as [Int64] {
        told.append(try await store.announceSilence(at: now_ms, after: 1000))
      }
      _ = try await store.store(upload, at: 10_000)
      for now_ms in [10_500, 11_001] as [Int64] {
        told.append(try await store.announceSilence(at: now_ms, after: 1000))
      }
      #expect(told == [0, 1, 0, 0, 1])
      let ids = try await store.dueDeliveries(at: 20_000, limit: 10).map(\.eventID)
      #expect(ids == ["silence-1000-van-7", "silence-10000-van-7"])
      try store.close()
    }
  }

  @Test("nobody is told of the silence of a board that sleeps as long as it said")
  func asleep() async throws {
    try await withTemporaryFolder { folder in
      let store = try openStore(folder.appending(path: "fleet.sqlite").path)
      _ = try await store.addWebhook("https://a.example", [.silence], secret: "s", at: 0)
      let said =
        #"{"time":"1970-01-01T00:00:01.000Z","sleep":{"state":"asleep","until":"1970-01-01T08:00:00.000Z"}}"#
      let upload = try Upload(
        device: "van-7", schema: nil, batch: nil, body: Array(body([], status: said).utf8))
      _ = try await store.store(upload, at: 1000)
      var told: [Int] = []
      let wakes_ms: Int64 = 8 * 3_600_000
      for now_ms in [wakes_ms, wakes_ms + 900_000, wakes_ms + 900_001, wakes_ms + 900_002] {
        told.append(try await store.announceSilence(at: now_ms, after: 1000))
      }
      #expect(told == [0, 0, 1, 0])
      try store.close()
    }
  }

  @Test(
    "pauses grow up to an hour, and after three days it is given up",
    arguments: [
      (1, 0, 10_000), (2, 0, 30_000), (3, 0, 90_000), (7, 0, 3_600_000), (500, 259_199_999, 3_600_000),
      (500, 259_200_000, nil),
    ] as [(Int, Int64, Int64?)])
  func law(attempts: Int, age_ms: Int64, pause_ms: Int64?) {
    #expect(RetryLaw().next_ms(after: attempts, made: 0, at: age_ms) == pause_ms.map { age_ms + $0 })
  }

  /// By another process: what this one has open for writing may be open in a program that another test starts just
  /// then, and cannot be run.
  private func make(_ program: URL, _ script: String) throws {
    let text = program.appendingPathExtension("text")
    try Data("#!/bin/sh\n\(script)".utf8).write(to: text)
    let install = try Process.run(
      URL(filePath: "/usr/bin/install"), arguments: ["-m", "755", text.path, program.path])
    install.waitUntilExit()
    #expect(install.terminationStatus == 0)
  }

  @Test("a mail has what happened in its text alone")
  func mail() async throws {
    try await withTemporaryFolder { folder in
      let program = folder.appending(path: "sendmail")
      try make(program, "echo \"$@\" > '\(folder.path)/arguments'\ncat > '\(folder.path)/mail'\n")
      let delivery = Delivery(
        number: 1, webhook: 1, target: "mailto:ops@example.com", secret: "s", eventID: "x",
        body: #"{"device":"van ü\nBcc: x","event":"trip","id":"x"}"#, made_ms: 0, attempts: 0)
      try await MailOutlet(sendmail: program.path).tell(delivery, at: 0)
      let mail = try String(contentsOf: folder.appending(path: "mail"), encoding: .utf8)
      #expect(mail.hasPrefix("To: ops@example.com\nSubject: Godwit: trip\nMIME-Version: 1.0\n"))
      let parts = mail.components(separatedBy: "\n\n")
      #expect(!parts[0].contains("Bcc") && parts[1].contains("device: van ü"))
      #expect(try String(contentsOf: folder.appending(path: "arguments"), encoding: .utf8) == "-t -oi\n")
      // One that has ended before it is given anything; more than a pipe holds shows that each time.
      try make(program, "exit 75\n")
      let long = String(repeating: "x", count: 200_000)
      let unread = Delivery(
        number: 2, webhook: 1, target: "mailto:ops@example.com", secret: "s", eventID: "y",
        body: #"{"device":"\#(long)","event":"trip","id":"y"}"#, made_ms: 0, attempts: 0)
      await #expect(throws: OutletError.failed("\(program.path) ended with 75")) {
        // As the program does.
        signal(SIGPIPE, SIG_IGN)
        try await MailOutlet(sendmail: program.path).tell(unread, at: 0)
      }
      await #expect(throws: OutletError.failed("\(program.path) ended with 75")) {
        try await MailOutlet(sendmail: program.path).tell(delivery, at: 0)
      }
    }
  }

  @Test("a mail that nobody takes is given up in time, with all that was started for it")
  func hangingMail() async throws {
    try await withTemporaryFolder { folder in
      // Its child is given what the program reads, and more than a pipe holds is to be written.
      let program = folder.appending(path: "sendmail")
      try make(program, "echo $$ > '\(folder.path)/leader'\nsleep 1000\n")
      signal(SIGPIPE, SIG_IGN)
      for size in [10, 200_000] {
        let long = String(repeating: "x", count: size)
        let delivery = Delivery(
          number: 1, webhook: 1, target: "mailto:ops@example.com", secret: "s", eventID: "x",
          body: #"{"device":"\#(long)","event":"trip","id":"x"}"#, made_ms: 0, attempts: 0)
        let words = "\(program.path) has not ended within 1 s, and was killed"
        await #expect(throws: OutletError.failed(words)) {
          try await MailOutlet(sendmail: program.path, longest_s: 1).tell(delivery, at: 0)
        }
        // A loaded machine may not even have started it by then.
        let leader = try? String(contentsOf: folder.appending(path: "leader"), encoding: .utf8)
        if let group = leader.flatMap({ Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) {
          while kill(-group, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
        }
      }
      #expect(MailOutlet(sendmail: "x").longest_s == 30)
    }
  }

  /// One receiver of whom never an answer comes; all others take what they are told.
  private struct Deaf: Outlet {
    let told = AsyncStream.makeStream(of: String.self)

    func tell(_ delivery: Delivery, at now_ms: Int64) async throws {
      if delivery.target.hasSuffix("/deaf") { try await Task.sleep(for: .seconds(1_000_000)) }
      told.continuation.yield(delivery.eventID)
    }
  }

  @Test("who never answers holds up neither others nor the telling of silence")
  func deaf() async throws {
    try await withTemporaryFolder { folder in
      let store = try openStore(folder.appending(path: "fleet.sqlite").path)
      _ = try await store.addWebhook("https://a.example/deaf", [.trip, .silence], secret: "s", at: 0)
      _ = try await store.addWebhook("https://b.example/", [.trip, .silence], secret: "s", at: 0)
      let (outlet, clock) = (Deaf(), Locked(Int64(1000)))
      var deliverer = Deliverer(
        store: store, bell: Doorbell(), silentAfter_ms: 1000, web: outlet, mail: nil,
        now_ms: { clock.with { $0 } })
      deliverer.beat = .milliseconds(5)
      let running = Task { [deliverer] in try await deliverer.run() }
      let trips = (1...20).map { record(uuid($0), event: "trip") }
      let upload = try Upload(device: "van-7", schema: nil, batch: nil, body: Array(body(trips).utf8))
      _ = try await store.store(upload, at: 1000)
      var told = outlet.told.stream.makeAsyncIterator()
      var found: Set<String> = []
      while found.count < 20, let id = await told.next() { found.insert(id) }
      #expect(found == Set((1...20).map { uuid($0) }))
      clock.with { $0 = 5000 }
      #expect(await told.next() == "silence-1000-van-7")
      while try await store.webhooks().last?.delivered != 21 { try await Task.sleep(for: .milliseconds(5)) }
      let hooks = try await store.webhooks()
      #expect(hooks.map(\.waiting) == [21, 0] && hooks.map(\.last_failed) == [nil, nil])
      running.cancel()
      try await running.value
      try store.close()
    }
  }

  @Test(
    "what is no address, or no event, is refused",
    arguments: [
      (#"{"target":"ftp://a"}"#, "`target` must be an address"),
      (#"{"target":"https://"}"#, "`target` must be an address"),
      (#"{"target":"mailto:a"}"#, "`target` must be an address"),
      (#"{"target":"mailto:a@b,c@d"}"#, "`target` must be an address"),
      (#"{"target":"https://a.example/\n"}"#, "`target` must be an address"),
      (
        #"{"target":"https://a.example","events":["all"]}"#,
        "`events` must be some of geofence, trip, warning, silence"
      ),
      (
        #"{"target":"https://a.example","events":[]}"#,
        "`events` must be some of geofence, trip, warning, silence"
      ),
    ])
  func wrong(text: String, words: String) async throws {
    try await withCollector { client, store in
      let answer = try await client.send(.post, "/v1/webhooks", text)
      #expect(answer.status == 400 && answer.text.contains(words), "\(answer)")
      #expect(try await store.webhooks().isEmpty)
    }
  }

  @Test("are listed without their secrets, and removed with all that waits")
  func listed() async throws {
    try await withCollector { client, store in
      let hook = try await add("https://a.example/x", ["warning", "trip"], to: client)
      _ = try await client.post(body([record(uuid(1), event: "trip")]))
      let text = try await client.get("/v1/webhooks").text
      #expect(
        text.contains(#""events":["trip","warning"]"#) && text.contains(#""waiting":1"#)
          && !text.contains(hook.secret))
      #expect(try await client.delete("/v1/webhooks/\(hook.number)").status == 204)
      #expect(try await client.delete("/v1/webhooks/\(hook.number)").status == 404)
      #expect(try await store.dueDeliveries(at: .max, limit: 10).isEmpty)
    }
  }
}
