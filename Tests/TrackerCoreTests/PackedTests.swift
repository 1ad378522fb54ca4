import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A packed number")
struct PackedTests {
  private struct Sample: Equatable {
    @Packed var speed_mps: Double?
  }

  @Test(
    "is what was set, to the last digit", arguments: [0.0, -0.0, 0.1, -1, .infinity, .leastNonzeroMagnitude])
  func kept(value: Double) {
    #expect(Sample(speed_mps: value).speed_mps == value)
    #expect(Sample(speed_mps: value) != Sample(speed_mps: nil))
  }

  @Test("what is no number is not missing", arguments: [Double.nan, -.nan, .signalingNaN, 0 * .infinity])
  func noNumber(value: Double) {
    #expect(Sample(speed_mps: value).speed_mps?.isNaN == true)
  }

  @Test("is nil where there is none; nil is like nil")
  func missing() {
    #expect(Sample(speed_mps: nil).speed_mps == nil)
    #expect(Sample(speed_mps: nil) == Sample(speed_mps: nil))
    var sample = Sample(speed_mps: 3)
    sample.speed_mps = nil
    #expect(sample == Sample(speed_mps: nil))
  }

  @Test("takes no more room than the number")
  func room() {
    #expect(MemoryLayout<Sample>.size == MemoryLayout<Double>.size)
    // What is larger is copied by a call.
    #expect(MemoryLayout<Fix>.size <= 128)
  }
}
