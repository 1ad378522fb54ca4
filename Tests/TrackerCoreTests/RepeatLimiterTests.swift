import Testing
import TrackerBase
import TrackerBoard
import TrackerCore
import TrackerDispatch
import TrackerJourney
import TrackerReceiver
import TrackerRemote

@Suite("Messages that repeat")
struct RepeatLimiterTests {
  private let interval_ms = RepeatLimiter<String>.interval_ms

  @Test("the first of a kind is reported at once, and those that follow together")
  func together() {
    var limiter = RepeatLimiter<String>()
    #expect(limiter.happened("a", at: 1000) == 1)
    for step in 1...104_000 { #expect(limiter.happened("a", at: 1000 + Int64(step) / 10) == nil) }
    #expect(limiter.happened("b", at: 12_000) == 1)
    #expect(limiter.happened("a", at: 1000 + interval_ms) == 104_001)
    #expect(limiter.happened("a", at: 1001 + interval_ms) == nil)
  }

  @Test("one that is rare is reported each time", arguments: [(0, nil), (1, 1)] as [(Int64, Int?)])
  func rare(_ late_ms: Int64, _ expected: Int?) {
    var limiter = RepeatLimiter<String>()
    #expect(limiter.happened("a", at: 0) == 1)
    #expect(limiter.happened("a", at: interval_ms - 1 + late_ms) == expected)
  }
}
