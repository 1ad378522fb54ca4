import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Clock")
struct ClockKeeperTests {
  /// A board without RTC: the wall clock stands at the year 2000 and runs on from there.
  static func wrong(_ s: Double) -> Moment {
    Moment(boot_ms: milliseconds(s), wall_ms: 946_684_800_000 + milliseconds(s))
  }

  @Test("the kernel's word is taken")
  func kernel() {
    var clock = ClockKeeper(isSynchronised: true)
    #expect(clock.trust(at: .at(5)) == .synchronised)
    #expect(clock.trusted_ms(at: .at(5)) == epoch_ms + 5000)
    clock.synchronised(false)
    #expect(clock.trust(at: .at(5)) == .untrusted && clock.trusted_ms(at: .at(5)) == nil)
  }

  /// Dates of a receiver once a second, right or by so much wrong, from a second on.
  @discardableResult
  static func say(
    _ clock: inout ClockKeeper, _ seconds: ClosedRange<Int>, by_s: Double = 0,
    wall: (Double) -> Moment = ClockKeeperTests.wrong
  ) -> [ClockKeeper.News] {
    seconds.compactMap { s in
      clock.reportArrived(at: Int64(s) * 1000)
      return clock.date(epoch_ms + Int64(s) * 1000 + milliseconds(by_s), at: wall(Double(s))).1
    }
  }

  static func keeper(isSynchronised: Bool = false, saved: SavedClock? = nil, boot: String = "b")
    -> ClockKeeper
  {
    ClockKeeper(
      isSynchronised: isSynchronised,
      notBefore_ms: epoch_ms - 30 * 86_400_000, saved: saved, bootID: boot)
  }

  @Test("alone, a receiver is believed after 90 s of one date, and its fixes wait until then")
  func first() {
    var clock = ClockKeeperTests.keeper()
    #expect(ClockKeeperTests.say(&clock, 10...99).isEmpty)
    #expect(clock.trust(at: ClockKeeperTests.wrong(99)) == .untrusted && clock.isJudging)
    #expect(ClockKeeperTests.say(&clock, 100...100) == [.learnt])
    #expect(clock.trusted_ms(at: ClockKeeperTests.wrong(160)) == epoch_ms + 160_000)
    #expect(!clock.isJudging)
  }

  @Test(
    "with a wall clock that says the same it takes 2 s, kept right by somebody or not",
    arguments: [true, false])
  func second(isSynchronised: Bool) {
    var clock = ClockKeeperTests.keeper(isSynchronised: isSynchronised)
    let news = ClockKeeperTests.say(&clock, 10...12, by_s: 1.5, wall: Moment.at)
    #expect(clock.gps_ms(at: .at(12)) == epoch_ms + 13_500)
    #expect(news == [.learnt])
  }

  @Test(
    "a date before the last one that was saved, or years after it, takes 360 s",
    arguments: [-3600.0, 43_200_000.0])
  func unlikely(by_s: Double) {
    let saved = SavedClock(bootID: "old", known_ms: epoch_ms)
    var clock = ClockKeeperTests.keeper(saved: saved)
    #expect(ClockKeeperTests.say(&clock, 10...369, by_s: by_s).isEmpty)
    #expect(ClockKeeperTests.say(&clock, 370...370, by_s: by_s) == [.learnt])
    var likely = ClockKeeperTests.keeper(saved: saved)
    #expect(ClockKeeperTests.say(&likely, 10...100, by_s: 86_400) == [.learnt])
  }

  @Test(
    "after a crash in the same boot the time is still known, in another boot it is not",
    arguments: ["b", "c"])
  func saved(boot: String) {
    var clock = ClockKeeperTests.keeper()
    ClockKeeperTests.say(&clock, 0...100)
    let next = ClockKeeperTests.keeper(saved: clock.saved, boot: boot)
    #expect(next.gps_ms(at: ClockKeeperTests.wrong(200)) == (boot == "b" ? epoch_ms + 200_000 : nil))
  }

  @Test("what is saved may be anything")
  func savedGarbage() {
    let most: Int64 = 1_000_000_000_000_000
    let odd: [JSONValue] = [
      "", [:], ["boot": "b"], ["boot": "b", "known_ms": -1], ["boot": "b", "known_ms": .integer(.max)],
      ["boot": "b", "offset_ms": .integer(most), "known_ms": 1_748_844_000_000],
      ["boot": "b", "offset_ms": .integer(-most), "agreed_at_ms": 5, "known_ms": 1_748_844_000_000],
      ["boot": "b", "agreed_at_ms": .integer(most), "known_ms": 1_748_844_000_000],
    ]
    for value in odd {
      let clock = ClockKeeperTests.keeper(saved: SavedClock(saved: value))
      #expect(clock.gps_ms(at: ClockKeeperTests.wrong(1)) == nil, "\(value)")
    }
  }

  @Test(
    "known from GPS alone: an error for a minute moves nothing, fixes are dated by the boot clock, and it is reported once",
    arguments: [-86_400.0, -3600, -18, 18, 3600, 86_400])
  func shortError(by_s: Double) {
    var clock = ClockKeeperTests.keeper()
    ClockKeeperTests.say(&clock, 0...100)
    for s in 101...160 {
      clock.reportArrived(at: Int64(s) * 1000)
      let (dating, news) = clock.date(
        epoch_ms + milliseconds(Double(s) + by_s), at: ClockKeeperTests.wrong(Double(s)))
      // A date in the past may be an old fix, unless it goes on.
      let first_s = by_s < 0 ? 103 : 101
      #expect(dating == (s < first_s ? .undecided : .corrected(time_ms: epoch_ms + Int64(s) * 1000)))
      #expect(news == (s == first_s ? .doubted(by_ms: milliseconds(by_s)) : nil))
    }
    #expect(clock.trusted_ms(at: ClockKeeperTests.wrong(160)) == epoch_ms + 160_000)
    #expect(ClockKeeperTests.say(&clock, 161...200).isEmpty && !clock.isJudging)
    #expect(ClockKeeperTests.say(&clock, 201...210, by_s: by_s).isEmpty)
  }

  @Test(
    "a jump for good is followed after 90 s if it is near, after 360 s if it is far",
    arguments: [(18.0, 90), (3600, 360), (-86_400, 360)])
  func longError(by_s: Double, after_s: Int) {
    var clock = ClockKeeperTests.keeper()
    ClockKeeperTests.say(&clock, 0...100)
    #expect(
      ClockKeeperTests.say(&clock, 101...(100 + after_s), by_s: by_s) == [.doubted(by_ms: milliseconds(by_s))]
    )
    let news = ClockKeeperTests.say(&clock, (101 + after_s)...(101 + after_s), by_s: by_s)
    #expect(news == [.jumped(by_ms: milliseconds(by_s))])
  }

  @Test("two sources are never overruled by the receiver, and both together overrule it at once")
  func votes() {
    var clock = ClockKeeperTests.keeper(isSynchronised: true)
    ClockKeeperTests.say(&clock, 0...10, wall: Moment.at)
    ClockKeeperTests.say(&clock, 11...4000, by_s: 86_400, wall: Moment.at)
    #expect(clock.gps_ms(at: .at(4000)) == epoch_ms + 4_000_000)
    #expect(clock.trusted_ms(at: .at(4000)) == epoch_ms + 4_000_000)
    var wrong = ClockKeeperTests.keeper()
    ClockKeeperTests.say(&wrong, 0...100, by_s: 86_400)
    wrong.synchronised(true)
    #expect(ClockKeeperTests.say(&wrong, 101...103, wall: Moment.at) == [.jumped(by_ms: -86_400_000)])
  }

  @Test(
    "a kernel that contradicts GPS from the start: the window is the kernel's, the fixes' dates become GPS's")
  func kernelDiffers() {
    func ahead(_ s: Double) -> Moment {
      Moment(boot_ms: milliseconds(s), wall_ms: epoch_ms + milliseconds(s + 86_400))
    }
    var clock = ClockKeeperTests.keeper(isSynchronised: true)
    ClockKeeperTests.say(&clock, 0...359, wall: ahead)
    #expect(clock.gps_ms(at: ahead(359)) == nil)
    #expect(ClockKeeperTests.say(&clock, 360...360, wall: ahead) == [.learnt])
    #expect(clock.gps_ms(at: ahead(400)) == epoch_ms + 400_000)
    #expect(clock.trusted_ms(at: ahead(400)) == ahead(400).wall_ms)
    #expect(clock.differs_ms(at: ahead(400)) == 86_400_000)
  }

  @Test("a kernel that says a time before this program was built is not believed, synchronised or not")
  func absurdKernel() {
    let clock = ClockKeeperTests.keeper(isSynchronised: true)
    #expect(clock.trust(at: ClockKeeperTests.wrong(1)) == .untrusted)
    #expect(clock.trust(at: .at(1)) == .synchronised)
  }

  @Test("a receiver that creeps by less than anyone notices leads the clock away by a hundredth at most")
  func creep() {
    var clock = ClockKeeperTests.keeper()
    ClockKeeperTests.say(&clock, 0...100)
    for s in 101...1000 { ClockKeeperTests.say(&clock, s...s, by_s: Double(s - 100) * 1.5) }
    let error_ms = (clock.gps_ms(at: ClockKeeperTests.wrong(1000)) ?? 0) - (epoch_ms + 1_000_000)
    #expect(abs(error_ms) < 15_000)
  }

  @Test("reports that waited in the socket during a stall have their own dates, and do not bend the clock")
  func stall() {
    var clock = ClockKeeperTests.keeper()
    ClockKeeperTests.say(&clock, 0...100)
    for s in 101...130 {
      clock.reportArrived(at: 130_000)
      #expect(clock.date(epoch_ms + Int64(s) * 1000, at: ClockKeeperTests.wrong(130)).0 == .own)
    }
    ClockKeeperTests.say(&clock, 131...150)
    let error_ms = (clock.trusted_ms(at: ClockKeeperTests.wrong(150)) ?? 0) - (epoch_ms + 150_000)
    #expect(abs(error_ms) <= 2000)
  }

  @Test(
    "a session's first fix may be 10 s old, not 11, nor a day and more",
    arguments: [(10.0, true), (10.001, false), (3600, false), (90_000, false), (864_000, false)])
  func stale(late_s: Double, taken: Bool) {
    var clock = ClockKeeperTests.keeper()
    ClockKeeperTests.say(&clock, 0...100)
    clock.sessionStarted()
    clock.reportArrived(at: 200_000)
    let dating = clock.date(epoch_ms + 200_000 - milliseconds(late_s), at: ClockKeeperTests.wrong(200)).0
    #expect(dating == (taken ? .own : .undecided))
  }

  @Test(
    "the same by the kernel's clock alone, of whatever age: recordings are believed by `confirm_s` 0, not by their age",
    arguments: [(10.0, true), (10.001, false), (90_000, false), (864_000, false)])
  func staleByKernel(late_s: Double, taken: Bool) {
    var clock = ClockKeeperTests.keeper(isSynchronised: true)
    clock.reportArrived(at: 200_000)
    let dating = clock.date(epoch_ms + 200_000 - milliseconds(late_s), at: .at(200)).0
    #expect(dating == (taken ? .own : .undecided))
  }

  @Test("a buffer that is read out in one moment has its own dates, also at the start of a session")
  func burst() {
    var clock = ClockKeeperTests.keeper()
    ClockKeeperTests.say(&clock, 0...100)
    clock.sessionStarted()
    let datings = (200...300).map {
      clock.date(epoch_ms + Int64($0) * 1000, at: ClockKeeperTests.wrong(300)).0
    }
    #expect(datings == [.undecided] + Array(repeating: .own, count: 100))
  }

  @Test("a date that leaps ahead, but stays days behind, comes out of no buffer")
  func leapingBehind() {
    var clock = ClockKeeperTests.keeper()
    ClockKeeperTests.say(&clock, 0...100)
    clock.sessionStarted()
    for (s, days) in [(200, 10.0), (201, 5.0), (202, 4.0), (203, 3.0)] {
      clock.reportArrived(at: Int64(s) * 1000)
      let said_ms = epoch_ms + Int64(s) * 1000 - milliseconds(days * 86_400)
      #expect(clock.date(said_ms, at: ClockKeeperTests.wrong(Double(s))).0 != .own, "\(days) days")
    }
  }

  @Test("one fix said again and again is one fix")
  func repeated() {
    var clock = ClockKeeperTests.keeper()
    ClockKeeperTests.say(&clock, 0...100)
    clock.sessionStarted()
    let datings = (200...209).map { clock.date(epoch_ms + 100_000, at: ClockKeeperTests.wrong(Double($0))).0 }
    #expect(datings == [.undecided] + Array(repeating: .repeated, count: 9))
  }

  @Test("0 s: every date is its own, and known after 2 s")
  func off() {
    var settings = ClockSettings()
    settings.confirm_s = 0
    var clock = ClockKeeper(isSynchronised: true, settings: settings)
    for s in 0...10 {
      let played = clock.date(epoch_ms / 2 + Int64(s) * 30_000, at: .at(Double(s)))
      #expect(played.0 == .own && played.1 == nil)
    }
    // Whenever the player stalls for two seconds, the time is the recording's.
    #expect(clock.date(epoch_ms / 2 + 301_000, at: .at(12)).1 == .learnt)
    _ = clock.date(epoch_ms / 2 + 601_000, at: .at(22))
    let stalled = clock.date(epoch_ms / 2 + 602_000, at: .at(24))
    #expect(stalled.0 == .own && stalled.1 == .followed(by_ms: 289_000), "\(stalled)")
  }

  @Test(
    "dates are moved by whole rollovers into the 1024 weeks from the build on",
    arguments: [-2, -1, 0, 1, 2] as [Int64])
  func rollover(times: Int64) {
    let said_ms = epoch_ms + times * GPSDate.weekRollover_ms
    let isPossible = GPSDate.possible_ms.contains(said_ms)
    let notBefore_ms = epoch_ms - 86_400_000
    #expect(GPSDate.repaired(said_ms, notBefore_ms: notBefore_ms) == (isPossible ? epoch_ms : said_ms))
    #expect(GPSDate.repaired(notBefore_ms, notBefore_ms: notBefore_ms) == notBefore_ms)
  }
}

@Suite("Warnings")
struct WarningsTests {
  @Test("each name has its count and its last time")
  func counts() {
    var warnings = Warnings()
    warnings.count(.jump, at: 5)
    warnings.count(.jump, at: 9)
    warnings.count(.dropped, at: 7, times: 40)
    #expect(
      warnings.entries == [.jump: .init(count: 2, lastAt_ms: 9), .dropped: .init(count: 40, lastAt_ms: 7)])
  }

  @Test("names are stable: servers and people rely on them")
  func names() {
    #expect(
      WarningName.allCases.map { $0.rawValue } == [
        "gpsd_lost", "gpsd_device", "gps_silent", "gps_no_sky", "gps_no_fix", "gps_accuracy",
        "gps_fixes_refused",
        "gps_late", "gps_other_receiver", "gps_dynamic_model",
        "gps_power_line", "input_line", "line_bounces",
        "towed", "gps_week_rollover", "gps_jump", "gps_2d_only", "gps_no_time", "gps_jamming",
        "gps_antenna", "gps_weak", "clock_unknown",
        "clock_differs",
        "clock_jump", "records_undated",
        "undervoltage", "battery_low", "battery_unreadable", "power_lost",
        "queue_damaged", "identity_changed", "identity_conflict", "storage_failed",
        "records_dropped", "sync_failed",
        "captive_portal",
        "sync_unauthorised", "auth_command_failed", "budget_exhausted", "records_refused",
        "settings_refused", "config_refused", "log_lost", "run_directory_failed", "few_descriptors",
        "zone_unreadable",
        "geofences_refused", "sleep_failed", "wake_late", "crashed", "safe_mode",
      ])
  }
}
