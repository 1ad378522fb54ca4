import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("Name look-up")
struct NameLookUpTests {
  static let both = ["192.0.2.1", "192.0.2.2", "2001:db8::1"]

  /// Drives the look-up and its name servers until it has ended.
  private func outcome(
    of host: String = "fleet.example.org.", interface: String = "", timeout_ms: Int64 = 300_000,
    _ servers: NameServer...,
    each: () -> Void = {}
  ) throws -> Result<[String], NameError> {
    let lookUp = try NameLookUp(
      host, interface: interface, timeout_ms: timeout_ms,
      servers: servers.map(\.address).joined(separator: ","))
    let end = ContinuousClock.now + .seconds(300)
    while ContinuousClock.now < end {
      let ready = waitForDescriptors(
        lookUp.descriptors + servers.flatMap(\.descriptors), timeout_ms: min(1000, lookUp.timeout_ms))
      servers.forEach { $0.drive(ready: ready) }
      if let outcome = lookUp.drive(ready: ready) { return outcome }
      each()
    }
    throw WaitedTooLong()
  }

  @Test("all addresses of both kinds are found, each once, with one question for each kind")
  func found() throws {
    let server = NameServer { _ in .addresses(Self.both) }
    let addresses = try outcome(server).get()
    #expect(addresses.sorted() == Self.both)
    #expect(Set(server.questions.map(\.kind)) == [.a, .aaaa])
    #expect(server.questions.count == 2)
  }

  @Test("a host with addresses of one kind only has those", arguments: [["192.0.2.1"], ["2001:db8::1"]])
  func oneKind(addresses: [String]) throws {
    #expect(try outcome(NameServer { _ in .addresses(addresses) }) == .success(addresses))
  }

  @Test("another name for it is followed")
  func alias() throws {
    let server = NameServer { _ in .alias("other.example.org", ["192.0.2.7"]) }
    #expect(try outcome(server) == .success(["192.0.2.7"]))
  }

  @Test("names that lead to each other have no address")
  func aliasLoop() throws {
    let server = NameServer { _ in .alias("fleet.example.org", []) }
    #expect(try outcome(server) == .failure(.noAddress))
  }

  @Test("a host that does not exist, and one without an address, are distinguished")
  func nothing() throws {
    #expect(try outcome(NameServer { _ in .code(3) }) == .failure(.unknownHost))
    #expect(try outcome(NameServer { _ in .addresses([]) }) == .failure(.noAddress))
  }

  @Test("name servers that refuse are a failure of their own", arguments: [2, 5] as [UInt8])
  func refused(code: UInt8) throws {
    guard case .failure(.failed) = try outcome(NameServer { _ in .code(code) }) else {
      Issue.record("no failure of the name server")
      return
    }
  }

  @Test("one kind of address is enough when the other is refused")
  func half() throws {
    let server = NameServer { $0.kind == .a ? .addresses(["192.0.2.1"]) : .code(2) }
    #expect(try outcome(server) == .success(["192.0.2.1"]))
  }

  @Test("an answer that is too long for UDP is fetched over TCP")
  func truncated() throws {
    let server = NameServer { $0.isTCP ? .addresses(["192.0.2.1"]) : .truncated }
    #expect(try outcome(server) == .success(["192.0.2.1"]))
    #expect(server.questions.contains { $0.isTCP })
  }

  @Test("of a hundred addresses the first sixteen are looked at")
  func many() throws {
    let server = NameServer { _ in .addresses((1...100).map { "192.0.2.\($0)" }) }
    #expect(try outcome(server).get().count == 16)
  }

  @Test("an answer that comes late counts, if it comes in time")
  func late() throws {
    let server = NameServer { _ in .later(["192.0.2.1"]) }
    let result = try outcome(server) { if server.questions.count >= 4 { server.sayWhatWaits() } }
    #expect(result == .success(["192.0.2.1"]))
  }

  @Test("the second name server is asked when the first is silent, and both when it has refused")
  func second() throws {
    for first in [NameServer.Answer.silence, .code(2), .code(5)] {
      let servers = (NameServer { _ in first }, NameServer { _ in .addresses(["192.0.2.1"]) })
      #expect(try outcome(servers.0, servers.1) == .success(["192.0.2.1"]))
      #expect(!servers.0.questions.isEmpty)
    }
  }

  @Test(
    "silent name servers, one to five of them, end it at its limit, with few descriptors",
    arguments: [1, 3, 5])
  func silent(count: Int) throws {
    let servers = (1...count).map { _ in NameServer { _ in .silence } }
    let lookUp = try NameLookUp(
      "fleet.example.org.", timeout_ms: 200, servers: servers.map(\.address).joined(separator: ","))
    var result: Result<[String], NameError>?
    // A server whose object is gone refuses; silent is one that is there.
    withExtendedLifetime(servers) {
      while result == nil {
        #expect(lookUp.timeout_ms <= 200)
        let ready = waitForDescriptors(lookUp.descriptors, timeout_ms: lookUp.timeout_ms)
        #expect(lookUp.descriptors.count <= 3)
        result = lookUp.drive(ready: ready)
      }
    }
    #expect(result == .failure(.silent))
  }

  @Test("a box on the way that drops questions for IPv6 addresses costs seconds and not the connection")
  func droppedKind() throws {
    let server = NameServer { $0.kind == .a ? .addresses(["192.0.2.1"]) : .silence }
    #expect(try outcome(server) == .success(["192.0.2.1"]))
  }

  @Test("0.0.0.0 and :: are no addresses: they would lead to this board")
  func unspecified() throws {
    let server = NameServer { _ in .addresses(["0.0.0.0", "::", "192.0.2.1"]) }
    #expect(try outcome(server) == .success(["192.0.2.1"]))
    #expect(try outcome(NameServer { _ in .addresses(["0.0.0.0", "::"]) }) == .failure(.noAddress))
  }

  @Test(
    "garbage in the place of an answer is no answer and no harm",
    arguments: [
      [], [0xC0, 12], [0xC0], [UInt8](repeating: 0xFF, count: 400), [63, 1, 2], [0, 0, 1, 0, 1, 0xC0],
    ])
  func garbage(bytes: [UInt8]) throws {
    let server = NameServer { _ in .garbage(bytes) }
    guard case .failure = try outcome(timeout_ms: 100, server) else {
      Issue.record("addresses out of garbage")
      return
    }
  }

  @Test("a look-up that is dropped leaves no descriptor, and an answer after that is nobody's")
  func dropped() throws {
    let server = NameServer { _ in .later(["192.0.2.1"]) }
    var lookUp: NameLookUp? = try NameLookUp(
      "fleet.example.org.", timeout_ms: 300_000, servers: server.address)
    let descriptors = try #require(lookUp?.descriptors.map(\.descriptor))
    #expect(!descriptors.isEmpty)
    while server.questions.isEmpty {
      server.drive(ready: waitForDescriptors(server.descriptors, timeout_ms: 1000))
    }
    lookUp = nil
    server.sayWhatWaits()
    #expect(try outcome(NameServer { _ in .addresses(["192.0.2.9"]) }) == .success(["192.0.2.9"]))
  }

  @Test("/etc/hosts is asked first")
  func hostsFile() throws {
    let text = try #require(fileBytes("/etc/hosts").map { String(decoding: $0, as: UTF8.self) })
    let lines = text.split(separator: "\n").map {
      $0.prefix { $0 != "#" }.split(whereSeparator: { $0.isWhitespace })
    }
    let line = lines.first { $0.count > 1 && $0[0].contains(".") && $0[1] != "localhost" }
    guard let line else { return }
    let server = NameServer { _ in .addresses(["192.0.2.1"]) }
    #expect(try outcome(of: String(line[1]), server).get().contains(String(line[0])))
    #expect(server.questions.isEmpty)
  }

  @Test("what is no name is not asked for", arguments: ["", "not a host", "a/b", "a,b", "a\nb", "[::1]"])
  func noName(host: String) {
    #expect(throws: NameError.unknownHost) { try NameLookUp(host, timeout_ms: 1000) }
  }

  @Test("figures and localhost need no name server")
  func known() {
    #expect(KnownAddresses.of("192.0.2.1") == ["192.0.2.1"])
    #expect(KnownAddresses.of("fe80::1%eth0") == ["fe80::1%eth0"])
    #expect(KnownAddresses.of("LocalHost") == ["127.0.0.1", "::1"])
    #expect(KnownAddresses.of("localhost.") == ["127.0.0.1", "::1"])
    #expect(KnownAddresses.of("gps.localhost") == ["127.0.0.1", "::1"])
    #expect(KnownAddresses.of("localhost.example.org") == nil)
    #expect(KnownAddresses.of("1.2.3.4.5") == nil)
  }

  @Test("through an interface that is not there nobody is asked")
  func interface() throws {
    let lookUp = try NameLookUp(
      "fleet.example.org.", interface: "nosuch0", timeout_ms: 300_000, servers: "192.0.2.53:53")
    var result: Result<[String], NameError>?
    while result == nil {
      result = lookUp.drive(ready: waitForDescriptors(lookUp.descriptors, timeout_ms: lookUp.timeout_ms))
    }
    #expect(result == .failure(.noInterface))
  }

  @Test("a name server on this machine is asked whatever the interface: it chooses the way itself")
  func localServer() throws {
    let server = NameServer { _ in .addresses(["192.0.2.1"]) }
    #expect(try outcome(interface: "nosuch0", server) == .success(["192.0.2.1"]))
  }
}
