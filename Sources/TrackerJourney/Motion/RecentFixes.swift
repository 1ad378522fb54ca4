import TrackerBase

/// The last fixes in memory, so that a trip can begin where the vehicle began to move.
struct RecentFixes: Equatable, Sendable {
  static let capacity = 6000
  /// Older ones go, while there are as many as a receiver at 1 Hz gives in that time.
  static let span_ms: Int64 = 1_600_000
  static let least = 1600
  /// Of older ones one a second is kept: they may become a trip's beginning, but its first halt was long before.
  static let everyFix_ms: Int64 = 120_000
  private(set) var fixes: [Fix] = []

  mutating func add(_ fix: Fix) {
    if fixes.count >= RecentFixes.least, fix.time_ms - fixes[0].time_ms >= RecentFixes.span_ms {
      let eldest_ms = fix.time_ms - RecentFixes.span_ms / 4 * 3
      fixes.removeFirst(fixes.firstIndex { $0.time_ms >= eldest_ms } ?? fixes.count)
    }
    if fixes.count >= RecentFixes.capacity { thin(at: fix.time_ms) }
    if fixes.count >= RecentFixes.capacity { fixes.removeFirst(fixes.count / 4) }
    fixes.append(fix)
  }

  /// Only from receivers faster than 1 Hz there are so many.
  private mutating func thin(at time_ms: Int64) {
    var thinned: [Fix] = []
    for fix in fixes {
      let isYoung = time_ms - fix.time_ms <= RecentFixes.everyFix_ms
      if !isYoung, let last = thinned.last, abs(fix.time_ms - last.time_ms) < Fix.believed_ms { continue }
      thinned.append(fix)
    }
    fixes = thinned
  }

  /// A stop of so long right after moving off, at the gate, at the first light or to let someone in, belongs to
  /// the trip, whether still in the place or beside it.
  static let firstHalt_ms: Int64 = 120_000

  /// What is known of a departure.
  struct Leaving: Equatable, Sendable {
    /// From the last fix at rest in the place on, or, if nobody saw it leave, from the first one after.
    var track: [Fix]
    /// GPS time of the last fix in the place before nothing was seen.
    var leftAfter_ms: Int64?
    var isSeen: Bool
  }

  func sinceLeaving(_ place: Place, radius_m: Double) -> Leaving {
    let isInside = { (fix: Fix) in
      place.centre.distance_m(to: fix.position) <= radius_m + fix.accuracy_m
    }
    guard var start = fixes.lastIndex(where: { $0.isStanding && isInside($0) }) else {
      return slowLeaving(place, from: 0, isInside) ?? Leaving(track: fixes, isSeen: false)
    }
    while let drive = lastDrive(before: start),
      fixes[start].time_ms - fixes[drive].time_ms <= RecentFixes.firstHalt_ms,
      let rest = fixes[..<drive].lastIndex(where: \.isStanding)
    {
      start = rest
    }
    if let slow = slowLeaving(place, from: start, isInside) { return slow }
    if let unseen = firstAfterGap(from: start, isInside) {
      return Leaving(
        track: Array(fixes[unseen...]), leftAfter_ms: fixes[unseen - 1].time_ms, isSeen: false)
    }
    return Leaving(track: Array(fixes[secondBegin(start)...]), isSeen: true)
  }

  /// No fix says when a machine has begun to creep that never goes faster than others rest: it has gone on at the same
  /// pace since it left the middle of its place.
  private func slowLeaving(_ place: Place, from start: Int, _ isInside: (Fix) -> Bool) -> Leaving? {
    guard let exit = fixes[start...].firstIndex(where: { !isInside($0) }),
      let pace_mps = RecentFixes.slowPace_mps(of: fixes[exit...], from: place)
    else { return nil }
    let inside_s = place.centre.distance_m(to: fixes[exit].position) / pace_mps
    let start_ms = fixes[exit].time_ms - milliseconds(inside_s)
    let first = fixes[...exit].firstIndex { $0.time_ms >= start_ms } ?? exit
    let isSeen = fixes[first].time_ms - start_ms < Fix.leastProof_ms
    return Leaving(track: Array(fixes[first...]), leftAfter_ms: isSeen ? nil : start_ms, isSeen: isSeen)
  }

  /// Of a way on which it crept all the time; nil: it did not, the way is too short to tell, or it may have driven before.
  static func slowPace_mps(of way: some Collection<Fix>, from place: Place) -> Double? {
    guard let first = way.first, place.centre.distance_m(to: first.position) <= Departure.gone_m,
      way.allSatisfy({ !$0.isDriving }),
      let last = way.first(where: { first.position.distance_m(to: $0.position) > Departure.moved_m })
    else { return nil }
    let pace_mps = Departure.moved_m * 1000 / Double(max(1, last.time_ms - first.time_ms))
    return pace_mps < slowest_mps ? pace_mps : nil
  }

  /// Where the speed does not tell creeping from resting.
  static let slowest_mps = 1.5

  /// A fast receiver says that the vehicle rests while it begins to roll: at every rate a trip begins where its second
  /// did.
  private func secondBegin(_ start: Int) -> Int {
    let second = fixes[start].second
    return fixes[..<start].lastIndex { $0.second != second }.map { $0 + 1 } ?? 0
  }

  /// - Returns: the index of the first fix after the last stretch without any in which it may have left.
  private func firstAfterGap(from start: Int, _ isInside: (Fix) -> Bool) -> Int? {
    let outside = fixes[start...].firstIndex { !isInside($0) } ?? fixes.count - 1
    return (start..<outside).last { Departure.isUnseen(from: fixes[$0], to: fixes[$0 + 1]) }
      .map { $0 + 1 }
  }

  /// Driving for a second: no noise at rest has that. - Returns: the index of its last fix.
  private func lastDrive(before end: Int) -> Int? {
    var last: Int?
    for index in fixes[..<end].indices.reversed() {
      guard fixes[index].isDriving else {
        last = nil
        continue
      }
      let drive = last ?? index
      last = drive
      if fixes[drive].time_ms - fixes[index].time_ms >= Fix.believed_ms { return drive }
    }
    return nil
  }
}
