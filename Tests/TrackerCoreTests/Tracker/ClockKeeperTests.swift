import Testing

@testable import TrackerCore

@Suite("Clock")
struct ClockKeeperTests {
  /// A board without RTC: the wall clock stands at the year 2000 and runs on from there.
  static func wrong(_ s: Double) -> Moment {
    Moment(boot_ms: milliseconds(s), wall_ms: 946_684_800_000 + milliseconds(s))
  }

  @Test("the kernel's word is taken")
  func kernel() {
    var clock = ClockKeeper(isSynchronised: true)
    #expect(clock.trust == .synchronised)
    #expect(clock.trusted_ms(at: .at(5)) == epoch_ms + 5000)
    clock.synchronised(false)
    #expect(clock.trust == .untrusted && clock.trusted_ms(at: .at(5)) == nil)
  }

  @Test("GPS time is believed when two reports, 2 s apart, agree", arguments: [(1.999, false), (2, true)])
  func gps(apart_s: Double, believed: Bool) {
    var clock = ClockKeeper(isSynchronised: false)
    let first = clock.gpsTime(epoch_ms + 10_000, at: ClockKeeperTests.wrong(10))
    #expect(!first)
    let second = clock.gpsTime(
      epoch_ms + 10_000 + milliseconds(apart_s), at: ClockKeeperTests.wrong(10 + apart_s))
    #expect(second == believed)
    #expect(clock.trust == (believed ? .gps : .untrusted))
    if believed { #expect(clock.trusted_ms(at: ClockKeeperTests.wrong(60)) == epoch_ms + 60_000) }
  }

  @Test(
    "reports that disagree by more than 2 s are not believed",
    arguments: [(2000, true), (2001, false), (-2001, false)])
  func disagree(by_ms: Int64, believed: Bool) {
    var clock = ClockKeeper(isSynchronised: false)
    _ = clock.gpsTime(epoch_ms, at: ClockKeeperTests.wrong(0))
    let yes = clock.gpsTime(epoch_ms + 5000 + by_ms, at: ClockKeeperTests.wrong(5))
    #expect(yes == believed)
  }

  @Test("GPS time becomes known once, and not at all beside a kernel that knows")
  func once() {
    var clock = ClockKeeper(isSynchronised: false)
    var news = 0
    for s in 0..<100 where clock.gpsTime(epoch_ms + Int64(s) * 1000, at: ClockKeeperTests.wrong(Double(s))) {
      news += 1
    }
    #expect(news == 1)
    var synchronised = ClockKeeper(isSynchronised: true)
    for s in 0..<100 where synchronised.gpsTime(epoch_ms + Int64(s) * 1000, at: .at(Double(s))) { news += 1 }
    #expect(news == 1)
  }

  @Test("GPS time dates by the boot clock, also while a synchronised wall clock is a day ahead")
  func dates() {
    var clock = ClockKeeper(isSynchronised: true)
    #expect(clock.gps_ms(at: .at(1)) == nil)
    for s in 0...2 { _ = clock.gpsTime(epoch_ms + Int64(s) * 1000, at: .at(Double(s))) }
    let ahead = Moment(boot_ms: 60_000, wall_ms: epoch_ms + 86_460_000)
    #expect(clock.gps_ms(at: ahead) == epoch_ms + 60_000)
    #expect(clock.trusted_ms(at: ahead) == epoch_ms + 86_460_000)
  }

  @Test("reports that waited in the socket during a stall do not bend the clock by more than 2 s")
  func stall() {
    var clock = ClockKeeper(isSynchronised: false)
    for s in 0...10 { _ = clock.gpsTime(epoch_ms + Int64(s) * 1000, at: ClockKeeperTests.wrong(Double(s))) }
    for s in 11...40 { _ = clock.gpsTime(epoch_ms + Int64(s) * 1000, at: ClockKeeperTests.wrong(40)) }
    for s in 41...50 { _ = clock.gpsTime(epoch_ms + Int64(s) * 1000, at: ClockKeeperTests.wrong(Double(s))) }
    let error_ms = (clock.trusted_ms(at: ClockKeeperTests.wrong(50)) ?? 0) - (epoch_ms + 50_000)
    #expect(abs(error_ms) <= 2000)
  }

  @Test("a receiver that corrects its date by 1024 weeks is followed, and that is news")
  func correction() {
    var clock = ClockKeeper(isSynchronised: false)
    for s in 0...5 { _ = clock.gpsTime(epoch_ms + Int64(s) * 1000, at: ClockKeeperTests.wrong(Double(s))) }
    var news = 0
    for s in 6...10 {
      let time_ms = epoch_ms + FixFilter.weekRollover_ms + Int64(s) * 1000
      if clock.gpsTime(time_ms, at: ClockKeeperTests.wrong(Double(s))) { news += 1 }
    }
    #expect(clock.trusted_ms(at: ClockKeeperTests.wrong(10)) == epoch_ms + FixFilter.weekRollover_ms + 10_000)
    #expect(news == 1)
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
    #expect(warnings.entries == [.jump: .init(count: 2, last_ms: 9), .dropped: .init(count: 40, last_ms: 7)])
  }

  @Test("names are stable: servers and people rely on them")
  func names() {
    #expect(
      Warnings.Name.allCases.map { $0.rawValue } == [
        "gpsd_lost", "gps_silent", "gps_no_sky", "gps_power_line", "input_line", "line_bounces",
        "towed", "gps_week_rollover", "gps_jump", "clock_unknown", "clock_differs", "undervoltage",
        "queue_damaged", "storage_failed", "queue_front_failed", "records_dropped", "sync_failed",
        "captive_portal",
        "sync_unauthorised", "auth_command_failed", "budget_exhausted", "records_refused",
        "settings_refused", "log_lost", "run_directory_failed", "few_descriptors", "crashed", "safe_mode",
      ])
  }
}
