import Glibc
import Testing

@testable import TrackerBase
@testable import TrackerReceiver
@testable import TrackerIO

@Suite(
  "gpsd, the real one on a pseudo-terminal", .serialized,
  .enabled(if: RealGPSD.isInstalled, "gpsd is not installed"))
struct RealGPSDTests {
  let gpsd = RealGPSD()
  let start = time(nil) / 60 * 60

  @Test("reports arrive with the module's values")
  func reportsArrive() throws {
    let connection = gpsd.connect()
    let events = gpsd.play(from: start, to: connection) { events in
      events.reports.contains { $0.mode == 3 && $0.time_ms != nil && $0.hdop != nil && $0.satellites != nil }
    }
    let report = try #require(events.reports.last)
    let seconds = Int(try #require(report.time_ms)) / 1000 - start
    #expect((0..<300).contains(seconds))
    #expect(try #require(report.time_ms) % 1000 == 0)
    #expect(report.mode == 3)
    #expect(report.latitude_deg == 47.5)
    #expect(report.longitude_deg == 8.5)
    #expect(report.altitude_m == 410)
    #expect(abs(try #require(report.speed_mps) - 10.289) < 0.01)
    #expect(report.course_deg == 45)
    #expect(report.hdop == 0.9)
    #expect(report.satellites == 8)
    #expect(try #require(report.accuracy_m) > 0)
    #expect(try #require(report.altitudeAccuracy_m) > 0)
    #expect(events.devices.contains { $0.isOpen })
  }

  @Test("without a fix, reports have mode 1 and no position")
  func noFix() throws {
    let connection = gpsd.connect()
    let events = gpsd.play(from: start, fix: false, to: connection) { $0.reports.count >= 2 }
    let report = try #require(events.reports.last)
    #expect(report.mode == 1)
    #expect(report.latitude_deg == nil)
    #expect(report.accuracy_m == nil)
    #expect(report.hdop == nil)
  }

  @Test(
    "signals reach the tracker: a jammer that falls upon a standing vehicle is seen, with a fix or without")
  func signals() throws {
    let connection = gpsd.connect()
    var watch = SkyWatch()
    let good = [45, 44, 43, 42, 40, 38, 36, 34]
    let events = gpsd.play(
      from: start, to: connection,
      signals: { $0 < 100 ? good : good.map { $0 - 18 } },
      until: { $0.reports.last?.time_ms.map { $0 >= Int64(start + 115) * 1000 } ?? false })
    var changes: [String] = []
    for report in events.reports {
      guard let time_ms = report.time_ms else { continue }
      // The module's speed is 20 knots: the vehicle of this test stands.
      var standing = report
      standing.speed_mps = 0
      changes += watch.reportArrived(standing, ignitionIsOn: nil, at: time_ms).map { change in
        if case .jammed(let fall_dB) = change { "jammed \(fall_dB)" } else { "\(change)" }
      }
    }
    let views = events.reports.compactMap(\.sky)
    #expect(views.first == SkyView(heard: 8, cn0_dBHz: 43.5))
    #expect(views.last == SkyView(heard: 8, cn0_dBHz: 25.5))
    #expect(changes == ["jammed 18.0"])
  }

  @Test("satellites that are listed without a signal are not heard, and then nothing is said")
  func silence() throws {
    let connection = gpsd.connect()
    let events = gpsd.play(
      from: start, fix: false, to: connection, signals: { _ in Array(repeating: 0, count: 8) },
      until: { $0.reports.compactMap(\.sky).count >= 2 })
    #expect(events.reports.compactMap(\.sky).allSatisfy { $0 == SkyView(heard: 0) })
  }

  @Test("a gpsd that is stopped or killed is lost, and found again", arguments: [SIGTERM, SIGKILL])
  func lostAndFound(signal: Int32) {
    let connection = gpsd.connect()
    gpsd.stop(signal)
    let events = connection.events { $0.isLost }
    #expect(events.isLost)
    #expect(connection.isClosed)
    #expect(connection.receive(ready: []) == [])

    gpsd.start()
    let found = waits { (try? connection.open()) != nil && connection.becomesOpen() }
    #expect(found)
    let after = gpsd.play(from: start, to: connection) { $0.reports.contains { $0.mode == 3 } }
    #expect(after.reports.contains { $0.mode == 3 })
  }

  @Test("a closed connection can be opened again, and starts afresh")
  func reopen() throws {
    let connection = gpsd.connect()
    connection.close()
    #expect(connection.isClosed)
    try connection.open()
    #expect(connection.becomesOpen())
    let events = gpsd.play(from: start, to: connection) { $0.reports.contains { $0.mode == 3 } }
    #expect(events.reports.contains { $0.mode == 3 })
  }
}

@Suite("gpsd's connection")
struct GPSDConnectionTests {
  @Test("a closed port is an error that says what to look at")
  func closedPort() {
    let port = freePort()
    let connection = GPSDConnection(host: "127.0.0.1", port: port)
    let error = failure(GPSDError.self) { try connection.open() }
    #expect(
      error?.description == """
        cannot reach gpsd at 127.0.0.1 port \(port): connect: Connection refused (errno 111). \
        Is it running? "systemctl status gpsd.socket gpsd" shows it.
        """)
    #expect(connection.isClosed)
    #expect(connection.receive(ready: []) == [])
  }

  @Test("an impossible host is an error that names the setting")
  func impossibleHost() {
    let connection = GPSDConnection(host: "not a host", port: 2947)
    let error = failure(GPSDError.self) { try connection.open() }
    #expect(
      error?.description == """
        cannot find gpsd's host "not a host": the name servers know of no host not a host. \
        Check gps.host; 127.0.0.1 is this board.
        """)
  }

  @Test("a gpsd that hangs with a full queue does not hold up the loop")
  func hangingGPSD() {
    let server = FakeGPSD(queue: 0)
    var held: [GPSDConnection] = []
    var waiting: GPSDConnection?
    while waiting == nil && held.count < 20 {
      let connection = GPSDConnection(host: "127.0.0.1", port: server.port, connectTimeout_ms: 100)
      try? connection.open()
      if connection.isOpen { held.append(connection) } else { waiting = connection }
    }
    let events = waiting?.events { $0.isLost } ?? []
    let words = GPSDError.noAnswer(host: "127.0.0.1", port: server.port, waited_ms: 100).description
    #expect(events == [.lost(words)])
    #expect(waiting?.isClosed == true)
  }

  @Test("opening asks for reports in JSON")
  func watch() throws {
    let (server, _) = try connected()
    #expect(waits { server.hear() == "?WATCH={\"enable\":true,\"json\":true};\n" })
  }

  @Test("half a line does not block, and counts once it is whole")
  func halfLine() throws {
    let (server, connection) = try connected()
    server.say(#"{"class":"TPV","mode":1"#)
    #expect(Poller.wait(connection.descriptors, timeout_ms: 300_000) != [])
    #expect(connection.receive(ready: []) == [])
    server.say("}\r\n")
    #expect(connection.events { !$0.isEmpty } == [.report(GPSReport(mode: 1))])
  }

  @Test("garbage and a line without end are survived, and the next report counts")
  func garbage() throws {
    let (server, connection) = try connected()
    let garbage = String(decoding: (0..<2000).map { UInt8(truncatingIfNeeded: $0 &* 37 | 1) }, as: UTF8.self)
    server.say(garbage + "\n{\n}\n{}\n\n{\"class\":\n{\"class\":\"TPV\",\"mode\":3,\"lat\":47.5,\"lo\n")
    server.say(String(repeating: "x", count: 3 * LineBuffer.longestLine) + "\n")
    server.say("{\"class\":\"TPV\",\"mode\":1}\n")
    let events = connection.events { !$0.reports.isEmpty }
    #expect(
      events == [
        .error(.overlongLine),
        .report(GPSReport(mode: 1)),
      ])
  }

  @Test("a server that hangs up is lost once")
  func hangUp() throws {
    let (server, connection) = try connected()
    server.say("{\"class\":\"TPV\",\"mode\":1}\n")
    _ = waits { !server.hear().isEmpty }
    server.hangUp()
    let events = connection.events { $0.isLost }
    #expect(events == [.report(GPSReport(mode: 1)), .lost("gpsd closed the connection")])
    #expect(connection.isClosed)
  }

  private func connected() throws -> (FakeGPSD, GPSDConnection) {
    let server = FakeGPSD()
    let connection = GPSDConnection(host: "127.0.0.1", port: server.port)
    try connection.open()
    #expect(connection.becomesOpen())
    server.accept()
    return (server, connection)
  }
}
