import Glibc
import Testing

/// Days of a whole device, each drawn from its seed: agent, real queue, network, server, GPS and clocks, with
/// everything going wrong that can above the kernel.
@Suite struct SimulationTests {
  @Test("the invariants hold on every day")
  func days() throws {
    let days = environment("GODWIT_SIMULATE_DAYS") ?? 12
    let first = environment("GODWIT_SIMULATE_FIRST") ?? 1
    var total = SimulatedDay.Outcome(violations: [], log: [])
    for seed in first..<(first + days) {
      let day = try SimulatedDay.run(seed: UInt64(seed))
      report(day, seed: seed)
      total.steps += day.steps
      total.lives += day.lives
      total.records += day.records
      total.requests += day.requests
      total.quarantined += day.quarantined
    }
    print(
      "simulated \(days) days: \(total.lives) lives, \(total.steps) steps, \(total.records) records committed, "
        + "\(total.requests) requests, \(total.quarantined) in quarantine")
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
