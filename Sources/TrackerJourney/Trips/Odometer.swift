import TrackerBase

/// Metres driven, without the receiver's noise: the length of a line that lies within 10 m of one fix a second of the
/// trip, each at its own time, so that a drive is as long at 25 Hz as at 1 Hz. The reported speeds bound it. While the
/// vehicle stands, nothing is added to it.
public struct Odometer: Equatable, Sendable {
  /// Over the whole life of the device.
  public private(set) var total_m: Double
  /// The last counted point of the trip; nil while parked.
  private(set) var anchor: Fix?
  private var line: BoundedSampler
  private var bound: SpeedBound
  /// The second that has had its fix, in the line or at a halt.
  private var second: Int64?
  /// The newest fix, where its second has had one.
  private var spare: Fix?

  /// Half the width of the line. Measured on drives with a known length: 5 m lets noise in, 20 m cuts corners.
  static let maxError_m = 10.0
  static let maxInterval_ms: Int64 = 120_000

  /// - Parameter anchor: where the process before this one had counted to; the way since then counts straight.
  public init(total_m: Double = 0, anchor: Fix? = nil) {
    self.total_m = total_m
    self.anchor = anchor
    line = Odometer.line(from: anchor)
    bound = SpeedBound(from: anchor)
  }

  private static func line(from fix: Fix?) -> BoundedSampler {
    BoundedSampler(maxError_m: maxError_m, maxInterval_ms: maxInterval_ms, from: fix)
  }

  /// The newest fix of the line.
  private var newest: Fix? { line.open.last ?? anchor }

  /// Of the way to the newest fix, what is not counted yet.
  var open_m: Double { bound.open_m(line_m) }

  /// The positions are noise: the line is longer than the speeds allow.
  var isOverdrawn: Bool { bound.isOverdrawn(by: line_m) }

  /// The most that the vehicle can have driven since the way began. - Parameter fix: the newest.
  func reach_m(to fix: Fix) -> Double { bound.reach_m(to: fix) }

  /// Metres that were counted straight since this was last asked, as the way was not seen.
  mutating func takeEstimated() -> Double { bound.takeEstimated() }

  private var line_m: Double {
    guard var last = anchor?.position else { return 0 }
    var metres = 0.0
    for fix in line.open {
      metres += last.distance_m(to: fix.position)
      last = fix.position
    }
    return metres + (spare.map { last.distance_m(to: $0.position) } ?? 0)
  }

  /// Counted up to the newest fix: where another process goes on, which has no fix before it.
  var closed: Odometer { Odometer(total_m: total_m + open_m, anchor: spare ?? newest) }

  /// A trip begins: the next step is measured from here, and from this second: so that the line has the same corners
  /// at every rate. - Parameter isUnseen: the way from there was not seen.
  public mutating func begin(at fix: Fix?, isUnseen: Bool = false) {
    restart(at: fix)
    bound = SpeedBound(from: anchor, isUnseen: isUnseen)
  }

  private mutating func restart(at fix: Fix?) {
    anchor = fix
    anchor?.time_ms -= (fix?.time_ms ?? 0) % 1000
    line = Odometer.line(from: anchor)
    second = fix?.second
    spare = nil
  }

  /// - Returns: the metres that this fix made certain.
  public mutating func add(_ fix: Fix, halted: Bool) -> Double {
    guard anchor != nil else {
      begin(at: fix)
      return 0
    }
    let isFirst = second != fix.second
    second = fix.second
    if isFirst { bound.add(fix) }
    guard !halted else { return 0 }
    spare = isFirst ? nil : fix
    return isFirst ? count(lengthen(to: fix)) : 0
  }

  /// - Returns: the points that this made certain.
  private mutating func lengthen(to fix: Fix) -> [Fix] {
    bound.mark(fix)
    return line.add(fix)
  }

  /// What came after `last` was no way. What was made certain of it stays: the odometer never goes back.
  mutating func forget(after last: Fix) {
    line.forget(after: last.time_ms)
    bound.forget(after: last)
    spare = nil
    guard let anchor, anchor.time_ms > last.time_ms else { return }
    restart(at: last)
    bound.restart(at: last)
  }

  /// A trip ends at `fix`: the last step counts whole.
  public mutating func end(at fix: Fix?) -> Double {
    defer { begin(at: nil) }
    guard let last = fix ?? spare, last.time_ms > newest?.time_ms ?? .max else { return count(line.flush()) }
    bound.add(last)
    return count(lengthen(to: last) + line.flush())
  }

  private mutating func count(_ points: [Fix]) -> Double {
    var metres = 0.0
    for point in points {
      metres += bound.count(anchor?.position.distance_m(to: point.position) ?? 0, to: point)
      anchor = point
    }
    total_m += metres
    return metres
  }
}
