import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("An accelerometer in a vehicle")
struct AccelerationWatchTests {
  @Test("a departure is a sign within seconds where the chip tells by itself", arguments: 1...UInt64(12))
  func toldDeparture(seed: UInt64) {
    var van = WatchedBoard(seed: seed, hasEvent: true)
    van.run(600, .parked)
    #expect(van.signs_s.isEmpty)
    van.run(10, .driving)
    #expect(!van.signs_s.isEmpty && van.signs_s[0] < 605, "\(van.signs_s)")
  }

  @Test("and with the second look at the latest where it is only looked at", arguments: 1...UInt64(12))
  func seenDeparture(seed: UInt64) {
    var van = WatchedBoard(seed: seed, hasEvent: false)
    van.run(3600, .parked)
    #expect(van.signs_s.isEmpty)
    van.run(181, .driving)
    #expect(!van.signs_s.isEmpty, "looks each 90 s")
  }

  @Test("it is looked at no more often than probes would be at their closest, and while it drives not at all")
  func looks() {
    var van = WatchedBoard(seed: 1, hasEvent: true)
    van.run(3600, .parked)
    #expect((38...41).contains(van.looks), "\(van.looks) looks in an hour")
    let before = van.looks
    van.run(600, .driving, seen: .moving)
    van.run(600, .parked, seen: nil)
    #expect(van.looks == before)
    #expect(van.tells == [0.5, 24, nil], "what the chip tells: \(van.tells)")
  }

  @Test(
    "a quiet night, wind and lorries that pass are no signs, or few",
    arguments: [
      (ShakenBoard.Doing.parked, true, 0), (.parked, false, 0), (.windy, true, 0), (.windy, false, 2),
      (.street, true, 4),
      (.street, false, 2),
    ])
  func nights(doing: ShakenBoard.Doing, hasEvent: Bool, most: Int) {
    for seed in oneIn(3, of: [1, 2, 3] as [UInt64]) {
      var van = WatchedBoard(seed: seed, hasEvent: hasEvent)
      van.run(hasEvent ? 2 * 3600 : 12 * 3600, doing)
      #expect(van.watch.signs <= most, "\(doing), seed \(seed): \(van.watch.signs) signs")
    }
  }

  @Test("loading raises the threshold, which a drive exceeds all the same, and a departure lowers it")
  func loading() {
    for seed in oneIn(3, of: [1, 2, 3] as [UInt64]) {
      var van = WatchedBoard(seed: seed, hasEvent: true)
      van.run(60, .parked)
      van.run(3600, .loading)
      let raised_mps2 = van.watch.noise.threshold_mps2(least: 0.5)
      #expect((1...2.5).contains(raised_mps2), "\(raised_mps2) m/s²")
      #expect(van.watch.signs < 10, "\(van.watch.signs) signs in an hour")
      van.run(900, .parked)
      let before_s = van.s
      van.run(20, .driving)
      #expect(van.signs_s.last.map { $0 > before_s } ?? false, "seed \(seed)")
      let caution = van.watch.noise.caution
      van.run(1, .driving, seen: .moving)
      #expect(van.watch.noise.caution < caution)
    }
  }

  @Test("a tow tilts it, once; a load of one or two degrees does not")
  func tow() {
    var van = WatchedBoard(seed: 1, hasEvent: false)
    van.run(600, .parked)
    // 1.7°
    van.board.gravity = Acceleration(1.49, -0.8, 9.65)
    van.run(900, .parked)
    #expect(van.incidents.isEmpty)
    // 10° more
    van.board.gravity = Acceleration(3.14, -0.8, 9.25)
    van.run(300, .parked)
    van.run(900, .parked)
    guard van.incidents.count == 1, case .tow(let tilt_deg) = van.incidents[0] else {
      Issue.record("\(van.incidents)")
      return
    }
    #expect((8...12).contains(tilt_deg))
    #expect(!van.signs_s.isEmpty)
    var unwatched = WatchedBoard(seed: 1, hasEvent: false) { $0.tilt_deg = 0 }
    unwatched.run(600, .parked)
    unwatched.board.gravity = Acceleration(3.14, -0.8, 9.25)
    unwatched.run(600, .parked)
    #expect(unwatched.incidents.isEmpty)
  }

  @Test("a crash is one event a minute, while it drives and where the chip tells")
  func crash() {
    var van = WatchedBoard(seed: 1, hasEvent: true)
    van.run(60, .parked)
    van.says(.exceeded)
    #expect(van.incidents.isEmpty && van.signs_s.count == 1, "parked it is a sign of life")
    van.run(120, .driving, seen: .moving)
    #expect(van.incidents.isEmpty, "the road is no crash")
    for _ in 0..<3 { van.says(.exceeded) }
    #expect(van.incidents == [.crash(over_mps2: 24)])
    van.run(61, .driving, seen: .moving)
    van.says(.exceeded)
    #expect(van.incidents.count == 2)
    var without = WatchedBoard(seed: 1, hasEvent: true) { $0.crash_mps2 = 0 }
    without.run(10, .driving, seen: .moving)
    without.says(.exceeded)
    #expect(without.incidents.isEmpty && without.tells.isEmpty)
  }

  @Test("a chip that never ceases to tell, or that flips to and fro, fills no queue")
  func hostile() {
    var van = WatchedBoard(seed: 1, hasEvent: true)
    for _ in 0..<120 {
      van.run(10, .parked, seen: .moving)
      van.says(.exceeded)
    }
    #expect(van.incidents == [.crash(over_mps2: 24)])
    van.run(60, .parked, seen: .moving)
    van.says(.exceeded)
    #expect(van.incidents.count == 2)
    var flipping = WatchedBoard(seed: 1, hasEvent: false)
    for hour in 0..<4 {
      for turn in 0..<12 {
        flipping.board.gravity = turn % 2 == 0 ? Acceleration(0, 0, 9.81) : Acceleration(9.81, 0, 0)
        flipping.run(300, .parked)
      }
      #expect((hour...hour + 1).contains(flipping.incidents.count), "\(flipping.incidents.count)")
    }
  }

  @Test("one that fails is done without; what it says once it is back is compared with nothing before")
  func failed() {
    var van = WatchedBoard(seed: 1, hasEvent: false)
    van.run(600, .parked)
    van.says(.failed("unplugged"))
    #expect(van.watch.hasFailed && van.watch.deadline_ms == nil && van.watch.threshold_mps2 == nil)
    let before = van.looks
    van.run(600, .driving)
    #expect(van.looks == before && van.signs_s.isEmpty)
    van.board.gravity = Acceleration(-9.7, 0, 1)
    van.says(.opened(hasEvent: false))
    van.run(600, .parked)
    #expect(van.looks > before && van.signs_s.isEmpty && van.incidents.isEmpty && !van.watch.hasFailed)
    van.says(.eventRefused("read-only"))
    #expect(van.watch.device == .silent)
  }
}

@Suite("What is learned of parked noise")
struct ParkedNoiseTests {
  @Test("a restless place raises the threshold to four times its noise, and never above 2.5 m/s²")
  func level() {
    var noise = ParkedNoise()
    #expect(noise.threshold_mps2(least: 0.5) == 0.5)
    for _ in 0..<400 { noise.measured(0.3, least: 0.5) }
    #expect(abs(noise.threshold_mps2(least: 0.5) - 1.2) < 0.01)
    for _ in 0..<400 { noise.measured(50, least: 0.5) }
    for _ in 0..<20 { noise.wasFalse() }
    #expect(noise.threshold_mps2(least: 0.5) == 2.5)
    #expect(noise.threshold_mps2(least: 4) == 4, "what is set is the least")
  }

  @Test("a single departure is not noise")
  func departure() {
    var noise = ParkedNoise()
    noise.measured(6, least: 0.5)
    #expect(noise.threshold_mps2(least: 0.5) == 0.5)
  }

  @Test("is saved to the hundredth and read back; what makes no sense is not")
  func saved() {
    var noise = ParkedNoise()
    #expect(noise.saved == [:] && ParkedNoise(saved: [:]) == noise)
    for _ in 0..<50 { noise.measured(0.3, least: 0.5) }
    noise.wasFalse()
    let read = ParkedNoise(saved: noise.saved)
    #expect(read?.saved == noise.saved && read?.caution == 1.5)
    let odd: [JSONValue] = [
      "x", ["level_mps2": -0.01], ["caution": 0.99], ["caution": 4.01], ["level_mps2": 999.99], ["more": 1],
      ["level_mps2": "x"], ["level_mps2": .outOfRange],
    ]
    for value in odd { #expect(ParkedNoise(saved: value) == nil, "\(value)") }
  }
}
