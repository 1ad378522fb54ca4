import Testing

@testable import TrackerCore

@Suite("Motion, as timelines")
struct MotionTimelines {
  /// Feeds one fix a second. - Returns: what happened, with the second in which it did.
  private func feed(
    _ motion: inout Motion, _ seconds: Range<Int>, _ fix: (Int) -> Fix
  ) -> [(second: Int, action: Motion.Action)] {
    seconds.flatMap { second in
      motion.fixArrived(fix(second), at: Int64(second) * 1000).map { (second, $0) }
    }
  }

  private func driving(_ second: Int, from start: Int = 0, offset_m: Double = 0) -> Fix {
    On.fix(second, east_m: offset_m + Double(second - start) * 15, speed_mps: 15)
  }

  private func movingSince0() -> Motion {
    var motion = Motion(settings: MotionSettings())
    _ = feed(&motion, 0..<20) { driving($0) }
    return motion
  }

  private func parked(_ change: (inout MotionSettings) -> Void = { _ in }) -> Motion {
    var settings = MotionSettings()
    change(&settings)
    var motion = Motion(settings: settings)
    _ = feed(&motion, 0..<61) { On.fix($0) }
    return motion
  }

  @Test("a first start at speed is a trip from the first fix on")
  func startsDriving() {
    var motion = Motion(settings: MotionSettings())
    let happened = feed(&motion, 0..<30) { driving($0) }
    guard case .departed(let start, let track, _, _, .fixes)? = happened.first?.action else {
      Issue.record("no departure")
      return
    }
    // Driving for 12 s is believed, and nothing of it is lost.
    #expect(happened.first?.second == 12)
    #expect(start == driving(0))
    #expect(track == (0...12).map { driving($0) })
  }

  @Test("a first start that stands is parked after 60 s", arguments: [(59, false), (60, true)])
  func startsParked(last: Int, isParked: Bool) {
    var motion = Motion(settings: MotionSettings())
    _ = feed(&motion, 0..<(last + 1)) { On.fix($0) }
    if case .stationary = motion.state { #expect(isParked) } else { #expect(!isParked) }
  }

  @Test("stays moving at a red light, and is halted meanwhile")
  func redLight() {
    var motion = movingSince0()
    let atLight = feed(&motion, 20..<110) { On.fix($0, east_m: 300) }
    #expect(atLight.isEmpty)
    #expect(motion.isMoving && motion.isHalted)
    let onwards = feed(&motion, 110..<130) { driving($0, from: 110, offset_m: 300) }
    #expect(onwards.isEmpty)
    #expect(motion.isMoving && !motion.isHalted)
  }

  @Test("parked after 300 s in one place, back-dated to the arrival", arguments: [(299, false), (300, true)])
  func stops(after: Int, isParked: Bool) {
    var motion = movingSince0()
    // 15 m/s into the place at 600 m: the first fix inside its 30 m counts as entering, at rest from second 40.
    _ = feed(&motion, 20..<40) { driving($0) }
    let happened = feed(&motion, 40..<(40 + after + 1)) { On.fix($0, east_m: 600) }
    guard isParked else {
      // Entered up to two fixes before it stood.
      #expect(happened.allSatisfy { $0.second >= 40 + 298 })
      return
    }
    guard case .arrived(let fix?, let place, .stayed)? = happened.first?.action else {
      Issue.record("no arrival")
      return
    }
    #expect(fix.time_ms == On.start_ms + 40_000)
    #expect(place.centre.distance_m(to: On.position(east_m: 600, north_m: 0)) < 5)
    #expect(motion.wantsGPS == false)
  }

  @Test("noise of a parked receiver makes no departure, for 24 hours, with the GPS on")
  func noise() {
    for seed in 1...3 {
      var numbers = SeededNumbers(seed: UInt64(seed))
      var motion = parked { $0.gpsOffWhenParked = false }
      var (east, north) = (0.0, 0.0)
      let happened = feed(&motion, 61..<86_400) { second in
        // First-order noise, 4 m over 60 s, as a receiver under open sky shows.
        east = 0.98347 * east + 0.1811 * 4 * numbers.normal()
        north = 0.98347 * north + 0.1811 * 4 * numbers.normal()
        return On.fix(
          second, east_m: east, north_m: north, speed_mps: abs(0.15 * numbers.normal()), accuracy_m: 6)
      }
      #expect(happened.isEmpty, "seed \(seed)")
    }
  }

  @Test("seen leaving with the GPS on: the trip starts with the last fix at rest")
  func departureSeen() {
    var motion = parked { $0.gpsOffWhenParked = false }
    _ = feed(&motion, 61..<100) { On.fix($0) }
    let happened = feed(&motion, 100..<120) { driving($0, from: 99) }
    guard case .departed(let start?, let track, _, let leftAfter_ms, .fixes)? = happened.first?.action else {
      Issue.record("no departure")
      return
    }
    #expect(start == On.fix(99))
    #expect(leftAfter_ms == nil)
    #expect(track.count == happened[0].second - 99 + 1)
  }

  @Test("one fix far away is no departure; two are")
  func oneOutlier() {
    var motion = parked { $0.gpsOffWhenParked = false }
    let happened = feed(&motion, 61..<90) { $0 == 70 ? On.fix($0, east_m: 500) : On.fix($0) }
    #expect(happened.isEmpty)
    let two = feed(&motion, 90..<92) { On.fix($0, east_m: 500) }
    #expect(two.count == 1)
  }

  @Test("probes come each 90 s, and after a fiftieth of the time that it stands once that is more")
  func probes() {
    var motion = parked()
    var now_ms: Int64 = 60_000
    var pauses: [Int64] = []
    for _ in 0..<80 {
      let due_ms = motion.deadline_ms!
      pauses.append((due_ms - now_ms) / 1000)
      #expect(motion.tick(at: due_ms) == [.probeStarted])
      #expect(motion.wantsGPS)
      now_ms = due_ms + 2000
      #expect(motion.fixArrived(On.fix(Int(now_ms / 1000)), at: now_ms) == [.probeEnded(answered: true)])
      #expect(!motion.wantsGPS)
    }
    // 49 pauses of 90 s and looks of 2 s make 4508 s, of which a fiftieth is 90 s.
    #expect(pauses[..<50].allSatisfy { $0 == 90 })
    #expect(pauses[50...].dropFirst() == pauses[51...].sorted()[...])
    #expect(pauses[79] == 164, "\(pauses[79])")
  }

  @Test("a probe without an answer ends after 45 s")
  func unanswered() {
    var motion = parked()
    let due_ms = motion.deadline_ms!
    _ = motion.tick(at: due_ms)
    #expect(motion.tick(at: due_ms + 44_999) == [])
    #expect(motion.tick(at: due_ms + 45_000) == [.probeEnded(answered: false)])
    #expect(motion.wantsGPS == false)
  }

  @Test(
    "a probe that finds the vehicle gone starts the trip with its first fix, and says since when it may be away"
  )
  func probeFindsItGone() {
    var motion = parked()
    let due_ms = motion.deadline_ms!
    _ = motion.tick(at: due_ms)
    let second = Int(due_ms / 1000) + 3
    let happened = feed(&motion, second..<(second + 3)) {
      On.fix($0, east_m: 2000 + Double($0) * 15, speed_mps: 15)
    }
    guard case .departed(let start?, _, _, let leftAfter_ms?, .fixes)? = happened.first?.action else {
      Issue.record("no departure")
      return
    }
    #expect(start.time_ms == On.start_ms + Int64(second) * 1000)
    #expect(leftAfter_ms == On.start_ms + 60_000)
  }

  @Test("a trip without any fix for half an hour ends at its last fix")
  func lost() {
    var motion = movingSince0()
    #expect(motion.deadline_ms == Int64(1_819_000))
    let happened = motion.tick(at: 1_819_000)
    guard case .arrived(let fix?, _, .noFix)? = happened.first else {
      Issue.record("no end")
      return
    }
    #expect(fix == driving(19))
  }

  @Test("ignition on departs at once; off for 60 s at rest parks, rolling does not")
  func ignition() {
    var motion = parked()
    guard case .departed(nil, _, _, _, .ignition)? = motion.ignitionChanged(on: true, at: 70_000).first else {
      Issue.record("no departure")
      return
    }
    _ = feed(&motion, 71..<90) { driving($0, from: 71) }
    _ = motion.ignitionChanged(on: false, at: 90_000)
    #expect(motion.tick(at: 150_000) == [])
    #expect(motion.isMoving)
    _ = feed(&motion, 151..<160) { On.fix($0, east_m: 285) }
    _ = motion.ignitionChanged(on: false, at: 160_000)
    guard case .arrived(_, _, .ignition)? = motion.tick(at: 220_000).first else {
      Issue.record("not parked")
      return
    }
  }
}
