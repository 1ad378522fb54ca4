import Foundation
import HTTPTypes
import Testing

@testable import Collector

@Suite("New positions for a page that is open", .timeLimit(.minutes(10)))
struct WatchTests {
  @Test(
    "a watcher gets the newest of each vehicle once, whatever came meanwhile, and nothing once he has gone")
  func feed() async throws {
    let feed = FleetFeed()
    feed.publish("nobody watches")
    let (watch, other) = (try #require(feed.watch()), try #require(feed.watch()))
    for name in ["a", "b", "a"] { feed.publish(name) }
    var changes = feed.changes.makeAsyncIterator()
    #expect(await changes.next() != nil)
    #expect(feed.takeNames() == ["a", "b"] && feed.takeNames() == [])
    feed.tell(["b": "b1", "a": "a1"])
    var signals = watch.signals.makeAsyncIterator()
    #expect(await signals.next() != nil)
    #expect(feed.take(watch) == ["a1", "b1"])
    #expect(feed.take(watch) == [])
    feed.tell(["a": "a2"])
    feed.end(watch)
    #expect(feed.count == 1)
    #expect(feed.take(watch) == [])
    #expect(feed.take(other) == ["a2", "b1"])
    feed.endAll()
    var rest = other.signals.makeAsyncIterator()
    #expect(await rest.next() != nil)
    #expect(await rest.next() == nil)
  }

  @Test("two names that look alike are two vehicles")
  func alike() throws {
    let feed = FleetFeed()
    let watch = try #require(feed.watch())
    let (one, two): (ExactName, ExactName) = ("M\u{FC}ller", "Mu\u{308}ller")
    for name in [one, two] { feed.publish(name.text) }
    #expect(feed.takeNames().count == 2)
    for (name, text) in [(one, "1"), (two, "2")] { feed.tell([name: text]) }
    #expect(Set(feed.take(watch)) == ["1", "2"])
  }

  @Test("what is new is read once for all who watch, and the lines end where it cannot be read")
  func teller() async throws {
    try await withTemporaryFolder { folder in
      let store = try openStore(folder.appending(path: "fleet.sqlite").path)
      let reads = CountedFleet(store)
      let feed = FleetFeed()
      let teller = FleetTeller(
        feed: feed,
        fleet: FleetReader(
          store: reads, places: Places(nil), silentAfter_ms: 1000, now_ms: { now_ms }))
      let running = Task { try await teller.run() }
      let watches = (0..<50).compactMap { _ in feed.watch() }
      _ = try await store.store(anUpload([record(uuid(1))]), at: now_ms)
      feed.publish("van-7")
      for watch in watches {
        var signals = watch.signals.makeAsyncIterator()
        #expect(await signals.next() != nil)
        #expect(feed.take(watch).count == 1)
      }
      #expect(reads.count == 1)
      reads.fail()
      feed.publish("van-7")
      for watch in watches {
        var signals = watch.signals.makeAsyncIterator()
        #expect(await signals.next() == nil)
      }
      running.cancel()
      try await running.value
      try store.close()
    }
  }

  @Test("too many watchers are turned away, until one has gone")
  func most() throws {
    let feed = FleetFeed()
    let watches = (0..<FleetFeed.most).compactMap { _ in feed.watch() }
    #expect(watches.count == FleetFeed.most && feed.watch() == nil)
    feed.end(try #require(watches.first))
    #expect(feed.watch() != nil)
  }

  @Test("a request for the head alone watches nothing")
  func head() async throws {
    try await withCollector { client, _ in
      let answer = try await client.send(.head, "/v1/events")
      #expect(answer.status == 200)
      #expect(try await client.get("/metrics").text.contains("\ngodwit_fleet_pages_open 0\n"))
    }
  }

  @Test("a line on which nothing comes says now and then that it lives")
  func beats() async throws {
    try await withCollector(change: { $0.beat = .milliseconds(50) }) { client, _ in
      let line = try Line(port: client.port)
      try line.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let text = try await line.read(until: "event: beat\ndata:\n\n")
      #expect(text.contains("200 OK"))
    }
  }

  @Test(
    "a line ends at once when its account is removed, changed or logged out, and nothing more comes on it",
    arguments: [
      (.delete, "/v1/operators/olga", "", false),
      (.patch, "/v1/operators/olga", #"{"role":"viewer"}"#, false),
      (.delete, "/v1/session", "", true),
      (.put, "/v1/session/password", #"{"old":"correct horse","password":"battery staple"}"#, true),
    ] as [(HTTPRequest.Method, String, String, Bool)])
  func ended(method: HTTPRequest.Method, path: String, text: String, byHerself: Bool) async throws {
    try await withCollector { client, store in
      for (name, role) in [("root", Role.admin), ("olga", .operator)] {
        let hash = try PasswordHash("correct horse", cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
        #expect(try await store.addOperator(name, role: role, hash, at: now_ms))
      }
      let (root, olga) = (try await client.browser(of: "root"), try await client.browser(of: "olga"))
      let line = try Line(port: client.port)
      try line.send(
        "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nCookie: \(olga.cookie)\r\nConnection: close\r\n\r\n")
      _ = try await line.read(until: ": godwit\n\n")
      let headers = byHerself ? olga.changing : root.changing
      let status = try await client.send(method, path, text, headers: headers).status
      #expect((200..<300).contains(status))
      _ = try await client.post(body([record(uuid(1))]))
      #expect(await !line.readToEnd().contains("latitude"))
    }
  }

  @Test("a line without a login ends with the first account")
  func firstAccount() async throws {
    try await withCollector { client, _ in
      let line = try Line(port: client.port)
      try line.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      _ = try await line.read(until: ": godwit\n\n")
      let anna = #"{"name":"anna","role":"admin","password":"correct horse"}"#
      #expect(try await client.send(.post, "/v1/operators", anna).status == 201)
      _ = try await client.post(body([record(uuid(1))]))
      #expect(await !line.readToEnd().contains("latitude"))
    }
  }

  @Test("passes are in force as long as their session lasts, or as long as nobody has an account")
  func inForce() async throws {
    try await withTemporaryFolder { folder in
      let store = try openStore(folder.appending(path: "fleet.sqlite").path)
      let gone = Pass.session(Secret.hash("gone"))
      #expect(try await store.inForce([.always, .noAccounts, gone], at: 0) == [.always, .noAccounts])
      let hash = try PasswordHash("correct horse", cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
      #expect(try await store.addOperator("olga", role: .admin, hash, at: 0))
      _ = try await store.openSession(Secret.hash("x"), of: "olga", with: hash, at: 0)
      let own = Pass.session(Secret.hash("x"))
      #expect(try await store.inForce([.always, .noAccounts, own, gone], at: 1) == [.always, own])
      #expect(try await store.inForce([own], at: Session.idle_ms) == [])
      try store.close()
    }
  }

  @Test("come while it is open, and a collector that is to end does not wait for who watches")
  func live() async throws {
    try await withTemporaryFolder { folder in
      let running = try Running([
        "--database", try TestDatabase.argument(for: folder.appending(path: "fleet.sqlite").path), "--port",
        "0",
      ])
      let port = try running.port()
      let line = try Line(port: port)
      try line.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let head = try await line.read(until: ": godwit\n\n")
      #expect(head.contains("200 OK") && head.lowercased().contains("content-type: text/event-stream"))
      _ = try await TestClient(port: port).post(body([record(uuid(1))]))
      let event = try await line.read(until: "\n\n")
      #expect(event.contains(#"data: {"accuracy":5,"device":"van-7","#), "\(event)")
      running.process.terminate()
      #expect(await running.status() == 0)
    }
  }
}

/// Counts how often the fleet is read.
private final class CountedFleet: FleetStorage {
  private let store: Store
  private let state = Locked((count: 0, fails: false))

  init(_ store: Store) { self.store = store }

  var count: Int { state.with { $0.count } }
  func fail() { state.with { $0.fails = true } }

  func vehicles(
    named names: Set<ExactName>?, at now_ms: Int64, silentAfter_ms: Int64, target: AgentVersion?
  ) async throws -> [Vehicle] {
    let fails = state.with { state in
      state.count += 1
      return state.fails
    }
    if fails { throw StorageError.damaged }
    return try await store.vehicles(named: names, at: now_ms, silentAfter_ms: silentAfter_ms)
  }

  func geofences() async throws -> [JSONValue] { try await store.geofences() }

  func position(of device: String, at time_ms: Int64) async throws -> Day.Point?? {
    try await store.position(of: device, at: time_ms)
  }

  func inForce(_ passes: Set<Pass>, at now_ms: Int64) async throws -> Set<Pass> {
    try await store.inForce(passes, at: now_ms)
  }
  func status(of device: String) async throws -> DeviceSummary? { nil }
  func day(device: String, from from_ms: Int64, to to_ms: Int64) async throws -> Day? { nil }
}
