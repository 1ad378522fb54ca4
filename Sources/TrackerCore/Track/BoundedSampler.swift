/// Keeps the fewest real fixes such that every fix lies within a bound of the line between kept ones at its
/// own time (the synchronised Euclidean distance).
///
/// An opening window: the line from the last kept fix is drawn to each new fix, and holds if all fixes between
/// stay within the bound. A line that fails may hold again some fixes later, since each fix errs: only after
/// `patience_ms` without one the farthest fix that was reached is kept, and the next line begins there.
/// Memory is the window: at most `maxInterval_ms` of fixes.
public struct BoundedSampler: Equatable, Sendable {
  /// What a power cut can cost of the track's detail, and no more: as long as a commit's default interval.
  static let patience_ms: Int64 = 10_000

  private let maxError_m: Double
  private let maxInterval_ms: Int64
  private var kept: Fix?
  /// Fixes since `kept`, each with its place on the plane that touches the earth at `kept`.
  private var window: [Pending] = []
  /// The newest fix of the window to which the line holds.
  private var reached = 0

  private struct Pending: Equatable, Sendable {
    var fix: Fix
    var after_ms: Double
    var east: Double
    var north: Double
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
    if isTooLate(fix, after: start) { return cut() + add(fix) }
    let candidate = pending(fix, from: start)
    if window.isEmpty || holds(candidate) { reached = window.count }
    window.append(candidate)
    return []
  }

  /// Fixes after a time were wrong; one that has been kept stays.
  mutating func forget(after time_ms: Int64) {
    window.removeAll { $0.fix.time_ms > time_ms }
    reached = min(reached, max(0, window.count - 1))
  }

  /// Ends the line: the newest fix is kept, and what it needs before it.
  public mutating func flush() -> [Fix] {
    var kept: [Fix] = []
    while !window.isEmpty { kept += cut() }
    return kept
  }

  private func isTooLate(_ fix: Fix, after start: Fix) -> Bool {
    guard let last = window.last?.fix else { return false }
    return fix.time_ms <= last.time_ms || fix.time_ms - start.time_ms > maxInterval_ms
      || fix.time_ms - window[reached].fix.time_ms > BoundedSampler.patience_ms
  }

  /// The farthest fix reached is kept, and the line begins anew there.
  private mutating func cut() -> [Fix] {
    let end = window[reached].fix
    let rest = window[(reached + 1)...].map(\.fix)
    kept = end
    reached = 0
    window.removeAll(keepingCapacity: true)
    return [end] + rest.flatMap { add($0) }
  }

  private func pending(_ fix: Fix, from start: Fix) -> Pending {
    let offset = start.position.offset_m(to: fix.position)
    return Pending(
      fix: fix, after_ms: Double(fix.time_ms - start.time_ms), east: offset.east, north: offset.north)
  }

  private func holds(_ end: Pending) -> Bool {
    guard end.after_ms > 0 else { return false }
    let bound = maxError_m * maxError_m
    return window.allSatisfy { middle in
      let share = middle.after_ms / end.after_ms
      let east = middle.east - share * end.east
      let north = middle.north - share * end.north
      return east * east + north * north <= bound
    }
  }
}
