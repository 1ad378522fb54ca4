import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Milliseconds of a number of seconds")
struct MillisecondsTests {
  @Test(
    "rounded to the nearest, halves away from zero",
    arguments: [
      (0, 0), (-0.0, 0), (1.0004, 1000), (1.0006, 1001), (0.0005, 1), (-0.0005, -1), (-1.0006, -1001),
      (86_400, 86_400_000),
    ] as [(Double, Int64)])
  func rounded(_ seconds: Double, _ expected_ms: Int64) { #expect(milliseconds(seconds) == expected_ms) }

  @Test("what is no number is 0, and what is too large the most")
  func absurd() {
    #expect(milliseconds(.nan) == 0)
    for seconds in [Double.infinity, 1e300, 1e12] { #expect(milliseconds(seconds) == 1_000_000_000_000_000) }
    for seconds in [-Double.infinity, -1e300] { #expect(milliseconds(seconds) == -1_000_000_000_000_000) }
  }
}
