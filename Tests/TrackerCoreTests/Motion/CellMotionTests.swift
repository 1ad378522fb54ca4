import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Parked with a modem that tells its cell")
struct CellMotionTests {
  /// Parked since second 61, in cell 1.
  private func parked(_ change: (inout MotionSettings) -> Void = { _ in }) -> MotionTimeline {
    var timeline = MotionTimeline(change)
    // 2025-06-02 06:00:00 UTC
    timeline.motion.known.view.localOffset_s = epoch_ms / 1000
    timeline.motion.known.view.expectedTTFF_ms = 2000
    _ = timeline.motion.cellsShown([.of(1)], at: 0)
    timeline.stand(1, 61)
    return timeline
  }

  /// One that left once a day, at any time, and was told of it after a minute.
  private func relying(_ change: (inout MotionSettings) -> Void = { _ in }) -> MotionTimeline {
    var timeline = parked(change)
    timeline.motion.known.habits = .daily(days: 50, until_s: epoch_ms / 1000)
    let state = SavedState(["cells": ["told": 50, "waited_s": 3000]])
    timeline.motion.known.cells = CellWatch(saved: state, isParked: false)
    timeline.motion.known.cells.serves([.of(1)])
    timeline.motion.known.cells.parked(at: 61_000)
    // By what is known now.
    timeline.run(to: Double(timeline.motion.deadline_ms!) / 1000)
    timeline.fix(.at(timeline.now_s + 2))
    return timeline
  }

  private func wait_s(_ timeline: MotionTimeline) -> Double {
    Double(timeline.motion.deadline_ms!) / 1000 - timeline.now_s
  }

  /// Looks that found it there.
  private func looks(_ timeline: inout MotionTimeline, until s: Double) -> Int {
    let before = timeline.log.count
    while let deadline_ms = timeline.motion.deadline_ms, deadline_ms < milliseconds(s) {
      timeline.run(to: Double(deadline_ms) / 1000)
      timeline.fix(.at(timeline.now_s + 2))
    }
    timeline.run(to: s)
    return timeline.log[before...].count { $0.contains("probe answered") }
  }

  @Test("a new cell starts a probe at once; found in its place, the place has two")
  func probe() {
    var motion = parked().motion
    #expect(motion.cellsShown([.of(2)], at: 70_000) == [.probeStarted])
    #expect(motion.cellsShown([.of(3)], at: 71_000) == [] && motion.wantsGPS)
    #expect(motion.fixArrived(.at(72), at: 72_000) == [.probeEnded(answered: true), .cellsLearned])
    for id: UInt64 in [1, 2, 3, 2, 1] { #expect(motion.cellsShown([.of(id)], at: 73_000) == []) }
    #expect(motion.known.cells.count == 3 && !motion.wantsGPS)
  }

  @Test("found gone, that is what woke it; a probe that was on anyway is a probe")
  func cause() {
    var timeline = parked()
    timeline.run(to: 65)
    _ = timeline.motion.cellsShown([.of(2)], at: 65_000)
    var later = timeline
    timeline.roll(66, 100, from: 200)
    #expect(timeline.lines(with: "departed").map { $0.hasSuffix(", cell") } == [true])
    // The next one: the look began before the cell came.
    later.fix(.at(67))
    later.run(to: later.motion.deadline_ms.map { Double($0) / 1000 }!)
    let begin = Int(later.now_s)
    _ = later.motion.cellsShown([.of(3)], at: milliseconds(later.now_s + 1))
    later.roll(begin + 2, begin + 40, from: 200)
    #expect(later.lines(with: "departed").map { $0.hasSuffix(", probe") } == [true])
  }

  @Test("with a modem that tells, probes are rarer; once it says nothing they are as without")
  func rarer() {
    var (alone, told) = (relying(), relying())
    _ = alone.motion.cellsShown([], at: milliseconds(alone.now_s))
    #expect(alone.motion.known.cells.told_s == nil && wait_s(told) > 3 * wait_s(alone))
    let (often, seldom) = (looks(&alone, until: 7200), looks(&told, until: 7200))
    #expect(seldom * 2 < often, "\(seldom) and \(often)")
    // It falls silent in the midst of a long pause.
    let before_s = wait_s(told)
    _ = told.motion.cellsShown([], at: milliseconds(told.now_s))
    #expect(wait_s(told) < before_s / 2, "\(wait_s(told)) after \(before_s)")
  }

  @Test("a low battery makes pauses beside such a modem longer, as it does all others")
  func lowBattery() {
    let low = relying { $0 = Settings.with().motion.paced(by: 2) }
    #expect(wait_s(low) >= 2 * wait_s(relying()), "\(wait_s(low)) and \(wait_s(relying()))")
  }

  @Test("silence again and again looks no more often than without cells")
  func flickering() {
    var (alone, told) = (relying(), relying())
    _ = alone.motion.cellsShown([], at: milliseconds(alone.now_s))
    var flickers = 0
    for s in stride(from: 70.0, to: 7200, by: 10) {
      if told.motion.wantsGPS { told.fix(.at(s - 1)) }
      told.run(to: s)
      _ = told.motion.cellsShown(flickers % 2 == 0 ? [] : [.of(1)], at: milliseconds(s))
      flickers += 1
    }
    let most = looks(&alone, until: 7200)
    #expect(told.lines(with: "probe answered").count <= most + 1)
  }

  @Test("without sky a new cell makes probes dense for three minutes, and the next flap to it none")
  func garage() {
    var timeline = parked()
    timeline.run(to: 20_000)
    let before = timeline.lines(with: "probe unanswered").count
    #expect(before > 5)
    timeline.motion.known.view.hearsSky = false
    let begin_s = timeline.now_s
    // A look that is going on ends first.
    _ = timeline.motion.cellsShown([.of(2)], at: milliseconds(begin_s))
    timeline.run(to: begin_s + 180)
    let dense = timeline.lines(with: "probe unanswered").count - before
    #expect((4...9).contains(dense), "\(dense)")
    timeline.run(to: begin_s + 400)
    #expect(timeline.motion.known.cells.newSince_ms == nil && timeline.motion.known.cells.count == 2)
    let rest = timeline.log.count
    _ = timeline.motion.cellsShown([.of(1)], at: milliseconds(begin_s + 400))
    _ = timeline.motion.cellsShown([.of(2)], at: milliseconds(begin_s + 401))
    #expect(timeline.log.count == rest && !timeline.motion.wantsGPS)
  }

  @Test("out of the garage it is found though the first looks hear nothing")
  func exit() {
    var timeline = parked()
    timeline.run(to: 20_000)
    timeline.motion.known.view.hearsSky = false
    _ = timeline.motion.cellsShown([.of(2)], at: 20_000_000)
    timeline.run(to: 20_060)
    timeline.motion.known.view.hearsSky = true
    while !timeline.motion.wantsGPS { timeline.run(to: timeline.now_s + 1) }
    #expect(timeline.now_s < 20_100)
    timeline.roll(Int(timeline.now_s) + 1, Int(timeline.now_s) + 40, from: 800)
    #expect(timeline.lines(with: "departed").map { $0.hasSuffix(", cell") } == [true])
  }

  @Test("with a line that reports departures a new cell is looked at all the same: it may be towed")
  func sentinel() {
    var timeline = parked()
    timeline.motion.known.hasSentinel = true
    timeline.fix(.at(Double(timeline.motion.deadline_ms!) / 1000 + 2))
    #expect(wait_s(timeline) > 1400)
    #expect(timeline.motion.cellsShown([.of(2)], at: milliseconds(timeline.now_s)) == [.probeStarted])
  }

  @Test("a GPS that is always on, a trip and an unknown state are not woken")
  func ignored() {
    var always = parked { $0.gpsOffWhenParked = false }.motion
    var unknown = Motion(settings: MotionSettings())
    var moving = parked().motion
    _ = moving.ignitionChanged(on: true, at: 70_000)
    #expect(always.cellsShown([.of(2)], at: 80_000) == [] && unknown.cellsShown([.of(2)], at: 80_000) == [])
    #expect(moving.cellsShown([.of(2)], at: 80_000) == [] && moving.isMoving)
  }

  @Test("under a GPS that is always on, flapping is the place's, and a departure is told by what is new then")
  func alwaysOn() {
    var timeline = parked { $0.gpsOffWhenParked = false }
    #expect(timeline.motion.cellsShown([.of(2)], at: 70_000) == [])
    #expect(timeline.motion.fixArrived(.at(71), at: 71_000) == [.cellsLearned])
    timeline.stand(72, 3000)
    #expect(timeline.motion.known.cells.newSince_ms == nil && timeline.motion.known.cells.count == 2)
    timeline.roll(3001, 3040)
    #expect(timeline.motion.isMoving)
    _ = timeline.motion.cellsShown([.of(3)], at: 3_301_000)
    #expect(
      abs(timeline.motion.known.cells.delay.waited_s - 300) < 5,
      "\(timeline.motion.known.cells.delay.waited_s)")
  }

  @Test("pushed to another place, or unwatched for a while: the cells are those of now")
  func forgotten() {
    var motion = parked().motion
    _ = motion.cellsShown([.of(2)], at: 70_000)
    _ = motion.fixArrived(.at(72), at: 72_000)
    motion.watchEnded(at: 80_000)
    #expect(motion.known.cells.count == nil && motion.cellsShown([.of(9)], at: 90_000) == [])
    motion.watchBegan(at: 100_000)
    _ = motion.tick(at: 100_000)
    _ = motion.fixArrived(.at(102), at: 102_000)
    #expect(motion.known.cells.count == 1 && motion.cellsShown([.of(2)], at: 110_000) == [.probeStarted])
  }

  @Test("a departure that a cell told is learned as having been shortly before it")
  func habit() {
    var timeline = relying()
    let counted = timeline.motion.known.habits.departures.parkedByDay_s.reduce(0, +) - timeline.now_s
    timeline.run(to: 700)
    timeline.fix(.at(702))
    let began_s = timeline.now_s
    while timeline.motion.deadline_ms! < 1_600_000, timeline.motion.wantsGPS {
      timeline.fix(.at(timeline.now_s + 1))
    }
    _ = timeline.motion.cellsShown([.of(2)], at: milliseconds(began_s + 600))
    timeline.run(to: began_s + 600)
    let at = Int(timeline.now_s)
    timeline.roll(at + 2, at + 40, from: 600)
    #expect(timeline.motion.isMoving)
    let left_s = timeline.motion.known.habits.departures.parkedByDay_s.reduce(0, +) - counted
    // About a minute before the cell, not in the middle since the last look.
    #expect(abs(left_s - Double(at - 61)) < 60, "\(left_s) of \(at)")
  }
}
