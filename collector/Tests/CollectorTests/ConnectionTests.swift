import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Collector

@Suite("Connections", .timeLimit(.minutes(10)))
struct ConnectionTests {
  private func collector(
    most: Int = 8192, _ body: @escaping @Sendable (TestClient, Int) async throws -> Void
  ) async throws {
    try await withCollector(change: { $0.connections.most = most }) { client, _ in
      try await body(client, client.port)
    }
  }

  /// A connection whose clock the test has.
  private func connection(
    _ limits: ConnectionLimits = ConnectionLimits(), from address: String = "192.0.2.1",
    after time: TimeAmount = .zero
  ) throws -> (channel: EmbeddedChannel, limits: ConnectionLimits) {
    let channel = EmbeddedChannel(handler: ConnectionHandler(limits))
    channel.embeddedEventLoop.advanceTime(by: time)
    try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
    return (channel, limits)
  }

  private static func head(_ path: String = "/v1/session") -> HTTPRequestPart {
    .head(HTTPRequest(method: .post, scheme: nil, authority: nil, path: path))
  }

  private func isCounted(_ cause: ConnectionLimits.Cause, _ limits: ConnectionLimits) -> Bool {
    limits.metrics.contains("\ngodwit_collector_connections_closed_total{cause=\"\(cause.rawValue)\"} 1\n")
  }

  @Test("end after 30 s without a head")
  func slowHead() throws {
    let (channel, limits) = try connection()
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(29_999))
    #expect(channel.isActive && limits.metrics.contains("\ngodwit_collector_connections 1\n"))
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(!channel.isActive && isCounted(.slowHead, limits))
    #expect(limits.metrics.contains("\ngodwit_collector_connections 0\n"))
  }

  @Test(
    "end where the body does not come within 30 s, and a second more for each 500 bytes of it",
    arguments: [(0, 30), (499, 30), (5000, 40)] as [(Int, Int64)])
  func slowBody(bytes: Int, limit_s: Int64) throws {
    let (channel, limits) = try connection()
    channel.embeddedEventLoop.advanceTime(by: .seconds(20))
    try channel.writeInbound(Self.head())
    try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0x20, count: bytes)))
    channel.embeddedEventLoop.advanceTime(by: .seconds(limit_s) - .nanoseconds(1))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
    #expect(!channel.isActive && isCounted(.slowBody, limits))
  }

  @Test("end where a body that was answered before its end goes on for ever")
  func longBody() throws {
    let (channel, limits) = try connection(ConnectionLimits(.init(mostBody_bytes: 1000)))
    try channel.writeInbound(Self.head())
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .contentTooLarge)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0x20, count: 1000)))
    #expect(channel.isActive)
    try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0x20, count: 1)))
    #expect(!channel.isActive && isCounted(.longBody, limits))
  }

  @Test("stay while a request is served, however long that takes, and two minutes until the next one")
  func idle() throws {
    let (channel, limits) = try connection()
    try channel.writeInbound(Self.head())
    try channel.writeInbound(HTTPRequestPart.end(nil))
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    channel.embeddedEventLoop.advanceTime(by: .seconds(119))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive && isCounted(.idle, limits))
  }

  @Test("end where nothing of an answer is read for a minute")
  func unread() throws {
    let (channel, limits) = try connection()
    try channel.writeInbound(Self.head())
    try channel.writeInbound(HTTPRequestPart.end(nil))
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .seconds(59))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive && isCounted(.unread, limits))
  }

  @Test("of one address are a quarter, and those of this machine count for the sum alone")
  func ofAddress() throws {
    let limits = ConnectionLimits(.init(most: 8))
    let (first, _) = try connection(limits)
    let others = try (1...2).map { try connection(limits, after: .seconds($0)).channel }
    #expect(!first.isActive && others.allSatisfy { $0.isActive })
    #expect(isCounted(.madeRoom, limits))
    let local = try (0..<6).map { _ in try connection(limits, from: "127.0.0.1").channel }
    #expect((local + others).allSatisfy { $0.isActive })
  }

  @Test(
    "where there are too many, the one that waited longest makes room, and one that serves a request stays")
  func most() async throws {
    try await collector(most: 3) { _, port in
      let watching = try Line(port: port)
      try watching.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
      _ = try await watching.read(until: ": godwit\n\n")
      let lines = try await [served(port), served(port), served(port)]
      await lines[0].readToEnd()
      let device = try Line(port: port)
      let text = body([record(uuid(1))])
      try device.send(
        "POST /v1/locations HTTP/1.1\r\nHost: localhost\r\nGodwit-Device: van-7\r\n"
          + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
      #expect(try await device.read(until: "\"stored\":1").contains("200 OK"))
      await lines[1].readToEnd()
      #expect(try await watching.read(until: "\"device\":\"van-7\"").contains("data: "))
    }
  }

  private func served(_ port: Int) async throws -> Line {
    let line = try Line(port: port)
    try line.send("GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = try await line.read(until: "ok")
    return line
  }

  @Test("one is refused where all others serve requests")
  func full() async throws {
    try await collector(most: 2) { _, port in
      let watching = try (0..<2).map { _ in try Line(port: port) }
      for line in watching {
        try line.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = try await line.read(until: ": godwit\n\n")
      }
      try await Line(port: port).readToEnd()
    }
  }

  @Test("one subscriber has a quarter of them, loopback has all")
  func subscriber() {
    let bounds = ConnectionLimits.Bounds(most: 8192)
    #expect(bounds.mostOfSubscriber == 2048)
    #expect(PeerAddress("127.8.0.1")?.isLoopback == true && PeerAddress("::1")?.isLoopback == true)
    #expect(PeerAddress("10.0.0.1")?.isLoopback == false && PeerAddress("::2")?.isLoopback == false)
    #expect(PeerAddress("::ffff:192.0.2.7") == PeerAddress("192.0.2.7"))
    #expect(PeerAddress("192.0.2.7")?.network == PeerAddress("192.0.2.200")?.network)
    #expect(PeerAddress("192.0.2.7")?.network != PeerAddress("192.0.3.7")?.network)
    #expect(PeerAddress("192.0.2.7")?.subscriber != PeerAddress("192.0.2.8")?.subscriber)
    #expect(PeerAddress("2001:db8:1:2::1")?.subscriber == PeerAddress("2001:db8:1:2:3::1")?.subscriber)
    #expect(PeerAddress("2001:db8:1:2::1")?.network != PeerAddress("2001:db8:1:3::1")?.network)
    #expect(PeerAddress("van-7") == nil && PeerAddress("") == nil)
  }

  @Test(
    "a body that anyone may send is refused by its length, before any of it is read",
    arguments: ["/v1/session", "/v1/enrol"])
  func openBody(path: String) async throws {
    try await collector { client, port in
      let line = try Line(port: port)
      try line.send(
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 16385\r\n\r\n{"
      )
      #expect(try await line.read(until: "KiB").contains("HTTP/1.1 413 "))
      let most = String(repeating: " ", count: 16_384)
      #expect(try await client.send(.post, path, most).status == 400)
      #expect(try await client.send(.post, path, most + " ").status == 413)
    }
  }

  @Test("bodies take so much memory together, and what is refused for that comes again")
  func room() throws {
    let room = BodyRoom()
    let (one, other) = (room.share(), room.share())
    try one.take(BodyRoom.most_bytes - 10)
    try other.take(10)
    let refusal = #expect(throws: Refusal.self) { try other.take(1) }
    #expect(refusal?.status == .serviceUnavailable)
    one.giveBack()
    one.giveBack()
    try other.take(BodyRoom.most_bytes - 10)
  }

  @Test("a service without a free descriptor says so, and serves on")
  func descriptors() async throws {
    try await withTemporaryFolder { folder in
      let database = try TestDatabase.argument(for: folder.appending(path: "fleet.sqlite").path)
      let running = try Running(["--database", database, "--port", "0"], descriptors: 64)
      let port = try running.port()
      let lines = try (0..<100).map { _ in try Line(port: port) }
      let answer = try await TestClient(port: port).get("/metrics")
      #expect(answer.status == 200)
      #expect(!answer.text.contains("{cause=\"no_descriptor\"} 0\n"), "\(answer.text)")
      running.process.terminate()
      #expect(await running.status() == 0)
      #expect(running.errors().contains("a connection cannot be accepted"))
      withExtendedLifetime(lines) {}
    }
  }
}
