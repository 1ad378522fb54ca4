import Testing
import TrackerBase

@testable import FleetBenchmark

/// Behaviour of whole fleets. A test that runs a day takes 500 devices and a tenth of the server: all figures
/// are proportional.
@Suite("Fleet: what it does to its server")
struct FleetTests {
  private func plan(_ scenario: FleetPlan.Scenario, _ change: (inout FleetPlan) -> Void = { _ in })
    -> FleetPlan
  {
    var plan = FleetPlan(settings: Settings().sync, scenario: scenario)
    plan.watch_s = 60
    change(&plan)
    return plan
  }

  private func dayOut(_ change: (inout FleetPlan) -> Void = { _ in }) -> FleetResult {
    let plan = plan(.outage) {
      $0.devices = 500
      change(&$0)
    }
    return FleetModel.run(plan)
  }

  @Test("the same seed gives the same result, another seed another")
  func seeds() {
    var small = plan(.outage) {
      $0.devices = 50
      $0.capacity_rps = 5
      $0.outage_s = 3600
    }
    let first = FleetModel.run(small)
    #expect(FleetModel.run(small) == first)
    small.seed = 2
    #expect(FleetModel.run(small).requests != first.requests)
  }

  @Test("without a splay all 5,000 devices come in the first second of the window")
  func noSplay() {
    let result = FleetModel.run(plan(.windowOpens) { $0.settings.splay_s = 0 })
    #expect(result.inFirstSecond >= 5000)
    #expect(result.allTried_s == 1)
    #expect(result.drained_s(share: 1) != nil)
  }

  @Test("a splay of 120 s makes it 5,000 / 120 a second", arguments: [1, 2, 3] as [UInt64])
  func splay(seed: UInt64) {
    let result = FleetModel.run(
      plan(.windowOpens) {
        $0.settings.splay_s = 120
        $0.seed = seed
      })
    #expect(result.inFirstSecond < 70)
    #expect(result.peak_rps <= 70 && result.peak10s_rps < 50)
    #expect(result.allTried_s <= 121 && result.allTried_s > 115)
    #expect(result.refusedCount == 0)
  }

  @Test("the default splay keeps 5,000 devices to what a server for 100 a second answers at once")
  func defaultSplay() {
    let result = FleetModel.run(plan(.windowOpens))
    #expect(result.refusedCount == 0)
    #expect(result.peak10s_rps < 100)
  }

  @Test("after a day's outage jitter and pace keep 5,000 devices within 100 requests a second")
  func dayOutWithin() {
    let result = dayOut { $0.capacity_rps = 10 }
    #expect(result.firstRequestsPeak_rps <= 15)
    #expect(result.allTried_s > 240 && result.allTried_s <= 301)
    #expect(result.refusedCount == 0)
    #expect(result.peak10s_rps <= 10)
    #expect(result.drained_s(share: 1).map { $0 < 2400 } == true)
    // 500 devices, each waiting 150 s on average.
    let perSecond = Double(result.requestsWhileAway.reduce(0, +)) / 86_400
    #expect(perSecond > 3 && perSecond < 3.7)
  }

  @Test("windows that end together do not send together")
  func windowEnds() {
    let result = FleetModel.run(plan(.windowEnds))
    #expect(result.refusedCount == 0 && result.peak10s_rps < 100)
  }

  @Test("when all links come back at once, the devices do not")
  func linksRestored() {
    let result = dayOut { $0.away = .offline }
    #expect(result.inFirstSecond <= 10)
    #expect(result.peak10s_rps < 20)
  }

  @Test("an overrun server serves at its capacity, and everything is delivered in the end")
  func overrun() {
    let result = FleetModel.run(
      plan(.windowOpens) {
        $0.settings.splay_s = 0
        $0.devices = 1000
        $0.capacity_rps = 10
      })
    #expect(result.refusedCount > 0)
    #expect(result.drained_s(share: 1) != nil)
    let served = zip(result.requests, result.refused).map { $0 - $1 }
    // The line in front of the server holds 2 s.
    #expect(served.max().map { $0 <= 31 } == true)
    #expect(served[10..<60].reduce(0, +) <= 10 * 52)
  }

  @Test(
    "every record made is delivered or queued", arguments: FleetPlan.Scenario.allCases,
    FleetPlan.Away.allCases)
  func conservation(scenario: FleetPlan.Scenario, away: FleetPlan.Away) {
    let result = FleetModel.run(
      plan(scenario) {
        $0.devices = 100
        $0.capacity_rps = 3
        $0.outage_s = 7200
        $0.away = away
      })
    #expect(result.made >= 100 * 10)
    #expect(result.delivered > 0)
    #expect(result.made == result.delivered + result.queuedAtEnd)
    #expect(result.drained_ms.count == 100)
  }

  @Test(
    "one request at a time, and a second at least from a failure to the next", arguments: [1, 2] as [UInt64])
  func rate(seed: UInt64) throws {
    let result = dayOut {
      $0.devices = 50
      $0.outage_s = 7200
      $0.recordsPerHour = 600
      $0.capacity_rps = 1
      $0.latency_s = 0.02
      $0.seed = seed
    }
    #expect(try #require(result.closestAfterFailure_ms) >= 1000)
    // Half the mean latency: the fastest reply.
    #expect(try #require(result.closest_ms) >= 10)
  }

  @Test("Retry-After is never undercut", arguments: [1, 60, 400])
  func retryAfter(asked_s: Int) throws {
    let result = FleetModel.run(
      plan(.outage) {
        $0.devices = 200
        $0.capacity_rps = 1
        $0.backlog_s = 0.1
        $0.outage_s = 1800
        $0.away = .busy
        $0.retryAfter_s = asked_s
      })
    #expect(result.refusedCount > 0)
    #expect(result.undercuts == 0)
    #expect(try #require(result.closestAfterFailure_ms) >= Int64(asked_s) * 1000)
  }
}
