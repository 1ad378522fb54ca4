import TrackerBase

/// Keeps the fewest real fixes such that every fix lies within a bound of the line between kept ones at its
/// own time (the synchronised Euclidean distance).
///
/// An opening window: the line from the last kept fix is drawn to each new fix, and holds if all fixes between
/// stay within the bound. A line that fails may hold again some fixes later, since each fix errs: only after
/// `patience_ms` without one it ends, at the farthest fix that was reached or at one shortly before it, whichever
/// lets the next line reach farther. Memory is the window: at most `maxInterval_ms` of fixes.
public struct BoundedSampler: Equatable, Sendable {
  /// What a power cut can cost of the track's detail, and no more.
  static let patience_ms: Int64 = 13_000
  /// The line may end so long before the farthest fix that it reached.
  static let retreat_ms = 10_000.0
  /// Ends that are closer together make no difference, at 10 Hz.
  static let retreatStep_ms = 900.0

  private let maxError_m: Double
  private let maxInterval_ms: Int64
  private var kept: Fix?
  /// Fixes since `kept`.
  private var window: [Pending] = []
  /// The newest fix of the window to which the line holds.
  private var reached = 0

  /// On the plane that touches the earth at `kept`.
  private struct Spot: Equatable, Sendable {
    static let kept = Spot(after_ms: 0, east: 0, north: 0)

    var after_ms: Double
    var east: Double
    var north: Double
  }

  private struct Pending: Equatable, Sendable {
    var fix: Fix
    var spot: Spot
    /// The line holds to it.
    var isEnd: Bool
  }

  /// - Parameter from: a fix that is kept already.
  public init(maxError_m: Double, maxInterval_ms: Int64, from fix: Fix? = nil) {
    self.maxError_m = maxError_m
    self.maxInterval_ms = maxInterval_ms
    kept = fix
  }

  /// What is not kept yet and would have to be if the track ended here: the farthest fix reached, and the newest.
  public var open: [Fix] {
    guard let last = window.last else { return [] }
    return reached < window.count - 1 ? [window[reached].fix, last.fix] : [last.fix]
  }

  /// - Returns: the fixes that are kept because of this one, oldest first.
  public mutating func add(_ fix: Fix) -> [Fix] {
    guard let start = kept else {
      kept = fix
      return [fix]
    }
    if let last = window.last?.fix,
      fix.time_ms <= last.time_ms || fix.time_ms - start.time_ms > maxInterval_ms
    {
      return cut() + add(fix)
    }
    let offset = start.position.offset_m(to: fix.position)
    let spot = Spot(after_ms: Double(fix.time_ms - start.time_ms), east: offset.east, north: offset.north)
    let isEnd = window.isEmpty || holds(from: .kept, to: spot, over: window[...])
    // Where looks are far apart a line that holds goes on.
    if !isEnd, fix.time_ms - window[reached].fix.time_ms > BoundedSampler.patience_ms {
      return cut() + add(fix)
    }
    if isEnd { reached = window.count }
    window.append(Pending(fix: fix, spot: spot, isEnd: isEnd))
    return []
  }

  /// Fixes after a time were wrong; one that has been kept stays.
  mutating func forget(after time_ms: Int64) {
    window.removeAll { $0.fix.time_ms > time_ms }
    reached = window.lastIndex(where: \.isEnd) ?? 0
  }

  /// Ends the line: the newest fix is kept, and what it needs before it.
  public mutating func flush() -> [Fix] {
    var kept: [Fix] = []
    while !window.isEmpty { kept += cut() }
    return kept
  }

  /// The line's end is kept, and the next one begins there.
  private mutating func cut() -> [Fix] {
    let place = bestEnd()
    let end = window[place].fix
    let rest = window[(place + 1)...].map(\.fix)
    kept = end
    reached = 0
    window.removeAll(keepingCapacity: true)
    return [end] + rest.flatMap { add($0) }
  }

  private func holds(from first: Spot, to last: Spot, over middle: ArraySlice<Pending>) -> Bool {
    let span_ms = last.after_ms - first.after_ms
    guard span_ms > 0 else { return false }
    let bound = maxError_m * maxError_m
    return middle.allSatisfy { one in
      let share = (one.spot.after_ms - first.after_ms) / span_ms
      let east = one.spot.east - first.east - share * (last.east - first.east)
      let north = one.spot.north - first.north - share * (last.north - first.north)
      return east * east + north * north <= bound
    }
  }

  // MARK: Where the line ends

  /// The last of the ends from which the next line reaches farthest in the window.
  private func bestEnd() -> Int {
    let farthest_ms = window[reached].spot.after_ms
    var (best, tried_ms) = (reached, farthest_ms)
    var next = reach(from: reached, beyond: reached)
    for place in stride(from: reached - 1, through: 0, by: -1) where next < window.count - 1 {
      let after_ms = window[place].spot.after_ms
      if farthest_ms - after_ms > BoundedSampler.retreat_ms { break }
      guard window[place].isEnd, tried_ms - after_ms >= BoundedSampler.retreatStep_ms else { continue }
      tried_ms = after_ms
      let found = reach(from: place, beyond: next)
      if found > next { (best, next) = (place, found) }
    }
    return best
  }

  /// The farthest place to which a line from `start` would hold, if it lies beyond `least`; else that.
  private func reach(from start: Int, beyond least: Int) -> Int {
    var place = window.count - 1
    // On the plane of the line before: a choice needs none of its own.
    while place > least,
      !holds(from: window[start].spot, to: window[place].spot, over: window[(start + 1)..<place])
    {
      place -= 1
    }
    return place
  }
}
