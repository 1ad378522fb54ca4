import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Bounded sampling")
struct BoundedSamplerTests {
  static func keep(_ fixes: [Fix], maxError_m: Double = 10, maxInterval_s: Double = 120) -> [Fix] {
    var sampler = BoundedSampler(maxError_m: maxError_m, maxInterval_ms: milliseconds(maxInterval_s))
    let kept = fixes.flatMap { fix in
      let added = sampler.add(fix)
      #expect(added.last == fix || sampler.open.last == fix, "the newest fix is always at hand")
      return added
    }
    return kept + sampler.flush()
  }

  /// The farthest that any fix lies from the line between kept ones, at its own time.
  static func worst_m(_ fixes: [Fix], kept: [Fix]) -> Double {
    var worst_m = 0.0
    var leg = 0
    for fix in fixes {
      while leg + 2 < kept.count, kept[leg + 1].time_ms < fix.time_ms { leg += 1 }
      guard leg + 1 < kept.count else { continue }
      let (from, to) = (kept[leg], kept[leg + 1])
      let share = Double(fix.time_ms - from.time_ms) / Double(to.time_ms - from.time_ms)
      let whole = from.position.offset_m(to: to.position)
      let part = from.position.offset_m(to: fix.position)
      let (east, north) = (part.east - share * whole.east, part.north - share * whole.north)
      worst_m = max(worst_m, (east * east + north * north).squareRoot())
    }
    return worst_m
  }

  @Test("of a straight line at one speed only the ends are kept")
  func straight() {
    let fixes = (0...100).map { Fix.at(Double($0), east_m: Double($0) * 10) }
    #expect(BoundedSamplerTests.keep(fixes) == [fixes[0], fixes[100]])
  }

  @Test("a stop on a straight line is kept: the bound holds at each fix's own time")
  func stopOnALine() {
    let fixes = (0...60).map { Fix.at(Double($0), east_m: Double(min($0, 30)) * 10) }
    #expect(BoundedSamplerTests.keep(fixes).count == 3)
  }

  @Test("a corner is kept at the corner")
  func corner() {
    let fixes = (0...60).map {
      Fix.at(Double($0), east_m: Double(min($0, 30)) * 10, north_m: Double(max(0, $0 - 30)) * 10)
    }
    let kept = BoundedSamplerTests.keep(fixes)
    #expect(kept.count == 3)
    #expect(abs(kept[1].at_s - 30) <= 2)
  }

  @Test("the bound itself is allowed, a little more is not", arguments: [(9.99, 2), (10.01, 3)])
  func bound(offset_m: Double, count: Int) {
    let fixes = [Fix.at(0), .at(1, east_m: 10, north_m: offset_m), .at(2, east_m: 20)]
    #expect(BoundedSamplerTests.keep(fixes).count == count)
  }

  @Test("at least one fix is kept each 120 s", arguments: [(120, 2), (121, 3), (600, 6)])
  func interval(last_s: Int, count: Int) {
    let fixes = (0...last_s).map { Fix.at(Double($0), east_m: Double($0) * 10) }
    #expect(BoundedSamplerTests.keep(fixes).count == count)
  }

  @Test("both ends of a long gap are kept, and nothing is invented in it")
  func gap() {
    let fixes = [
      Fix.at(0), .at(1, east_m: 10), .at(2, east_m: 20), .at(1000, east_m: 5000), .at(1001, east_m: 5010),
    ]
    #expect(BoundedSamplerTests.keep(fixes) == [fixes[0], fixes[2], fixes[3], fixes[4]])
  }

  @Test("a date that goes backwards does no harm")
  func backwards() {
    let fixes = [Fix.at(100), .at(101), .at(5), .at(6, east_m: 10), .at(7, east_m: 20)]
    let kept = BoundedSamplerTests.keep(fixes)
    #expect(kept.first == fixes[0] && kept.last == fixes[4])
  }

  @Test("flushing twice keeps nothing twice; an empty line has no end")
  func flush() {
    var sampler = BoundedSampler(maxError_m: 10, maxInterval_ms: 120_000)
    #expect(sampler.flush() == [])
    #expect(sampler.add(.at(0)) == [.at(0)])
    #expect(sampler.flush() == [] && sampler.open == [])
    #expect(sampler.add(.at(1)) == [])
    #expect(sampler.open == [.at(1)])
    #expect(sampler.flush() == [.at(1)])
    #expect(sampler.flush() == [])
  }

  @Test(
    "random drives: in order, real, once each, within the bound",
    arguments: 1...15 as ClosedRange<UInt64>, [2.0, 10])
  func property(seed: UInt64, maxError_m: Double) {
    var random = SeededRandom(seed)
    var drive = Drive()
    drive.wander(legs: 8, random: &random)
    var receiver = Receiver(seed: seed &* 31, sigma_m: seed % 3 == 0 ? 0 : 4)
    var fixes: [Fix] = []
    for s in 0..<drive.length_s {
      let fix = receiver.see(drive.sample(at: Double(s)), at: Double(s))
      if random.unit() > 0.05 { fixes.append(fix) }
    }
    let kept = BoundedSamplerTests.keep(fixes, maxError_m: maxError_m)
    #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.time_ms < $1.time_ms })
    #expect(kept.first == fixes.first && kept.last == fixes.last)
    #expect(zip(kept, kept.dropFirst()).allSatisfy { $1.at_s - $0.at_s <= 120 })
    #expect(BoundedSamplerTests.worst_m(fixes, kept: kept) <= maxError_m + 1e-6)
    if maxError_m == 10 { #expect(kept.count * 4 < fixes.count) }
  }

  /// So many fixes of a drive are needed for the bound, by dynamic programming over all of them.
  static func fewest(_ fixes: [Fix], maxError_m: Double = 10) -> Int {
    var needed = [1]
    for end in 1..<fixes.count {
      // A line of more than 120 s does not count.
      let starts = (0..<end).filter { fixes[end].at_s - fixes[$0].at_s <= 120 }
      let from = starts.filter { start in
        worst_m(Array(fixes[start...end]), kept: [fixes[start], fixes[end]]) <= maxError_m
      }
      needed.append(from.map { needed[$0] + 1 }.min() ?? .max)
    }
    return needed[fixes.count - 1]
  }

  @Test("of many drives hardly more is kept than the fewest fixes that hold the bound")
  func fewest() {
    var (kept, needed) = (0, 0)
    for seed in 1...40 as ClosedRange<UInt64> {
      // Straight on, with a receiver whose errors last: what it is off by walks.
      var random = SeededRandom(seed)
      var (east_m, north_m) = (0.0, 0.0)
      let fixes = (0..<200).map { s in
        east_m += (random.unit() - 0.5) * 12
        north_m += (random.unit() - 0.5) * 12
        return Fix.at(Double(s), east_m: Double(s) * 14 + east_m, north_m: north_m)
      }
      kept += BoundedSamplerTests.keep(fixes).count
      needed += BoundedSamplerTests.fewest(fixes)
    }
    #expect(Double(kept) <= 1.05 * Double(needed), "\(kept) kept, \(needed) needed")
  }

  @Test("at 10 Hz the bound holds as well, with as few fixes")
  func tenHertz() {
    var random = SeededRandom(7)
    var drive = Drive()
    drive.wander(legs: 6, random: &random)
    var receiver = Receiver(seed: 7, sigma_m: 2)
    let fixes = (0..<(drive.length_s * 10)).map {
      receiver.see(drive.sample(at: Double($0) / 10), at: Double($0) / 10)
    }
    let kept = BoundedSamplerTests.keep(fixes)
    #expect(BoundedSamplerTests.worst_m(fixes, kept: kept) <= 10 + 1e-6)
    #expect(kept.count * 20 < fixes.count)
  }

  @Test("where fixes are forgotten, the line ends at one that it held to")
  func forgets() {
    var sampler = BoundedSampler(maxError_m: 10, maxInterval_ms: 120_000)
    let fixes =
      [Fix.at(0)] + (1...5).map { Fix.at(Double($0), east_m: Double($0) * 10) }
      + [.at(6, east_m: 60, north_m: 40), .at(7, east_m: 70, north_m: 40), .at(8, east_m: 80)]
    for fix in fixes { _ = sampler.add(fix) }
    sampler.forget(after: fixes[7].time_ms)
    #expect(sampler.open == [fixes[5], fixes[7]])
  }
}
