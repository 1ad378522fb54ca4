import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// One GPS session in virtual time, a report a second, with a decibel of noise.
private struct SkyTimeline {
  var watch = SkyWatch()
  var ignitionIsOn: Bool?
  /// "second what".
  private(set) var log: [String] = []
  private(set) var now_s = 0
  private var random = SeededRandom(5)

  init(ignitionIsOn: Bool? = nil) { self.ignitionIsOn = ignitionIsOn }

  /// - Parameters:
  ///   - cn0: of the best four, by the second from 0 on; nil: fewer are heard.
  ///   - speed: nil: no fix.
  mutating func play(
    _ seconds: Int, _ cn0: (Int) -> Double?, heard: (Int) -> Int, speed: Double?, saysNothing: Bool = false
  ) {
    for second in 0..<seconds {
      var report = GPSReport(mode: speed == nil ? 1 : 3, speed_mps: speed)
      let noise_dB = random.unit() * 2 - 1
      if !saysNothing {
        report.sky = SkyView(heard: heard(second), cn0_dBHz: cn0(second).map { $0 + noise_dB })
      }
      see(report)
    }
  }

  mutating func see(_ report: GPSReport) {
    now_s += 1
    note(watch.reportArrived(report, ignitionIsOn: ignitionIsOn, at: Int64(now_s) * 1000))
  }

  mutating func session(after pause_s: Int = 60) {
    now_s += pause_s
    note(watch.sessionStarted(at: Int64(now_s) * 1000))
  }

  mutating func good(_ seconds: Int, speed: Double) {
    play(seconds, { _ in 44 }, heard: { _ in 12 }, speed: speed)
  }
  mutating func nothing(_ seconds: Int) { play(seconds, { _ in nil }, heard: { _ in 0 }, speed: nil) }
  /// All satellites are heard, all of them weakly.
  mutating func jammer(_ seconds: Int, cn0: Double = 26, heard: Int = 10, speed: Double?) {
    play(seconds, { _ in cn0 }, heard: { _ in heard }, speed: speed)
  }

  private mutating func note(_ changes: [SkyWatch.Change]) {
    log += changes.map { change in
      switch change {
      case .jammed: "\(now_s) jammed"
      case .jammingOver(let lasted_ms): "\(now_s) over after \(lasted_ms / 1000)"
      case .antennaGone(let cause): "\(now_s) antenna \(cause.rawValue)"
      case .antennaBack: "\(now_s) antenna back"
      }
    }
  }
}

@Suite("Jamming and the antenna")
struct SkyWatchTests {
  @Test("a tunnel says nothing: every satellite is gone within seconds, and comes back")
  func tunnel() {
    for (speed, length_s) in [(33.0, 5), (22, 60), (14, 1500)] {
      var drive = SkyTimeline(ignitionIsOn: true)
      drive.good(120, speed: speed)
      drive.play(3, { 36 - Double($0) * 9 }, heard: { 9 - $0 * 4 }, speed: speed)
      drive.nothing(length_s)
      drive.play(3, { 18 + Double($0) * 9 }, heard: { 4 + $0 * 3 }, speed: nil)
      drive.good(120, speed: speed)
      #expect(drive.log == [])
    }
  }

  @Test("a garage says nothing, though weak satellites are heard through its roof for hours")
  func garage() {
    for (rest, heard) in [(24.0, 8), (20, 4), (0, 0)] {
      var drive = SkyTimeline()
      drive.good(300, speed: 12)
      drive.good(10, speed: 3)
      drive.play(6, { 44 - Double($0) * 4 }, heard: { 12 - $0 }, speed: 2)
      drive.play(20, { _ in rest == 0 ? nil : rest }, heard: { _ in heard }, speed: 1.5)
      drive.play(7200, { _ in rest == 0 ? nil : rest }, heard: { _ in heard }, speed: rest == 0 ? nil : 0.1)
      #expect(drive.log == [])
    }
  }

  @Test("a car park of several storeys says nothing: in and out of the light, up and down the ramps")
  func carPark() {
    var drive = SkyTimeline()
    drive.good(120, speed: 10)
    for _ in 0..<8 {
      drive.play(8, { 42 - Double($0) * 2 }, heard: { 11 - $0 / 2 }, speed: 4)
      drive.play(12, { _ in 25 }, heard: { _ in 6 }, speed: 3)
      drive.play(5, { 28 + Double($0) * 3 }, heard: { 6 + $0 }, speed: 4)
      drive.good(6, speed: 0)
    }
    drive.good(300, speed: 0)
    #expect(drive.log == [])
  }

  @Test("houses, trees and bridges say nothing")
  func town() {
    var drive = SkyTimeline()
    for _ in 0..<20 {
      drive.good(40, speed: 10)
      drive.play(30, { _ in 36 }, heard: { _ in 7 }, speed: 9)
      drive.play(3, { _ in 28 }, heard: { _ in 5 }, speed: 9)
      drive.good(20, speed: 0)
      drive.play(20, { _ in 36 }, heard: { _ in 7 }, speed: 0)
    }
    #expect(drive.log == [])
  }

  @Test(
    "a jammer beside a standing vehicle is reported after 5 s, and once it is over", arguments: [10, 600])
  func jammed(length_s: Int) {
    var stand = SkyTimeline()
    stand.good(60, speed: 0.1)
    stand.jammer(length_s, speed: 0.2)
    stand.good(60, speed: 0)
    #expect(stand.log == ["66 jammed", "\(64 + length_s) over after \(length_s + 3)"])
  }

  @Test(
    "a jammer beside a driving vehicle is reported after 8 s, with a fix and without", arguments: [10, 600])
  func jammedOnTheRoad(length_s: Int) {
    for speed in [25.0, nil] {
      var drive = SkyTimeline()
      drive.good(120, speed: 25)
      drive.jammer(length_s, speed: speed)
      drive.good(60, speed: 25)
      #expect(drive.log == ["129 jammed", "\(124 + length_s) over after \(length_s + 3)"])
    }
  }

  @Test("one that begins in slow traffic could be a roof, until the vehicle drives below it")
  func slowTraffic() {
    var drive = SkyTimeline()
    drive.good(120, speed: 4)
    drive.jammer(30, speed: 4)
    #expect(drive.log == [])
    drive.jammer(30, speed: 15)
    #expect(drive.log == ["159 jammed"])
  }

  @Test("one that leaves no satellite cannot be told from a tunnel, and while standing not from an antenna")
  func strongJammer() {
    var drive = SkyTimeline()
    drive.good(120, speed: 25)
    drive.nothing(600)
    #expect(drive.log == [])
    var stand = SkyTimeline()
    stand.good(120, speed: 0)
    stand.nothing(50)
    stand.good(60, speed: 0)
    #expect(stand.log == [])
  }

  @Test("the end of a session ends a jamming: nobody sees it any longer")
  func sessionEnds() {
    var stand = SkyTimeline()
    stand.good(60, speed: 0)
    stand.jammer(30, speed: 0)
    stand.session()
    #expect(stand.log == ["66 jammed", "150 over after 29"] && !stand.watch.isJammed)
    #expect(stand.watch.view == nil)
  }

  @Test(
    "an antenna that is unplugged while the vehicle stands is reported after a minute, and when it is back")
  func unplugged() {
    var stand = SkyTimeline()
    stand.good(120, speed: 0.1)
    stand.nothing(300)
    stand.good(10, speed: 0)
    #expect(stand.log == ["181 antenna silent", "421 antenna back"])
  }

  @Test("so it is where the receiver only says nothing more of satellites")
  func unpluggedUnsaid() {
    var stand = SkyTimeline()
    stand.good(120, speed: 0.1)
    stand.play(300, { _ in nil }, heard: { _ in 0 }, speed: nil, saysNothing: true)
    #expect(stand.log == ["190 antenna silent"])
    #expect(stand.watch.view == SkyView(heard: 0))
  }

  @Test("it lasts over sessions until something is heard")
  func lastsOverSessions() {
    var stand = SkyTimeline()
    stand.good(120, speed: 0)
    stand.nothing(100)
    for _ in 0..<3 {
      stand.session()
      stand.nothing(60)
      #expect(stand.watch.antennaCause == .silent)
    }
    stand.session()
    stand.good(5, speed: 0)
    #expect(stand.log == ["181 antenna silent", "641 antenna back"])
  }

  @Test(
    "unplugged on the way it is reported after an hour of GPS with the ignition on, and never without a line")
  func unpluggedOnTheWay() {
    for ignitionIsOn in [true, false, nil] {
      var drive = SkyTimeline(ignitionIsOn: ignitionIsOn)
      drive.good(120, speed: 25)
      drive.nothing(600)
      for _ in 0..<13 {
        drive.session(after: 900)
        drive.nothing(300)
      }
      let reported = drive.log.filter { $0.hasSuffix("antenna silent") }
      #expect(reported.count == (ignitionIsOn == true ? 1 : 0))
    }
  }

  @Test("a receiver that never tells C/N0 is not judged")
  func noLevels() {
    var stand = SkyTimeline(ignitionIsOn: true)
    stand.play(120, { _ in nil }, heard: { _ in 0 }, speed: 0)
    stand.nothing(7200)
    stand.play(7200, { _ in nil }, heard: { _ in 0 }, speed: nil, saysNothing: true)
    #expect(stand.log == [])
  }

  @Test("what the receiver says of its antenna counts at once, and is over 10 s after it was said last")
  func ownReport() {
    var stand = SkyTimeline()
    stand.good(10, speed: 0)
    for _ in 0..<5 { stand.see(GPSReport(mode: 1, antennaFault: .open)) }
    for _ in 0..<20 { stand.see(GPSReport(mode: 3, speed_mps: 0)) }
    stand.see(GPSReport(mode: 1, antennaFault: .short))
    #expect(stand.log == ["11 antenna open", "26 antenna back", "36 antenna short"])
  }
}
