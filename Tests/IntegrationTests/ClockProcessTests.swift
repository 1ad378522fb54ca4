import Foundation
import Testing

/// A whole agent, with gpsd and server, whose wall clock is wrong, unknown, or set while it runs.
@Suite(
  "Clock: processes", .serialized,
  .disabled(
    if: WrongClock.missing() != nil, "gpsd, cc, a product or the collector is missing: Tests/run has them"))
struct ClockProcessTests {
  private static let day_s = 86_400
  /// Not "always open", so that the time is needed.
  private static let everyMinute = "sun-sat 00:00-00:00"
  private static let now_s = Int(Date().timeIntervalSince1970)

  private func level(_ rig: Rig) -> String { String(rig.text("gpio/gps-power").prefix(1)) }
  private func clock(_ rig: Rig) -> String? { rig.status()?["clock"] as? String }
  private func gps(_ rig: Rig) -> [String: Any] { rig.status()?["gps"] as? [String: Any] ?? [:] }
  private func sync(_ rig: Rig) -> [String: Any] { rig.status()?["sync"] as? [String: Any] ?? [:] }
  private func warnings(_ rig: Rig) -> [String: Any] { rig.status()?["warnings"] as? [String: Any] ?? [:] }
  private func isOpen(_ rig: Rig) -> Bool? { (rig.status()?["window"] as? [String: Any])?["open"] as? Bool }

  /// - Parameters:
  ///   - clocked: the processes that live by the clock.
  ///   - hasSky: there are fixes, and a time with them.
  private func rig(
    _ clock: (Rig) throws -> WrongClock, for clocked: [String], rule: String, settings: String = "",
    hasSky: Bool = true
  ) async throws -> (Rig, WrongClock) {
    let rig = try Rig()
    rig.gpsSettings = hasSky ? "" : "first_fix_timeout_s = 3600\n"
    let clock = try clock(rig)
    for name in clocked { rig.environments[name] = clock.environment }
    try await rig.startCollector()
    try await rig.startFeeder(["--hold-after-end", "--cold-start-s", hasSky ? "2" : "86400"])
    try await rig.startGPSD()
    rig.topSettings = "timezone = \"UTC\"\nschedule = [\"\(rule)\"]\n"
    try await rig.startAgent(settings)
    return (rig, clock)
  }

  private func policy(_ name: String) -> String {
    "[clock]\nwhen_clock_unknown = \"\(name)\"\nconfirm_s = 5\n"
  }

  /// The day of the last fix, once several have come. The drive begins parked, so that none is kept at first.
  private func dayOfFixes(_ rig: Rig) async throws -> String {
    try await rig.wait(until: "fixes come") { gps(rig)["fixes"] as? Int ?? 0 > 2 }
    return String((gps(rig)["last_fix"] as? String ?? "").prefix(10))
  }

  /// The date so many days from now.
  private func date(_ days: Int) -> String { date(at: Self.now_s + days * Self.day_s) }

  private func date(at unix_s: Int) -> String {
    String(ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: Double(unix_s))).prefix(10))
  }

  private func days(around unix_s: Int) -> Set<String> { [date(at: unix_s - 60), date(at: unix_s + 600)] }

  @Test(
    "boot at a wrong date: acquire learns the time from GPS, then the schedule rules, and fixes have GPS time",
    arguments: [-now_s + 100, -30 * day_s])
  func acquire(ahead_s: Int) async throws {
    let (rig, _) = try await rig(
      { try WrongClock(in: $0, ahead_s: ahead_s) }, for: ["agent", "gpsd"],
      rule: Self.everyMinute, settings: policy("acquire"))
    try await rig.wait(until: "the time is learnt") { clock(rig) == "gps" }
    #expect(warnings(rig)["clock_unknown"] != nil)
    #expect(isOpen(rig) == true)
    let found = try await dayOfFixes(rig)
    #expect(days(around: Self.now_s).contains(found), "\(found)")
    try await rig.end("agent")
  }

  @Test(
    "boot in 1970, and a server with TLS: nothing is sent until GPS gives the time, then its certificate is good, and what was made before has its true date"
  )
  func certificate() async throws {
    let rig = try Rig()
    for name in ["agent", "gpsd"] {
      rig.environments[name] = try WrongClock(in: rig, ahead_s: -Self.now_s + 100).environment
    }
    try await rig.startCollector()
    try await rig.startTLS()
    // Also on a busy machine the first request comes before the first fix.
    try await rig.startFeeder(["--hold-after-end", "--cold-start-s", "60"])
    try await rig.startGPSD()
    rig.topSettings = "timezone = \"UTC\"\nschedule = [\"\(Self.everyMinute)\"]\n"
    try await rig.startAgent(policy("acquire"))
    // An event, which is sent at once.
    let file = rig.file("godwit.toml").path
    _ = rig.output(Rig.product("godwit"), ["track", "--for", "1h", "--config", file])
    try await rig.wait(until: "the certificate is not valid yet") {
      sync(rig)["last_reply"] as? String == "tls_clock"
    }
    #expect(clock(rig) == "untrusted")
    // The collector knows no such device.
    #expect((try? rig.records()) == nil)

    try await rig.wait(until: "the time is learnt") { clock(rig) == "gps" }
    try await rig.wait(until: "it has arrived") { (try? rig.records())?.first?.event == "status" }
    // Though it was made in 1970, as far as anyone knew then.
    let made = String(try #require(rig.records().first).timestamp.prefix(10))
    #expect(days(around: Self.now_s).contains(made), "\(made)")
    #expect(rig.text("tls.log").contains("refused"))
    try await rig.end("agent")
  }

  @Test("a window of the wrong date never opens: the GPS goes on to learn the time, and off again")
  func wrongDateWindow() async throws {
    let (rig, _) = try await rig(
      { try WrongClock(in: $0, ahead_s: -29 * Self.day_s) }, for: ["agent", "gpsd"],
      rule: "\(date(-30))..\(date(-28)) 00:00-00:00", settings: policy("acquire"))
    try await rig.wait(until: "the time is learnt") { clock(rig) == "gps" }
    try await rig.wait(until: "the GPS is off") { level(rig) == "0" }
    #expect(isOpen(rig) == false)
    #expect(gps(rig)["sessions"] as? Int == 1)
    #expect(gps(rig)["kept"] as? Int == 0)
    try await rig.end("agent")
  }

  @Test(
    "boot at a wrong date: open tracks at once, closed never powers the GPS", arguments: ["open", "closed"])
  func fixedPolicies(name: String) async throws {
    let (rig, _) = try await rig(
      { try WrongClock(in: $0, ahead_s: -Self.now_s + 100) }, for: ["agent", "gpsd"],
      rule: Self.everyMinute, settings: policy(name))
    #expect(isOpen(rig) == (name == "open"))
    if name == "open" {
      let found = try await dayOfFixes(rig)
      #expect(days(around: Self.now_s).contains(found), "\(found)")
    } else {
      try await rig.wait(until: "a few turns have passed") { rig.status()?["uptime_s"] as? Int ?? 0 >= 3 }
      #expect(gps(rig)["sessions"] as? Int == 0 && level(rig) != "1")
      #expect(clock(rig) == "untrusted")
    }
    try await rig.end("agent")
  }

  @Test("the clock is set an hour on, back, and a day back: the window follows")
  func steps() async throws {
    // The coming Monday, 10:00; 1970 began on a Thursday.
    let today = Self.now_s / Self.day_s
    let monday_s = (today + 1 + (8 - (today + 5) % 7) % 7) * Self.day_s + 36_000
    let ahead_s = monday_s - Self.now_s
    let (rig, clock) = try await rig(
      { try WrongClock(in: $0, ahead_s: ahead_s, isSynchronised: true) }, for: ["agent", "gpsd", "feeder"],
      rule: "mon 09:30-10:45")
    try await rig.wait(until: "fixes come") { gps(rig)["fixes"] as? Int ?? 0 > 2 }
    #expect(self.clock(rig) == "synchronised")
    for (step_s, open) in [(3600, false), (0, true), (-Self.day_s, false), (0, true)] {
      try clock.set(ahead_s: ahead_s + step_s, isSynchronised: true)
      try await rig.wait(until: "the window follows") { isOpen(rig) == open }
      try await rig.wait(until: "the power follows") { level(rig) == (open ? "1" : "0") }
    }
    try await rig.end("agent")
  }

  @Test(
    "a clock that somebody begins to keep right without setting it, since it is right already, is believed")
  func slewed() async throws {
    let (rig, clock) = try await rig(
      { try WrongClock(in: $0, ahead_s: 0) }, for: ["agent"], rule: Self.everyMinute,
      settings: policy("closed"))
    #expect(self.clock(rig) == "untrusted" && isOpen(rig) == false)
    try clock.set(ahead_s: 0, isSynchronised: true)
    try await rig.wait(until: "the window opens") { isOpen(rig) == true }
    #expect(self.clock(rig) == "synchronised")
    // Nobody keeps it any more: it has not become wrong by that.
    try clock.set(ahead_s: 0)
    try await rig.wait(until: "fixes come") { gps(rig)["fixes"] as? Int ?? 0 > 2 }
    #expect(self.clock(rig) == "synchronised" && isOpen(rig) == true)
    try await rig.end("agent")
  }

  @Test("a module and a gpsd that are 1024 weeks early: tracked with the right date")
  func weekRollover() async throws {
    let (rig, _) = try await rig(
      { try WrongClock(in: $0, ahead_s: -1024 * 7 * Self.day_s) }, for: ["gpsd", "feeder"],
      rule: Self.everyMinute, settings: policy("acquire"))
    let unsynchronised = try WrongClock("agents-clock", in: rig, ahead_s: -30 * Self.day_s)
    try await rig.end("agent")
    rig.environments["agent"] = unsynchronised.environment
    try await rig.startAgentAsWritten()
    try await rig.wait(until: "the time is learnt") { clock(rig) == "gps" }
    let found = try await dayOfFixes(rig)
    #expect(days(around: Self.now_s).contains(found), "\(found)")
    // gpsd 3.22 adds the 1024 weeks by itself; FixFilterTests has the agent's own repair.
    try await rig.end("agent")
  }

  @Test(
    "a window ends while the agent does not run at all, as in a suspend: it goes on, and the GPS is off")
  func suspended() async throws {
    let noon_s = Self.now_s / Self.day_s * Self.day_s + 2 * Self.day_s + 43_200
    // Fixes would have the time that the module began with.
    let (rig, clock) = try await rig(
      { try WrongClock(in: $0, ahead_s: noon_s - Self.now_s, isSynchronised: true) },
      for: ["agent", "gpsd"], rule: "sun-sat 11:00-13:00", hasSky: false)
    // Some seconds before one o'clock; more where the machine took longer than that to report the agent and to stop it.
    var (end_s, before_s) = (0, 8)
    func isLate() -> Bool { Int(Date().timeIntervalSince1970) >= end_s - 2 }
    repeat {
      before_s *= 2
      end_s = Int(Date().timeIntervalSince1970) + before_s
      try clock.set(ahead_s: noon_s + 3600 - end_s, isSynchronised: true)
      rig.signal("agent", SIGCONT)
      try await rig.wait(until: "the agent knows, and has the GPS on") {
        isLate() || ((rig.status()?["time"] as? String)?.contains("T12:59:") == true && level(rig) == "1")
      }
      rig.signal("agent", SIGSTOP)
    } while isLate()
    try await rig.wait(until: "the window is over") { Int(Date().timeIntervalSince1970) > end_s + 5 }
    #expect(level(rig) == "1")
    rig.signal("agent", SIGCONT)
    try await rig.wait(until: "the GPS is off") { level(rig) == "0" }
    try await rig.end("agent")
  }
}
