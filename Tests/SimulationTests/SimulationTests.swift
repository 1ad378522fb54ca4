import Glibc
import Testing

/// Days that several tests look at. Each is lived once.
private actor Days {
  static let lived = Days()
  private var days: [String: Task<SimulatedDay.Outcome, any Error>] = [:]

  /// - Parameter isDated: no wrong date and no other place, so that track and gaps can be held against the truth.
  func day(_ seed: Int, isDated: Bool = false) -> Task<SimulatedDay.Outcome, any Error> {
    let key = "\(seed) \(isDated)"
    if let day = days[key] { return day }
    let day = Task.detached { try SimulatedDay.run(seed: UInt64(seed), hasRightRecords: isDated) }
    days[key] = day
    return day
  }
}

/// Days of a whole device, each drawn from its seed: agent, real queue, network, server, GPS and clocks, with
/// everything going wrong that can above the kernel. `Tests/run --simulate N` runs as many as one likes.
@Suite struct SimulationTests {
  private static let count = environment("GODWIT_SIMULATE_DAYS")
  private static let first = environment("GODWIT_SIMULATE_FIRST") ?? 1
  private static let seeds = first..<first + (count ?? 8)

  @Test("the invariants hold on every day", arguments: seeds)
  func days(seed: Int) async throws {
    let day = try await Days.lived.day(seed).value
    report(day, seed: seed)
    print("simulated \(day.summary)")
  }

  /// In the gate the days of half the seeds.
  @Test(
    "track and gaps cover every second of every day, whatever goes wrong",
    arguments: seeds.filter { count != nil || $0 % 2 == 0 })
  func daysOfRightRecords(seed: Int) async throws {
    report(try await Days.lived.day(seed, isDated: true).value, seed: seed)
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
  func regressions(seed: Int) async throws {
    report(try await Days.lived.day(seed).value, seed: seed)
  }

  @Test("a seed gives the same day again")
  func reproducible() async throws {
    let (once, again) = (try await Days.lived.day(5).value, try SimulatedDay.run(seed: 5))
    #expect(once == again)
    #expect(once.steps > 100)
  }

  @Test("each fault and each blow takes effect within a dozen days")
  func everythingHappens() async throws {
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
    var missing = Set(wanted)
    for seed in 1...12 where !missing.isEmpty {
      missing.subtract(try await Days.lived.day(seed).value.met.keys)
    }
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

  private static func environment(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }
}
