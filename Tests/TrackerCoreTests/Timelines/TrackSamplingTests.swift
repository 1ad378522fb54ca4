import Testing

@testable import TrackerCore

@Suite("Which fixes are kept")
struct TrackSamplingTests {
  /// A drive with curves, lights and noise.
  private func drive(seed: UInt64, seconds: Int = 1200) -> [Fix] {
    var numbers = SeededNumbers(seed: seed)
    var (east, north, speed, turn, target) = (0.0, 0.0, 0.0, 0.0, 12.0)
    var (cos, sin) = (1.0, 0.0)
    var (errorEast, errorNorth) = (0.0, 0.0)
    return (0..<seconds).map { second in
      if numbers.uniform() < 0.02 { target = numbers.uniform() < 0.3 ? 0 : 5 + 20 * numbers.uniform() }
      if numbers.uniform() < 0.03 { turn = numbers.uniform() < 0.5 ? 0 : 0.3 * (numbers.uniform() - 0.5) }
      speed += min(2, max(-3, target - speed))
      // A small rotation a second keeps the heading a unit vector, without a sine.
      let (c, s) = (cos - turn * sin, sin + turn * cos)
      let length = (c * c + s * s).squareRoot()
      (cos, sin) = (c / length, s / length)
      east += speed * cos
      north += speed * sin
      errorEast = 0.98 * errorEast + 0.8 * numbers.normal()
      errorNorth = 0.98 * errorNorth + 0.8 * numbers.normal()
      return On.fix(second, east_m: east + errorEast, north_m: north + errorNorth, speed_mps: speed)
    }
  }

  private func error_m(_ fix: Fix, between a: Fix, and b: Fix) -> Double {
    let share = Double(fix.time_ms - a.time_ms) / Double(b.time_ms - a.time_ms)
    let line = Position(
      latitude_deg: a.position.latitude_deg + share * (b.position.latitude_deg - a.position.latitude_deg),
      longitude_deg: a.position.longitude_deg + share * (b.position.longitude_deg - a.position.longitude_deg))
    return line.distance_m(to: fix.position)
  }

  @Test("every fix lies within the bound of the line between kept ones at its own time", arguments: 1...20)
  func bound(seed: Int) {
    let fixes = drive(seed: UInt64(seed))
    var track = Track(settings: TrackSettings())
    let kept = fixes.flatMap { track.add($0, halted: false) } + track.end()
    #expect(kept.first == fixes.first && kept.last == fixes.last)
    #expect(kept.count * 4 < fixes.count)
    var next = 1
    for fix in fixes {
      while kept[next].time_ms < fix.time_ms { next += 1 }
      #expect(error_m(fix, between: kept[next - 1], and: kept[next]) <= 10.001)
      #expect(kept[next].time_ms - kept[next - 1].time_ms <= 120_000)
    }
  }

  @Test("a straight road at one speed keeps one fix in two minutes")
  func straight() {
    var track = Track(settings: TrackSettings())
    let kept = (0...600).flatMap {
      track.add(On.fix($0, east_m: Double($0) * 20, speed_mps: 20), halted: false)
    }
    #expect(
      kept.map { ($0.time_ms - On.start_ms) / 1000 } == [0, 120, 240, 360, 480, 600].dropLast().map { $0 })
  }

  @Test("parked: the track ends with the fix of the arrival, and noise leaves nothing")
  func arrival() {
    var track = Track(settings: TrackSettings())
    var kept = (0..<20).flatMap {
      track.add(On.fix($0, east_m: Double($0) * 10, speed_mps: 10), halted: false)
    }
    var numbers = SeededNumbers(seed: 7)
    kept += (20..<320).flatMap { second in
      track.add(
        On.fix(second, east_m: 200 + 15 * numbers.normal(), north_m: 15 * numbers.normal()), halted: true)
    }
    kept += track.arrived()
    #expect(kept.last?.time_ms == On.start_ms + 20_000)
    #expect(kept.allSatisfy { $0.time_ms <= On.start_ms + 20_000 })
  }

  @Test("a red light holds the track back, and gives all of it when it turns green")
  func redLight() {
    let fixes = drive(seed: 3, seconds: 400)
    var plain = Track(settings: TrackSettings())
    var halting = Track(settings: TrackSettings())
    let all = fixes.flatMap { plain.add($0, halted: false) } + plain.end()
    let late =
      fixes.enumerated().flatMap { halting.add($1, halted: (100..<160).contains($0)) } + halting.end()
    #expect(late == all)
  }

  @Test("the newest fix that is not kept is always at hand")
  func open() {
    var track = Track(settings: TrackSettings())
    for fix in drive(seed: 5, seconds: 300) {
      let kept = track.add(fix, halted: false)
      #expect(kept.last == fix || track.open == fix)
    }
  }

  @Test("distance keeps a fix every so many metres, all keeps all")
  func otherModes() {
    var settings = TrackSettings()
    settings.sampling = .distance
    var distance = Track(settings: settings)
    let stepwise = (0...100).flatMap { distance.add(On.fix($0, east_m: Double($0) * 3), halted: false) }
    #expect(stepwise.count == 26)
    settings.sampling = .all
    var all = Track(settings: settings)
    #expect((0..<50).flatMap { all.add(On.fix($0), halted: false) }.count == 50)
  }
}
