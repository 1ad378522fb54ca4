import Testing

@testable import godwit

@Suite("Signs of life")
struct SignOfLifeTests {
  /// When signs are given within 300 s by a loop that turns at these times beside those that it must.
  private func given(watchdog_s: Int64?, gpsIsOn: Bool, turns_s: [Double] = []) -> [Double] {
    var sign = SignOfLife(watchdog_ms: watchdog_s.map { $0 * 1000 })
    var (given, now_ms): ([Double], Int64) = ([], 0)
    while now_ms < 300_000 {
      if sign.isDue(at: now_ms, gpsIsOn: gpsIsOn) { given.append(Double(now_ms) / 1000) }
      let other_ms = turns_s.map { Int64($0 * 1000) }.first { $0 > now_ms }
      now_ms = min(sign.next_ms, other_ms ?? .max)
    }
    return given
  }

  @Test("alone they come within what is promised, and twice within what the watchdog waits")
  func alone() {
    #expect(given(watchdog_s: nil, gpsIsOn: false) == [0, 55, 110, 165, 220, 275])
    #expect(given(watchdog_s: 60, gpsIsOn: false) == [0, 55, 110, 165, 220, 275])
    #expect(given(watchdog_s: 60, gpsIsOn: true).prefix(4) == [0, 30, 60, 90])
    #expect(given(watchdog_s: 200, gpsIsOn: false).prefix(3) == [0, 55, 110])
    #expect(given(watchdog_s: 8, gpsIsOn: true).prefix(4) == [0, 4, 8, 12])
  }

  @Test("another turn does for one, and the next comes a whole pause later")
  func besides() {
    #expect(given(watchdog_s: 60, gpsIsOn: false, turns_s: [24.9, 29.9]).prefix(3) == [0, 29.9, 84.9])
    let busy = given(watchdog_s: 60, gpsIsOn: true, turns_s: Array(stride(from: 1, to: 300, by: 1)))
    #expect(busy.prefix(3) == [0, 15, 30])
    // Reports are read some seconds at a time: no turn of its own.
    #expect(given(watchdog_s: 15, gpsIsOn: true, turns_s: [5.5, 11]).prefix(4) == [0, 5.5, 11, 18.5])
  }

  @Test("the file is never older than a minute, and not written for nothing", arguments: [true, false])
  func noted(gpsIsOn: Bool) {
    var sign = SignOfLife(watchdog_ms: 15_000)
    var noted: [Int64] = []
    var (now_ms, turns): (Int64, Int) = (0, 0)
    while now_ms < 600_000 {
      if sign.isDue(at: now_ms, gpsIsOn: gpsIsOn), sign.wantsNote {
        sign.noted()
        noted.append(now_ms)
      }
      // Each other time something wakes the loop before it must.
      now_ms = turns.isMultiple(of: 2) ? min(now_ms + 19_900, sign.next_ms) : sign.next_ms
      turns += 1
    }
    let ages_ms = zip(noted, noted.dropFirst()).map { $1 - $0 }
    #expect(ages_ms.allSatisfy { $0 <= (gpsIsOn ? 30_000 : 60_000) }, "\(noted)")
    #expect(noted.count <= (gpsIsOn ? 31 : 22), "\(noted)")
  }

  @Test("one that could not be written is due again with the next sign")
  func notWritten() {
    var sign = SignOfLife(watchdog_ms: 15_000)
    let due = [0, 7500].map { sign.isDue(at: $0, gpsIsOn: true) && sign.wantsNote }
    sign.noted()
    #expect(due == [true, true] && !sign.wantsNote)
  }

  @Test("whoever watches closer, or less, is told at once", arguments: [true, false])
  func changes(gpsIsOn: Bool) {
    var sign = SignOfLife(watchdog_ms: 60_000)
    let before = [0, 1000].map { sign.isDue(at: $0, gpsIsOn: !gpsIsOn) }
    let after = sign.isDue(at: 2000, gpsIsOn: gpsIsOn)
    #expect(before == [true, false] && after)
    #expect(sign.watch_ms == (gpsIsOn ? 60_000 : 120_000))
  }
}
