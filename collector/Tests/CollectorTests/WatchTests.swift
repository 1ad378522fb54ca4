import Foundation
import Glibc
import HummingbirdTesting
import Testing

@testable import Collector

@Suite("New positions for a page that is open", .timeLimit(.minutes(2)))
struct WatchTests {
  @Test("a watcher gets each name once, whatever came meanwhile, and nothing once he has gone")
  func feed() async throws {
    let feed = FleetFeed()
    let watch = try #require(feed.watch())
    for name in ["a", "b", "a"] { feed.publish(name) }
    var signals = watch.signals.makeAsyncIterator()
    #expect(await signals.next() != nil)
    #expect(feed.take(watch) == ["a", "b"])
    #expect(feed.take(watch) == [])
    feed.publish("c")
    #expect(feed.take(watch) == ["c"])
    feed.end(watch)
    #expect(feed.count == 0)
    feed.publish("d")
    #expect(feed.take(watch) == [])
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

  @Test("come while it is open, and a collector that is to end does not wait for who watches")
  func live() async throws {
    try await withTemporaryFolder { folder in
      let running = try Running(["--database", folder.appending(path: "fleet.sqlite").path, "--port", "0"])
      let port = try running.port()
      let line = try Line(port: port)
      try line.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let head = try line.read(until: ": godwit\n\n")
      #expect(head.contains("200 OK") && head.lowercased().contains("content-type: text/event-stream"))
      try await withClient(to: port) { client in
        _ = try await client.post(
          "/v1/locations", headers: [.godwitDevice: "van-7"], body: .init(string: body([record(uuid(1))])))
      }
      let event = try line.read(until: "\n\n")
      #expect(event.contains(#"data: {"accuracy":5,"device":"van-7","#), "\(event)")
      running.process.terminate()
      #expect(await running.status() == 0)
    }
  }
}

/// A connection that is read as it comes, which the client of the other tests does not do.
private final class Line {
  private let descriptor: Int32

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(result == 0)
  }

  func send(_ text: String) throws {
    try #require(Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count)
  }

  func read(until end: String) throws -> String {
    var (text, piece) = ("", [UInt8](repeating: 0, count: 4096))
    while !text.contains(end) {
      let count = recv(descriptor, &piece, piece.count, 0)
      try #require(count > 0, "ended after \(text)")
      text += String(decoding: piece.prefix(count), as: UTF8.self)
    }
    return text
  }

  deinit { close(descriptor) }
}
