/// Decides which fixes of a trip are kept.
///
/// While the vehicle halts, what sampling would keep is held back: if the halt turns out to be the end of the
/// trip, the track ends where the vehicle arrived, and a parked vehicle's noise leaves no point behind.
public struct Track: Equatable, Sendable {
  private var sampler: Sampler
  /// The sampler as it was on arrival at the present halt.
  private var atHalt: Sampler?
  private var held: [Fix] = []
  private var marks: Marks

  public init(settings: TrackSettings) {
    sampler = Sampler(settings: settings)
    marks = Marks(settings: settings)
  }

  /// Fixes that are neither kept nor held and that the line needs: what a power cut now would lose. Oldest first.
  public var open: [Fix] { atHalt?.open ?? sampler.open }

  /// - Returns: fixes to keep now, oldest first.
  public mutating func add(_ fix: Fix, halted: Bool) -> [Fix] {
    let kept = sampler.add(fix, marked: marks.isMark(fix))
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

  /// Fixes after a time were wrong: those that are not kept yet never are.
  mutating func forget(after time_ms: Int64) {
    sampler.forget(after: time_ms)
    atHalt?.forget(after: time_ms)
    held.removeAll { $0.time_ms > time_ms }
  }

  /// The halt was the end: the track ends with the fix of the arrival.
  public mutating func arrived() -> [Fix] {
    if let atHalt { sampler = atHalt }
    held = []
    atHalt = nil
    return sampler.flush()
  }

  /// The track ends here for another reason (the window closes, a new trip begins).
  public mutating func end() -> [Fix] {
    let rest = held + sampler.flush()
    held = []
    atHalt = nil
    return rest
  }
}
