import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("The pause until the next probe")
struct ProbePaceTests {
  private func pace(worth: Double = 18, cost_s: Double = 4) -> ProbePace {
    ProbePace(worth: worth, cost_s: cost_s, least_s: 15, most_s: 1800)
  }

  @Test("where the chance stays, no other pause costs less", arguments: [1e-3, 1e-4, 2e-5])
  func best(rate: Double) {
    let pace = pace()
    func costs(_ pause_s: Double) -> Double { pace.worth * rate * pause_s / 2 + pace.cost_s / pause_s }
    let pause_s = pace.pause_s(rate: rate)
    for share in [0.5, 0.9, 1.1, 2] { #expect(costs(pause_s) < costs(pause_s * share)) }
    #expect(abs(pace.pause_s { _ in rate } - pause_s) < 0.01)
  }

  @Test("a pause is between the least and the most, whatever the chance is")
  func bounds() {
    for rate in [0, 1e-12, 1e-6, 1e-3, 1, 1e9, .infinity] {
      let (simple, summed) = (pace().pause_s(rate: rate), pace().pause_s { _ in rate })
      #expect(simple >= 15 && simple <= 1800 && summed >= 15 && summed <= 1800, "\(rate)")
    }
    #expect(pace().pause_s(rate: 0) == 1800 && pace().pause_s { _ in 0 } == 1800)
    #expect(pace().pause_s(rate: 1) == 15 && pace().pause_s { _ in 1 } == 15)
  }

  @Test("what is supposed for a pause gives that pause")
  func inverse() {
    for pause_s in [15.0, 90, 300, 1800] {
      #expect(abs(pace().pause_s(rate: pace().rate(pause_s: pause_s)) - pause_s) < 1e-9)
    }
  }

  @Test("a pause ends soon after the time from which on a departure is likely")
  func ahead() {
    let pause_s = pace().pause_s { $0 < 900 ? 1e-7 : 1e-3 }
    #expect(pause_s > 900 && pause_s < 900 + 300, "\(pause_s)")
    // Shortly before a quiet time it is the shorter one, too.
    #expect(pace().pause_s { $0 < 30 ? 1e-3 : 1e-7 } < pace().pause_s(rate: 1e-7))
  }

  @Test("four times the worth, or a quarter of the cost, is twice as often")
  func scales() {
    let usual_s = pace().pause_s(rate: 1e-4)
    #expect(abs(pace(worth: 72).pause_s(rate: 1e-4) - usual_s / 2) < 1e-9)
    #expect(abs(pace(cost_s: 1).pause_s(rate: 1e-4) - usual_s / 2) < 1e-9)
  }
}
