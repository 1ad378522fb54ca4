/// The sampling mode of the settings.
enum Sampler: Equatable, Sendable {
  case bounded(BoundedSampler)
  case distance(DistanceSampler)
  case all

  init(settings: TrackSettings) {
    switch settings.sampling {
    case .bounded:
      self = .bounded(
        BoundedSampler(
          maxError_m: settings.maxError_m, maxInterval_ms: milliseconds(settings.maxInterval_s)))
    case .distance: self = .distance(DistanceSampler(settings: settings))
    case .all: self = .all
    }
  }

  /// The newest fix that is not kept yet.
  var open: Fix? {
    switch self {
    case .bounded(let sampler): sampler.open
    case .distance(let sampler): sampler.open
    case .all: nil
    }
  }

  /// - Parameter marked: the fix is kept in any case.
  /// - Returns: the fixes that are kept because of this one, oldest first.
  mutating func add(_ fix: Fix, marked: Bool) -> [Fix] {
    let kept = add(fix)
    return marked ? kept + (flush().map { [$0] } ?? []) : kept
  }

  private mutating func add(_ fix: Fix) -> [Fix] {
    switch self {
    case .bounded(var sampler):
      self = .all  // or the window would be copied with each fix
      let kept = sampler.add(fix)
      self = .bounded(sampler)
      return kept
    case .distance(var sampler):
      let kept = sampler.add(fix)
      self = .distance(sampler)
      return kept
    case .all: return [fix]
    }
  }

  /// Ends the line: the newest fix is kept. Nil if it already was.
  mutating func flush() -> Fix? {
    switch self {
    case .bounded(var sampler):
      let kept = sampler.flush()
      self = .bounded(sampler)
      return kept
    case .distance(var sampler):
      let kept = sampler.flush()
      self = .distance(sampler)
      return kept
    case .all: return nil
    }
  }
}
