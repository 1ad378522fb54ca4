/// Keeps the fewest real fixes such that every fix lies within a bound of the line between kept ones at its
/// own time (the synchronised Euclidean distance).
///
/// An opening window: the line from the last kept fix is drawn to each new fix for as long as all fixes between
/// stay within the bound; when one does not, the fix before the new one is kept and the next line begins there.
/// Memory is the window: at most `maxInterval_ms` of fixes.
public struct BoundedSampler: Equatable, Sendable {
  private let maxError_m: Double
  private let maxInterval_ms: Int64
  private var kept: Fix?
  /// Fixes since `kept`, each with its place on the plane that touches the earth at `kept`.
  private var window: [Pending] = []

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

  /// The newest fix that is not kept yet.
  public var open: Fix? { window.last?.fix }

  /// - Returns: the fixes that are kept because of this one, oldest first.
  public mutating func add(_ fix: Fix) -> [Fix] {
    guard let start = kept else { return [keep(fix)] }
    let candidate = pending(fix, from: start)
    if window.isEmpty || holds(candidate), fix.time_ms - start.time_ms <= maxInterval_ms {
      window.append(candidate)
      return []
    }
    guard let last = window.last?.fix else { return [keep(fix)] }
    let kept = keep(last)
    return [kept] + add(fix)
  }

  /// Ends the line: the newest fix is kept. Nil if it already was.
  public mutating func flush() -> Fix? {
    guard let last = window.last?.fix else { return nil }
    return keep(last)
  }

  private mutating func keep(_ fix: Fix) -> Fix {
    kept = fix
    window.removeAll(keepingCapacity: true)
    return fix
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
