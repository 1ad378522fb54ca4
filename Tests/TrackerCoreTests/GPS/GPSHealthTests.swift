import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Weeks of one receiver: a day is its drives, minute by minute.
private struct HealthTimeline {
  var health = GPSHealth()
  private(set) var day: Int64 = 20_000
  /// Days on which it was or became failing, from 0 on.
  private(set) var reported: [Int64] = []
  private(set) var losses_dB: [Double] = []
  private var random: SeededRandom
  private var now_ms: Int64 = 0

  init(seed: UInt64 = 3) { random = SeededRandom(seed) }

  /// - Parameters:
  ///   - minutes: driven; under an open sky the third part of them.
  ///   - level: under an open sky, without the day's weather and the satellites' places.
  mutating func live(minutes: Int, level_dBHz: Double, ttff_s: Double? = 3) {
    _ = health.dayBegan(day)
    let ofDay_dB = random.unit() * 2 - 1
    for minute in 0..<minutes {
      let hidden_dB = minute % 3 == 0 ? 0 : random.unit() * 9
      for _ in 0..<60 {
        now_ms += 1000
        let noise_dB = random.unit() * 3 - 1.5
        health.heard(level_dBHz + ofDay_dB - hidden_dB + noise_dB, speed_mps: 14, at: now_ms)
      }
    }
    // The garage: weak satellites, for hours.
    for _ in 0..<600 {
      now_ms += 1000
      health.heard(22, speed_mps: 0.3, at: now_ms)
    }
    now_ms += 60_000
    if let ttff_s { health.started(after: Int64(ttff_s * 1000 * (1 + random.unit() / 4))) }
    day += 1
    if health.dayBegan(day), health.isFailing { reported.append(day - 20_000) }
    losses_dB.append(health.loss_dB ?? 0)
  }
}

@Suite("The receiver's health over weeks")
struct GPSHealthTests {
  @Test(
    "a healthy receiver never looks ill, with weekends and weeks in a garage and in towns", arguments: 1...8)
  func healthy(seed: UInt64) {
    var year = HealthTimeline(seed: seed)
    for day in 0..<365 {
      let isAway = day % 7 > 4 || (120...145).contains(day)
      year.live(minutes: isAway ? 0 : [12, 25, 7, 60, 18][day % 5], level_dBHz: 44)
    }
    #expect(year.reported == [] && !year.health.isFailing)
    #expect(year.losses_dB.allSatisfy { $0 < 1.5 }, "\(year.losses_dB.max() ?? 0)")
    #expect(abs((year.health.level_dBHz ?? 0) - 44) < 1.5)
    #expect((year.health.startRatio ?? 9) < 1.2)
  }

  @Test("one that loses half a decibel a week is reported once, after six to ten weeks", arguments: 1...8)
  func dying(seed: UInt64) {
    var weeks = HealthTimeline(seed: seed)
    for _ in 0..<60 { weeks.live(minutes: 30, level_dBHz: 44) }
    for day in 0..<90 { weeks.live(minutes: 30, level_dBHz: 44 - Double(day) * 0.5 / 7) }
    #expect(weeks.reported.count == 1)
    #expect(weeks.reported.first.map { (60 + 42...60 + 70).contains($0) } ?? false, "\(weeks.reported)")
  }

  @Test(
    "a cable that suddenly takes 6 dB is reported within a week of driving, and is well again when it is mended"
  )
  func sudden() {
    var weeks = HealthTimeline()
    for _ in 0..<30 { weeks.live(minutes: 30, level_dBHz: 44) }
    for _ in 0..<10 { weeks.live(minutes: 30, level_dBHz: 38) }
    #expect(weeks.reported.count == 1 && (weeks.reported.first ?? 99) <= 37)
    for _ in 0..<20 { weeks.live(minutes: 30, level_dBHz: 44) }
    #expect(!weeks.health.isFailing)
  }

  @Test("days with little driving count for nothing, and before a week of days nothing is said")
  func fewDays() {
    var weeks = HealthTimeline()
    for _ in 0..<30 { weeks.live(minutes: 4, level_dBHz: 44, ttff_s: nil) }
    #expect(weeks.health.level_dBHz == nil && weeks.health.loss_dB == nil && weeks.health.startRatio == nil)
    for _ in 0..<6 { weeks.live(minutes: 10, level_dBHz: 44) }
    #expect(weeks.health.level_dBHz != nil && weeks.health.loss_dB == nil)
    weeks.live(minutes: 10, level_dBHz: 44)
    #expect(weeks.health.loss_dB != nil)
  }

  @Test("another antenna, 5 dB weaker, is the measure of itself after some months")
  func another() {
    var months = HealthTimeline()
    for _ in 0..<60 { months.live(minutes: 30, level_dBHz: 46) }
    for _ in 0..<400 { months.live(minutes: 30, level_dBHz: 41) }
    #expect(months.reported.count == 1 && !months.health.isFailing)
  }

  @Test("starts that take three times as long show in the ratio")
  func starts() {
    var weeks = HealthTimeline()
    for _ in 0..<30 { weeks.live(minutes: 10, level_dBHz: 44, ttff_s: 3) }
    for _ in 0..<30 { weeks.live(minutes: 10, level_dBHz: 44, ttff_s: 9) }
    #expect(weeks.health.startRatio.map { (2.5...3.3).contains($0) } ?? false)
    #expect(!weeks.health.isFailing)
  }

  @Test("it is the same after each restart")
  func saved() throws {
    var one = HealthTimeline()
    var other = HealthTimeline()
    for _ in 0..<40 {
      one.live(minutes: 10, level_dBHz: 44)
      other.live(minutes: 10, level_dBHz: 44)
      other.health = try #require(GPSHealth(saved: other.health.saved))
    }
    let loss_dB = try #require(one.health.loss_dB)
    let ratio = try #require(one.health.startRatio)
    #expect(
      abs(loss_dB - (other.health.loss_dB ?? 99)) < 0.01
        && abs(ratio - (other.health.startRatio ?? 99)) < 0.01)
  }

  @Test(
    "what makes no sense is not used",
    arguments: [
      "", ["minutes": 2000], ["best_dbhz": .outOfRange], ["levels": ["days": -1]],
      ["starts": ["present": 1e10]],
      ["day": "x"], ["levels": ["best": "x"]], ["more": 1],
    ] as [JSONValue])
  func unreadable(saved: JSONValue) { #expect(GPSHealth(saved: saved) == nil) }
}

@Suite("The GPS's day")
struct GPSDayTests {
  private let zone = FixedZone(offset_s: 7200)

  @Test("on-time and sessions are of the day since local midnight")
  func midnight() {
    var day = GPSDay()
    // 06:00 UTC is 08:00 here: midnight is 16 hours later.
    func at(_ s: Int64, isOn: Bool) {
      day.count(isOn: isOn, trusted_ms: epoch_ms + s * 1000, in: zone, at: s * 1000)
    }
    at(0, isOn: false)
    day.sessionStarted()
    at(10, isOn: true)
    at(110, isOn: false)
    #expect(day.on_ms == 100_000 && day.sessions == 1)
    at(16 * 3600 - 1, isOn: false)
    #expect(day.on_ms == 100_000)
    day.sessionStarted()
    at(16 * 3600 - 1, isOn: true)
    at(16 * 3600 + 30, isOn: true)
    #expect(day.on_ms == 30_000 && day.sessions == 0, "what was before midnight is yesterday's")
  }

  @Test("it goes on after a restart, also where the time becomes known only later; another day begins anew")
  func restart() {
    for (days, expected_ms) in [(Int64(0), Int64(150_000)), (1, 50_000)] {
      var first = GPSDay()
      first.sessionStarted()
      first.count(isOn: true, trusted_ms: epoch_ms, in: zone, at: 0)
      first.count(isOn: false, trusted_ms: epoch_ms + 100_000, in: zone, at: 100_000)
      var second = GPSDay()
      if let saved = first.saved { second.add(saved) }
      second.sessionStarted()
      second.count(isOn: true, trusted_ms: nil, in: zone, at: 5000)
      #expect(second.saved == first.saved)
      let then_ms = epoch_ms + days * 86_400_000 + 200_000
      second.count(isOn: false, trusted_ms: then_ms, in: zone, at: 55_000)
      #expect(second.on_ms == expected_ms && second.sessions == (days == 0 ? 2 : 1))
    }
  }

  @Test(
    "what makes no sense is not used",
    arguments: ["", ["day": "a"], ["day": 1, "on_ms": -5], ["on_ms": 999_999_999_999], ["sessions": -1]]
      as [JSONValue])
  func unreadable(saved: JSONValue) { #expect(SavedGPSDay(saved: saved) == nil) }
}
