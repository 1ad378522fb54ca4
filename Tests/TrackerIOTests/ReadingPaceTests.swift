import Testing
import TrackerCore
import TrackerWire

@testable import TrackerIO

@Suite("How much of gpsd's reports may wait in its socket")
struct ReadingPaceTests {
  static func date_ms(_ s: Double) -> Int64 { 1_800_000_000_000 + Int64(s * 1000) }

  static func report(_ s: Double, mode: Int = 3, isDated: Bool = true) -> GPSDEvent {
    .report(
      GPSReport(
        mode: mode, time_ms: isDated ? date_ms(s) : nil, latitude_deg: 47, longitude_deg: 8, accuracy_m: 5))
  }

  /// A reading of 1800 bytes each second, of one report.
  private func pace(after seconds: Int, isReport: Bool = true) -> ReadingPace {
    var pace = ReadingPace(at: 0)
    for s in 1...seconds {
      pace.read(1800, [isReport ? ReadingPaceTests.report(Double(s)) : .error(.other)], at: Int64(s) * 1000)
    }
    return pace
  }

  @Test("half a minute of fixes is needed first: no probe is read late")
  func trial() {
    #expect(pace(after: 30).bytes == 1)
    #expect(pace(after: 31).bytes == 9900)
    #expect(pace(after: 31).isWaiting && !pace(after: 30).isWaiting)
  }

  @Test("the half minute begins with the first report, however long the receiver was silent")
  func silentFirst() {
    var pace = ReadingPace(at: 0)
    for s in 100...130 {
      #expect(pace.bytes == 1)
      pace.read(1800, [ReadingPaceTests.report(Double(s))], at: Int64(s) * 1000)
    }
    #expect(pace.bytes == 9900)
  }

  @Test("what comes fast waits for less time: a full socket is closed by gpsd")
  func fast() {
    var pace = ReadingPace(at: 0)
    for tenth in 1...301 {
      pace.read(700, [ReadingPaceTests.report(Double(tenth) / 10)], at: Int64(tenth) * 100)
    }
    #expect(pace.bytes == ReadingPace.mostBytes)
  }

  @Test("a slower receiver is followed")
  func slower() {
    var pace = pace(after: 31)
    for s in stride(from: 36, through: 61, by: 5) {
      pace.read(4500, (s - 4...s).map { ReadingPaceTests.report(Double($0)) }, at: Int64(s) * 1000)
    }
    #expect(pace.bytes == 4950)
  }

  struct Restless: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var s = 32.0
    var mode = 3
    var isDated = true
  }

  @Test(
    "nothing waits where the next fix is news",
    arguments: [
      Restless(testDescription: "no fix", mode: 1), Restless(testDescription: "no date", isDated: false),
      Restless(testDescription: "a date that jumps", s: 35),
      Restless(testDescription: "a date that goes back", s: 30),
    ])
  func restless(_ one: Restless) {
    var pace = pace(after: 31)
    pace.read(1800, [ReadingPaceTests.report(one.s, mode: one.mode, isDated: one.isDated)], at: 32_000)
    #expect(pace.bytes == 1)
    // And the trial begins anew.
    for s in 40...70 {
      #expect(pace.bytes == 1)
      pace.read(1800, [ReadingPaceTests.report(Double(s))], at: Int64(s) * 1000)
    }
    #expect(pace.bytes == 9900)
  }

  @Test("what is no report never waits")
  func noReports() { #expect(pace(after: 90, isReport: false).bytes == 1) }
}

@Suite("Reports that wait for each other", .timeLimit(.minutes(5)))
struct WaitingReportsTests {
  let gpsd = FakeGPSD()

  private func say(_ s: Int) {
    let date = ISO8601.text(ms: ReadingPaceTests.date_ms(Double(s)))
    gpsd.say(#"{"class":"TPV","mode":3,"time":"\#(date)","lat":47.0,"lon":8.0,"eph":5.0}"# + "\n")
  }

  /// A connection of which the trial is over. - Returns: it, its socket, and the second after that of the last report.
  private func connected() throws -> (GPSDConnection, PollDescriptor, Int) {
    let connection = GPSDConnection(host: "127.0.0.1", port: gpsd.port, trial_ms: 1)
    try connection.open()
    gpsd.accept()
    try #require(connection.becomesOpen())
    let socket = try #require(connection.descriptors.first)
    #expect(!connection.mayHaveReports)
    var s = 0
    // However slow this machine is: more than a line is to be waited for, and less than two hundred of them.
    #expect(
      waits {
        for _ in 0..<10 { say(s) }
        s += 1
        _ = connection.receive(ready: Poller.wait(connection.descriptors, timeout_ms: 5000))
        return connection.waitsFor_bytes > 1000
      })
    #expect(connection.mayHaveReports)
    // What is still on its way is read: nothing waits now.
    _ = connection.events { _ in Poller.wait([socket], timeout_ms: 0) == [] }
    return (connection, socket, s)
  }

  @Test("where a power cut may cost less than what waits, each report is read as it comes")
  func mayAge() {
    #expect(GPSDConnection(host: "127.0.0.1", port: gpsd.port, mayAge_ms: 6999).trial_ms == nil)
    #expect(GPSDConnection(host: "127.0.0.1", port: gpsd.port, mayAge_ms: 7000).trial_ms == 30_000)
    #expect(GPSDConnection(host: "127.0.0.1", port: gpsd.port).trial_ms == nil)
  }

  @Test("one report wakes nobody, and is there for whatever else wakes the loop")
  func oneWaits() throws {
    let (connection, socket, s) = try connected()
    say(s)
    #expect(Poller.wait([socket], timeout_ms: 200) == [])
    #expect(connection.receive(ready: []).reports.count == 1)
  }

  @Test("enough of them do, and all are there")
  func enough() throws {
    let (connection, socket, s) = try connected()
    for _ in 0..<200 { say(s) }
    #expect(Poller.wait([socket], timeout_ms: 100_000) == [socket.descriptor])
    #expect(connection.events { $0.reports.count >= 200 }.reports.count == 200)
  }

  @Test("too few of them are read after some seconds all the same, and from then on each as it comes")
  func tooFew() throws {
    let (connection, socket, s) = try connected()
    say(s)
    let ready = Poller.wait(connection.descriptors, timeout_ms: 100_000)
    #expect(ready == [connection.descriptors.last?.descriptor])
    #expect(connection.receive(ready: ready).reports.count == 1)
    #expect(!connection.mayHaveReports)
    say(s + 1)
    #expect(Poller.wait([socket], timeout_ms: 100_000) == [socket.descriptor])
  }

  @Test("the end of the connection wakes at once, and what came before it counts")
  func end() throws {
    let (connection, socket, s) = try connected()
    say(s)
    gpsd.hangUp()
    #expect(Poller.wait([socket], timeout_ms: 100_000) == [socket.descriptor])
    let events = connection.events { $0.isLost }
    #expect(events.isLost && events.reports.count == 1)
  }

  @Test("while a receiver's frames are wanted, nothing waits")
  func frames() throws {
    let (connection, socket, s) = try connected()
    connection.hearFrames(true)
    #expect(!connection.mayHaveReports)
    say(s)
    #expect(Poller.wait([socket], timeout_ms: 100_000) == [socket.descriptor])
  }
}
