/// Decides which fixes of a trip are kept.
///
/// While the vehicle halts, what sampling would keep is held back: if the halt turns out to be the end of the
/// trip, the track ends where the vehicle arrived, and a parked vehicle's noise leaves no point behind.
public struct Track: Equatable, Sendable {
  private var sampler: Sampler
  /// The sampler as it was on arrival at the present halt.
  private var atHalt: Sampler?
  private var held: [Fix] = []

  public init(settings: TrackSettings) {
    sampler = Sampler(settings: settings)
  }

  /// The newest fix that is neither kept nor held: what a power cut now would lose.
  public var open: Fix? { atHalt?.open ?? sampler.open }

  /// - Returns: fixes to keep now, oldest first.
  public mutating func add(_ fix: Fix, halted: Bool) -> [Fix] {
    let kept = sampler.add(fix)
    guard halted else {
      let released = held + kept
      held = []
      atHalt = nil
      return released
    }
    guard atHalt != nil else {
      atHalt = sampler
      return kept
    }
    held += kept
    return []
  }

  /// The halt was the end: the track ends with the fix of the arrival.
  public mutating func arrived() -> [Fix] {
    if let atHalt { sampler = atHalt }
    held = []
    atHalt = nil
    return sampler.flush().map { [$0] } ?? []
  }

  /// The track ends here for another reason (the window closes, a new trip begins).
  public mutating func end() -> [Fix] {
    let rest = held + (sampler.flush().map { [$0] } ?? [])
    held = []
    atHalt = nil
    return rest
  }
}

/// The sampling mode of the settings.
enum Sampler: Equatable, Sendable {
  case bounded(BoundedSampler)
  case distance(step_m: Double, last: Fix?, open: Fix?)
  case all

  init(settings: TrackSettings) {
    switch settings.sampling {
    case .bounded:
      self = .bounded(
        BoundedSampler(
          maxError_m: settings.maxError_m, maxInterval_ms: milliseconds(settings.maxInterval_s)))
    case .distance: self = .distance(step_m: settings.distanceFilter_m, last: nil, open: nil)
    case .all: self = .all
    }
  }

  var open: Fix? {
    switch self {
    case .bounded(let sampler): sampler.open
    case .distance(_, _, let open): open
    case .all: nil
    }
  }

  mutating func add(_ fix: Fix) -> [Fix] {
    switch self {
    case .bounded(var sampler):
      self = .all  // or the window would be copied with each fix
      let kept = sampler.add(fix)
      self = .bounded(sampler)
      return kept
    case .distance(let step_m, let last, _):
      if let last, last.position.distance_m(to: fix.position) < step_m {
        self = .distance(step_m: step_m, last: last, open: fix)
        return []
      }
      self = .distance(step_m: step_m, last: fix, open: nil)
      return [fix]
    case .all: return [fix]
    }
  }

  mutating func flush() -> Fix? {
    switch self {
    case .bounded(var sampler):
      let kept = sampler.flush()
      self = .bounded(sampler)
      return kept
    case .distance(let step_m, _, let open):
      guard let open else { return nil }
      self = .distance(step_m: step_m, last: open, open: nil)
      return open
    case .all: return nil
    }
  }
}
