import TrackerBase

/// The fixes since the vehicle came into one place, and whether it is leaving it again.
///
/// A receiver errs, so one fix outside is nothing: the place is left by a second far outside, or by half a minute
/// without a fix inside.
struct Stay: Equatable, Sendable {
  /// First fix in the place.
  private(set) var first: Fix
  private(set) var place: Place
  /// The first fix at rest: the arrival, if this stay is the end of the trip.
  private(set) var arrival: Fix?
  /// In a row, the newest ones.
  private(set) var outside: [Fix] = []
  /// At rest, be it at a light or a little beside the place: until it drives on.
  private(set) var isHalted = false
  /// GPS time since which every fix drives, and since which every one is far outside.
  private var drivingSince_ms: Int64?
  private var farSince_ms: Int64?
  private let radius_m: Double
  private var lastInside: Position
  private var haltedInside = false
  /// Of the fixes in the place that have a speed.
  private var speeds = 0
  private var speedSum_mps = 0.0

  /// The mean from which on a place that is left step by step was crept out of.
  static let creeping_mps = 0.5
  /// Without a speed, a vehicle stands that has stayed in one place for so long.
  static let standing_ms: Int64 = 30_000
  static let farOutside_m = 100.0
  static let outside_ms: Int64 = 30_000

  /// - Parameter movedHere: it has just come: not yet halted, even at rest.
  init(_ fix: Fix, radius_m: Double, movedHere: Bool = true) {
    self.radius_m = radius_m
    first = fix
    place = Place(centre: fix.position)
    lastInside = fix.position
    guard fix.speed_mps != nil, fix.isStanding else { return }
    arrival = fix
    isHalted = !movedHere
  }

  var entered_ms: Int64 { first.time_ms }

  /// The end of the trip, if it ends here.
  var end: Fix { arrival ?? first }
  var end_ms: Int64 { arrival?.time_ms ?? first.time_ms }

  /// At rest, as it is so far.
  struct Halt: Equatable {
    var entered_ms: Int64
    var end_ms: Int64
    /// GPS time of the first of the newest fixes that are outside.
    var outsideSince_ms: Int64?
  }

  /// nil: it is none.
  var halt: Halt? {
    guard isHalted else { return nil }
    return Halt(entered_ms: entered_ms, end_ms: end_ms, outsideSince_ms: outside.first?.time_ms)
  }

  /// Whether it may be the end of the trip. - Parameter fix: the newest.
  func isAtRest(for length_ms: Int64, with fix: Fix) -> Bool {
    outside.isEmpty && fix.isStanding && fix.time_ms - end_ms >= length_ms
  }

  /// - Returns: the stay that this fix belongs to: this one, or a new one with the fixes since this was left.
  func following(_ fix: Fix) -> Stay {
    var next = self
    next.follow(fix)
    return next
  }

  /// The same in place.
  mutating func follow(_ fix: Fix) {
    if include(fix) { return }
    var left = self
    guard let first = left.outside.first else { return }
    self = Stay(first, radius_m: radius_m)
    for fix in left.outside.dropFirst() { follow(fix) }
    follow(fix)
    if left.haltedInside, left.speedsAllowCreeping,
      left.lastInside.distance_m(to: self.first.position) <= radius_m + self.first.accuracy_m
    {
      // It crept away, or the receiver's speeds are wrong. Farther off at once would be a jump.
      isHalted = false
    }
    // Its memory serves the next ones: a vehicle that drives leaves a place every few seconds.
    guard outside.isEmpty else { return }
    left.outside.removeAll(keepingCapacity: true)
    outside = left.outside
  }

  /// - Returns: false when the vehicle has left the place: with the fixes `outside`, and this one.
  private mutating func include(_ fix: Fix) -> Bool {
    noteSpeed(of: fix)
    let distance_m = place.centre.distance_m(to: fix.position)
    if distance_m > radius_m + fix.accuracy_m {
      farSince_ms = distance_m > Stay.farOutside_m + fix.accuracy_m ? farSince_ms ?? fix.time_ms : nil
      let farFor_ms = fix.time_ms - (farSince_ms ?? fix.time_ms)
      if let first = outside.first,
        farFor_ms >= Fix.believed_ms || fix.time_ms - first.time_ms >= Stay.outside_ms
      {
        return false
      }
      outside.append(fix)
      return true
    }
    if !outside.isEmpty { outside.removeAll(keepingCapacity: true) }
    farSince_ms = nil
    place.include(fix)
    if fix.time_ms < entered_ms {
      // The date was wrong until now, and would keep the stay from ever lasting long enough.
      first = fix
      arrival = nil
    }
    if arrival == nil, fix.isStanding {
      arrival = fix.speed_mps == nil ? arrivalWithoutSpeed(fix) : fix
      if arrival != nil { isHalted = true }
    }
    lastInside = fix.position
    haltedInside = isHalted
    return true
  }

  /// A receiver that wanders under a roof reports next to nothing; one that never knows its speed, nothing at all.
  private var speedsAllowCreeping: Bool {
    speedSum_mps == 0 || speedSum_mps >= Double(speeds) * Stay.creeping_mps
  }

  private mutating func noteSpeed(of fix: Fix) {
    guard let speed_mps = fix.speed_mps else { return }
    speeds += 1
    speedSum_mps += speed_mps
    drivingSince_ms = speed_mps >= Fix.driving_mps ? drivingSince_ms ?? fix.time_ms : nil
    if speed_mps < Fix.standing_mps { isHalted = true }
    guard let drivingSince_ms, fix.time_ms - drivingSince_ms >= Fix.believed_ms else { return }
    isHalted = false
    // It rolls on within the place: the arrival is yet to come.
    arrival = nil
  }

  private func arrivalWithoutSpeed(_ fix: Fix) -> Fix? {
    fix.time_ms - entered_ms >= Stay.standing_ms ? first : nil
  }
}
