import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

extension Cell {
  /// The cells of one network.
  static func of(_ id: UInt64, area: UInt64 = 7, network: Int = 1) -> Cell {
    Cell(country: 228, network: network, area: area, id: id)
  }
}

@Suite("Cells of the parking place")
struct CellWatchTests {
  /// Parked at 0 with cell 1.
  private func parked(_ cells: [Cell] = [.of(1)]) -> CellWatch {
    var watch = CellWatch()
    watch.serves(cells)
    watch.parked(at: 0)
    return watch
  }

  @Test("one that the place has not shown is a sign of life, once")
  func news() {
    var watch = parked()
    #expect(!watch.shown([.of(1)], at: 1000) && watch.newSince_ms == nil)
    #expect(watch.shown([.of(2)], at: 2000) == true)
    #expect(!watch.shown([.of(1)], at: 3000) && !watch.shown([.of(2)], at: 4000))
    #expect(watch.shown([.of(3)], at: 5000) && watch.newSince_ms == 2000)
  }

  @Test("neighbours between which a parked modem flaps are learned")
  func flapping() {
    var watch = parked()
    for id in 2...5 {
      #expect(watch.shown([.of(UInt64(id))], at: 1000) == true)
      _ = watch.seenInPlace()
    }
    #expect(watch.count == 5 && watch.newSince_ms == nil)
    for turn in 0..<100 { #expect(watch.shown([.of(UInt64(turn % 5 + 1))], at: 2000) == false) }
  }

  @Test("without a look that explains it, a new cell is the place's after three minutes without another")
  func doubt() {
    var watch = parked()
    #expect(watch.shown([.of(2)], at: 10_000) && watch.shown([.of(3)], at: 100_000))
    _ = watch.doubtEnds(at: 279_999)
    #expect(watch.newSince_ms == 10_000)
    _ = watch.doubtEnds(at: 280_000)
    #expect(watch.newSince_ms == nil && watch.count == 3 && !watch.shown([.of(2)], at: 300_000))
  }

  @Test("another place knows none of them")
  func otherPlace() {
    var watch = parked()
    _ = watch.shown([.of(2)], at: 1000)
    _ = watch.seenInPlace()
    watch.left(since_ms: 2000)
    #expect(watch.count == nil)
    #expect(watch.shown([.of(3)], at: 3000) == false, "on a trip nothing is a sign of life")
    watch.parked(at: 4000)
    #expect(watch.count == 1)
    #expect(!watch.shown([.of(3)], at: 5000) && watch.shown([.of(1)], at: 6000))
  }

  @Test("a modem that says nothing tells nothing; its first cell after that is one as others are")
  func silence() {
    var watch = parked([])
    #expect(watch.told_s == nil && watch.count == nil)
    #expect(watch.shown([], at: 1000) == false)
    // Out of a garage without a network.
    #expect(watch.shown([.of(1)], at: 2000) && watch.told_s != nil)
    _ = watch.seenInPlace()
    // Restarted: gone, and back with what it had.
    #expect(!watch.shown([], at: 3000) && watch.told_s == nil)
    #expect(!watch.shown([.of(1)], at: 4000) && watch.told_s != nil)
  }

  @Test("other generations and networks have other cells")
  func generations() {
    var watch = parked([.of(1)])
    // The same figure in another area, another network, another country.
    let others = [
      Cell.of(1, area: 8), .of(1, network: 2), Cell(country: 262, network: 1, area: 7, id: 1),
      .of(0xF_FFFF_FFFE, area: 0xFF_FFFE),
    ]
    for cell in others {
      #expect(watch.shown([cell], at: 1000) == true)
      _ = watch.seenInPlace()
    }
    for cell in others.reversed() { #expect(watch.shown([cell], at: 2000) == false) }
    // Of two modems each has its own.
    #expect(watch.shown([.of(1), .of(9)], at: 3000) && !watch.shown([.of(9)], at: 4000))
  }

  @Test("a place that shows more than 32 is told by none, and holds no more")
  func bounded() {
    var watch = parked()
    for id in 2...32 {
      #expect(watch.told_s != nil && watch.shown([.of(UInt64(id))], at: 1000))
      if id % 2 == 0 { _ = watch.seenInPlace() }
    }
    #expect(watch.told_s == nil)
    for id in 33...2000 { #expect(watch.shown([.of(UInt64(id))], at: 2000) == false) }
    _ = watch.seenInPlace()
    #expect(watch.count == 32)
    _ = watch.shown((0..<1000).map { .of($0) }, at: 3000)
    #expect(watch.serving.count == CellWatch.mostServing)
  }

  @Test("how soon a departure is told is learned, and of a modem that never tells it is learned too")
  func delay() throws {
    var watch = parked()
    #expect(watch.told_s == 600)
    for trip in 0..<50 {
      let begin_ms = Int64(trip) * 10_000_000
      watch.left(since_ms: begin_ms)
      _ = watch.shown([.of(UInt64(1000 + trip))], at: begin_ms + 60_000)
      // What comes later in the trip counts no more.
      _ = watch.shown([.of(UInt64(5000 + trip))], at: begin_ms + 900_000)
      watch.parked(at: begin_ms + 1_000_000)
    }
    let told_s = try #require(watch.told_s)
    #expect((60...80).contains(told_s), "\(told_s)")
    for _ in 0..<50 {
      watch.left(since_ms: 0)
      watch.parked(at: 1_800_000)
    }
    let untold_s = try #require(watch.told_s)
    #expect(untold_s > 1500, "\(untold_s)")
  }

  @Test(
    "a departure that was told when it was seen counts from its begin; one without a modem does not count")
  func toldBefore() {
    var watch = parked()
    _ = watch.shown([.of(2)], at: 90_000)
    watch.left(since_ms: 30_000)
    #expect(watch.delay == CellDelay(told: 1, waited_s: 60))
    var silent = parked([])
    silent.left(since_ms: 0)
    silent.serves([.of(1)])
    silent.parked(at: 1_000_000)
    var lost = parked()
    lost.left(since_ms: 0)
    lost.lost()
    lost.parked(at: 1_000_000)
    #expect(silent.delay == CellDelay() && lost.delay == CellDelay())
  }

  @Test("what is known outlives the process, with the place and without")
  func saved() throws {
    var watch = parked([.of(1, area: 0xC3), .of(0xF_FFFF_FFFF)])
    watch.left(since_ms: 0)
    _ = watch.shown([.of(3)], at: 45_000)
    watch.serves([.of(1, area: 0xC3), .of(0xF_FFFF_FFFF)])
    watch.parked(at: 500_000)
    #expect(
      watch.saved.saved == ["told": 1.0, "waited_s": 45.0, "known": ["228-1-c3-1", "228-1-7-fffffffff"]])
    let state = SavedState(["cells": watch.saved.saved])
    var restored = CellWatch(saved: state, isParked: true)
    #expect(restored.delay == watch.delay)
    #expect(!restored.shown([.of(1, area: 0xC3)], at: 0) && restored.shown([.of(2)], at: 0))
    let driving = CellWatch(saved: state, isParked: false)
    #expect(driving.delay == watch.delay && driving.count == nil)
    #expect(
      CellWatch().saved == SavedCells() && CellWatch(saved: SavedState([:]), isParked: false) == CellWatch())
  }

  @Test(
    "what makes no sense is not used, and named",
    arguments: [
      "100", ["told": "x"], ["known": ["1-2"]], ["known": ["228-1-c3-1", "x"]], ["told": -1],
      ["waited_s": -45],
      ["told": 99_999_999_999_999], ["known": ["2280-1-c3-1"]],
    ] as [JSONValue])
  func damaged(cells: JSONValue) throws {
    let state = SavedState(["cells": cells, "motion": ["state": "moving"]])
    #expect(try state.unreadable(Tracker.savedKinds) == ["cells"])
    let motion = Motion(settings: MotionSettings(), saved: state, at: 0)
    #expect(motion.known.cells == CellWatch() && motion.isMoving)
  }
}

@Suite("Probes beside a modem that tells")
struct ToldPaceTests {
  private func pace(told_s: Double?) -> ProbePace {
    ProbePace(worth: 18, cost_s: 4, told_s: told_s, least_s: 15, most_s: 1800)
  }

  @Test("the sooner it tells, the longer the pauses; one that tells after ages changes nothing")
  func told() {
    let rate = 1.0 / 10_000
    let pauses = [nil, 1e9, 600, 120, 60, 40].map { pace(told_s: $0).pause_s(rate: rate) }
    #expect(abs(pauses[0] - 66.67) < 0.01 && abs(pauses[1] - pauses[0]) < 0.01)
    #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 + 1e-4 } && pauses[3] > 90)
  }

  @Test(
    "where little is lost until it tells, there are no probes but the longest pause", arguments: [20.0, 33])
  func none(told_s: Double) { #expect(pace(told_s: told_s).pause_s(rate: 1.0 / 10_000) == 1800) }

  @Test("the pause is the one at which loss and cost together are least", arguments: [40.0, 60, 120, 600])
  func least(told_s: Double) {
    let (pace, rate) = (pace(told_s: told_s), 1.0 / 8000)
    func price(_ pause_s: Double) -> Double {
      18 * rate * told_s * pause_s / (2 * told_s + pause_s) + 4 / pause_s
    }
    let best_s = pace.pause_s(rate: rate)
    #expect(best_s < 1800)
    for other_s in stride(from: 15.0, through: 1800, by: 5) {
      #expect(price(best_s) <= price(other_s) + 1e-12)
    }
  }

  @Test("nothing likely is the longest pause", arguments: [nil, 60.0])
  func nothing(told_s: Double?) { #expect(pace(told_s: told_s).pause_s(rate: 0) == 1800) }
}
