import Glibc
import Testing

/// Days of a whole device, each drawn from its seed: agent, real queue, network, server, GPS and clocks, with
/// everything going wrong that can above the kernel. `Tests/run --simulate N` runs as many as one likes.
@Suite struct SimulationTests {
  /// The days are dealt to so many tests, which run side by side.
  static let hands = 4

  @Test("the invariants hold on every day", arguments: 0..<hands)
  func days(hand: Int) throws {
    let days = environment("GODWIT_SIMULATE_DAYS") ?? 12
    let first = environment("GODWIT_SIMULATE_FIRST") ?? 1
    var total = SimulatedDay.Outcome()
    for seed in stride(from: first + hand, to: first + days, by: SimulationTests.hands) {
      let day = try SimulatedDay.run(seed: UInt64(seed))
      report(day, seed: seed)
      total.add(day)
    }
    print("simulated \(total.summary)")
  }

  /// Days that once broke an invariant. A change of `FaultPlan` or of the generator makes other days of them; the
  /// unit tests named here stay.
  @Test(
    "days that once went wrong go well",
    arguments: [
      3,  // the clock steps ahead while it counts as synchronised: FixFilterTests, "a clock that is ahead"
      9,  // the ignition starts a trip under a wrong clock: IgnitionTests, "the first fix dates the trip"
      262,  // a trip without a fix, a wrong clock: IgnitionTests, "a trip that never had a fix is dated"
    ])
  func regressions(seed: Int) throws {
    report(try SimulatedDay.run(seed: UInt64(seed)), seed: seed)
  }

  @Test("track and gaps cover every second of every day, whatever goes wrong", arguments: 0..<hands)
  func coverage(hand: Int) throws {
    let days = environment("GODWIT_SIMULATE_DAYS") ?? 12
    let first = environment("GODWIT_SIMULATE_FIRST") ?? 1
    for seed in stride(from: first + hand, to: first + days, by: SimulationTests.hands) {
      report(try SimulatedDay.run(seed: UInt64(seed), hasRightRecords: true), seed: seed)
    }
  }

  @Test("a seed gives the same day again")
  func reproducible() throws {
    let (once, again) = (try SimulatedDay.run(seed: 5), try SimulatedDay.run(seed: 5))
    #expect(once == again)
    #expect(once.steps > 100)
  }

  @Test("each fault and each blow takes effect")
  func everythingHappens() throws {
    var total = SimulatedDay.Outcome()
    for seed in 1...12 { total.add(try SimulatedDay.run(seed: UInt64(seed))) }
    let blows = [
      "kill", "killed", "terminate", "reboot", "clockStep", "synchronised", "clockSet", "ignition",
      "newSettings", "linkRestored", "syncAsked", "poison", "poison without a word", "newest", "backfill",
      "events", "budget events", "budget none", "pause", "paused", "track", "tracking", "resume", "crashes",
      "safe mode", "queueFileEmptied", "from memory", "slept", "person", "alarm failed", "sleep refused",
      "supply back", "alarm lost", "clock set asleep", "clock flat", "cut going down", "no answer, and off",
    ]
    let remote =
      RemoteAct.Version.allCases.map { "version \($0)" } + RemoteAct.Order.allCases.map { "order \($0)" }
      + ["other board", "twin", "identity conflict", "settings exchanged", "rolled back"]
    let wanted = Fault.allCases.map(\.rawValue) + blows + remote + ["second server"]
    let missing = wanted.filter { total.met[$0] == nil }
    #expect(missing == [])
  }

  /// Controls: what finds nothing proves nothing.
  @Test(
    "an agent that is made wrong on purpose is found",
    arguments: [
      (Sabotage.idsForgotten, "commands:"), (.settingsForgotten, "settings:"), (.trialGoesOn, "trial:"),
    ])
  func controls(sabotage: Sabotage, invariant: String) throws {
    let found = try (1...12).first { seed in
      try SimulatedDay.run(seed: UInt64(seed), sabotage: sabotage).violations.contains {
        $0.hasPrefix(invariant)
      }
    }
    print("\(sabotage) is found on day \(found ?? 0)")
    #expect(found != nil)
  }

  @Test("a full disk all day without a network fills the memory up to its bound, and what goes is counted")
  func fullDisk() throws {
    let full = SpecialDay(faults: [.diskFull, .noNetwork], hours: 1..<20) {
      ($0.schedule, $0.track.sampling) = ([], .all)
      ($0.sync.budgetDay_kb, $0.sync.budgetMonth_mb) = (0, 0)
    }
    // It drives for more than two hours.
    let day = try SimulatedDay.run(seed: 28, special: full)
    #expect(day.violations == [])
    #expect(day.droppedFromMemory > 0)
  }

  @Test(
    "a power line that is stuck while the window ends is tried until the GPS is off", arguments: [1, 2, 3])
  func stuckLine(seed: Int) throws {
    let stuck = SpecialDay(faults: [.powerLineStuck], hours: 11.9..<12.5) {
      ($0.schedule, $0.motion.gpsOffWhenParked) = (["sun-sat 08:00-12:00"], false)
    }
    let day = try SimulatedDay.run(seed: UInt64(seed), special: stuck)
    #expect(day.violations == [])
    #expect(day.met["powerLineStuck"] ?? 0 > 0)
  }

  private func report(_ day: SimulatedDay.Outcome, seed: Int) {
    guard !day.violations.isEmpty else { return }
    let log = day.log.suffix(40).joined(separator: "\n  ")
    Issue.record(
      """
      seed \(seed): \(day.violations.joined(separator: "; "))
        \(log)
      again: Tests/run --simulate 1 --seed \(seed)
      """)
  }

  private func environment(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
}
