import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A link that comes and goes")
struct LinkDebounceTests {
  @Test("is reported once it had time to settle, and several messages are one event")
  func settles() {
    var debounce = LinkDebounce()
    #expect(debounce.dueAt_ms == nil)
    for now_ms: Int64 in [1000, 1500, 3999] { debounce.heard(at: now_ms) }
    #expect(debounce.dueAt_ms == Int64(4000))
    #expect(debounce.tick(at: 3999) == false)
    #expect(debounce.tick(at: 4000) == true)
    #expect(debounce.tick(at: 4001) == false)
    #expect(debounce.dueAt_ms == nil)
  }

  @Test("is reported at most every 30 s, however often it flaps, and the last time is not forgotten")
  func flaps() {
    var debounce = LinkDebounce()
    var reported: [Int64] = []
    for now_ms: Int64 in stride(from: 0, through: 100_000, by: 500) {
      if now_ms <= 70_000 { debounce.heard(at: now_ms) }
      if debounce.tick(at: now_ms) { reported.append(now_ms) }
    }
    #expect(reported == [3000, 33_000, 63_000, 93_000])
    #expect(debounce.dueAt_ms == nil)
  }
}
