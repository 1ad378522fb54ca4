import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A contact that bounces")
struct LineDebouncerTests {
  private func resting(_ level: Bool, debounce_ms: Int64 = 500) -> LineDebouncer {
    var line = LineDebouncer(debounce_ms: debounce_ms)
    _ = line.edge(level, at: 0)
    _ = line.tick(at: 10_000)
    return line
  }

  @Test("an edge counts after 500 ms of quiet", arguments: [(499, false), (500, true), (501, true)])
  func quiet(after_ms: Int64, counts: Bool) {
    var line = resting(false)
    #expect(line.edge(true, at: 20_000) == [])
    #expect(line.deadline_ms == 20_500)
    #expect(line.tick(at: 20_000 + after_ms) == (counts ? true : nil))
    #expect(line.level == counts)
  }

  @Test(
    "a pulse of 499 ms is nothing, one of 500 ms is on and off",
    arguments: [(499, []), (500, [true])] as [(Int64, [Bool])])
  func pulse(length_ms: Int64, changes: [Bool]) {
    var line = resting(false)
    #expect(line.edge(true, at: 20_000) == [])
    #expect(line.edge(false, at: 20_000 + length_ms) == changes)
    #expect(line.bounces == (changes.isEmpty ? 1 : 0))
    let end = line.tick(at: 20_000 + length_ms + 500)
    #expect(end == (changes.isEmpty ? nil : false))
  }

  @Test("the level that is found at the start counts when it has lasted", arguments: [true, false])
  func found(level: Bool) {
    var line = LineDebouncer(debounce_ms: 500)
    #expect(line.level == nil && line.deadline_ms == nil)
    #expect(line.edge(level, at: 1000) == [])
    #expect(line.level == nil)
    #expect(line.tick(at: 1500) == level)
    #expect(line.level == level && line.deadline_ms == nil)
  }

  @Test("a switch that bounces is one change, counted from its last bounce")
  func bounces() {
    var line = resting(false)
    for (contact, at_ms) in [(true, 0), (false, 3), (true, 5), (false, 9), (true, 12)] as [(Bool, Int64)] {
      #expect(line.edge(contact, at: 20_000 + at_ms) == [])
    }
    #expect(line.tick(at: 20_511) == nil)
    #expect(line.tick(at: 20_512) == true)
    #expect(line.bounces == 4 && line.storms == 0)
  }

  @Test("without a debounce each edge counts at once")
  func none() {
    var line = LineDebouncer(debounce_ms: 0)
    #expect(line.edge(true, at: 0) == [true])
    #expect(line.edge(false, at: 0) == [false])
    #expect(line.bounces == 0 && line.deadline_ms == nil)
  }

  @Test("ten minutes of a thousand edges a second change nothing but the counts")
  func storm() {
    var line = resting(true)
    var changes: [Bool] = []
    for edge in 0..<600_000 { changes += line.edge(edge % 2 == 1, at: 20_000 + Int64(edge)) }
    #expect(changes == [])
    #expect(line.level == true && line.isStorm)
    #expect(line.storms == 1 && line.bounces == 599_999)
    #expect(line.tick(at: 620_498) == nil)
    #expect(line.tick(at: 620_499) == nil, "it has come to rest where it was")
    #expect(!line.isStorm && line.deadline_ms == nil)
  }

  @Test("a storm begins with the 50th edge without rest", arguments: [(49, 0), (50, 1), (500, 1)])
  func stormBegins(edges: Int, storms: Int) {
    var line = resting(false)
    for edge in 0..<edges { _ = line.edge(edge % 2 == 0, at: 20_000 + Int64(edge) * 499) }
    #expect(line.storms == storms)
    #expect(line.isStorm == (storms > 0))
  }

  @Test("a line that is lost has no level until it is found again")
  func forgotten() {
    var line = resting(true)
    _ = line.edge(false, at: 20_000)
    line.forget()
    #expect(line.level == nil && line.deadline_ms == nil)
    _ = line.edge(true, at: 30_000)
    #expect(line.tick(at: 30_500) == true)
  }
}
