import TrackerBase

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

  /// What is not kept yet and would have to be if the track ended here, oldest first.
  var open: [Fix] {
    switch self {
    case .bounded(let sampler): sampler.open
    case .distance(let sampler): sampler.open.map { [$0] } ?? []
    case .all: []
    }
  }

  /// - Parameter marked: the fix is kept in any case.
  /// - Returns: the fixes that are kept because of this one, oldest first.
  mutating func add(_ fix: Fix, marked: Bool) -> [Fix] {
    let kept = add(fix)
    return marked ? kept + flush() : kept
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

  /// Fixes after a time were wrong: those that are not kept yet never are.
  mutating func forget(after time_ms: Int64) {
    guard case .bounded(var sampler) = self else { return }
    sampler.forget(after: time_ms)
    self = .bounded(sampler)
  }

  /// Ends the line: the newest fix is kept, and what it needs before it.
  mutating func flush() -> [Fix] {
    switch self {
    case .bounded(var sampler):
      let kept = sampler.flush()
      self = .bounded(sampler)
      return kept
    case .distance(var sampler):
      let kept = sampler.flush()
      self = .distance(sampler)
      return kept.map { [$0] } ?? []
    case .all: return []
    }
  }
}
