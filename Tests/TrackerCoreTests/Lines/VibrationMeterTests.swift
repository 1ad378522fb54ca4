import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A vibration sensor")
struct VibrationMeterTests {
  private func meter(_ change: (inout VibrationSettings) -> Void = { _ in }) -> VibrationMeter {
    var settings = VibrationSettings()
    change(&settings)
    return VibrationMeter(settings: settings)
  }

  /// Boot times at which the vehicle counts as shaken.
  private func shaken(_ meter: inout VibrationMeter, by edges_ms: [Int64]) -> [Int64] {
    edges_ms.filter { meter.edge(at: $0) }
  }

  @Test(
    "five edges within 10 s shake the vehicle, four or slower ones do not",
    arguments: [
      ([0, 1000, 2000, 3000, 10_000], [10_000]), ([0, 1000, 2000, 3000, 10_001], []),
      ([0, 1000, 2000, 3000], []), ([0, 9000, 18_000, 27_000, 36_000, 45_000], []),
    ] as [([Int64], [Int64])])
  func threshold(edges_ms: [Int64], times_ms: [Int64]) {
    var meter = meter()
    #expect(shaken(&meter, by: edges_ms) == times_ms)
  }

  @Test("the window slides: older edges do not spoil it")
  func slides() {
    var meter = meter()
    #expect(shaken(&meter, by: [0, 20_000, 40_000, 41_000, 42_000, 43_000, 44_000]) == [44_000])
  }

  @Test("a vehicle that goes on shaking is reported each 30 s")
  func again() {
    var meter = meter()
    let minutes = (0..<900).map { Int64($0) * 100 }
    #expect(shaken(&meter, by: minutes) == [800, 30_800, 60_800])
  }

  @Test("one knock that closes the sensor twenty times is one edge", arguments: [(149, 1), (150, 2)])
  func knock(second_ms: Int64, edges: Int) {
    var meter = meter()
    #expect(shaken(&meter, by: [0, second_ms]) == [])
    #expect(meter.edges == edges)
  }

  @Test("a threshold of one edge reports the first")
  func one() {
    var meter = meter { $0.edges = 1 }
    #expect(shaken(&meter, by: [7000, 8000, 37_000]) == [7000, 37_000])
  }
}
