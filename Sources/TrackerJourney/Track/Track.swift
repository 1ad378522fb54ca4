import TrackerBase

/// Decides which fixes of a trip are kept.
///
/// While the vehicle halts, what sampling would keep is held back: if the halt turns out to be the end of the
/// trip, the track ends where the vehicle arrived, and a parked vehicle's noise leaves no point behind.
public struct Track: Equatable, Sendable {
  private struct Halt: Equatable, Sendable {
    /// GPS time.
    var arrived_ms: Int64
    /// The sampler as it was then.
    var atArrival: Sampler
    /// What is kept since then if the trip goes on.
    var held: [Fix] = []
    /// The newest fixes, which sampling has not seen: one of them may turn out to be the arrival.
    var late: [Fix]
  }

  private var sampler: Sampler
  private var halt: Halt?
  private var marks: Marks

  /// That a vehicle which halts has come into another place is known later, at most by this.
  static let late_ms = 2 * Stay.outside_ms

  public init(settings: TrackSettings) {
    sampler = Sampler(settings: settings)
    marks = Marks(settings: settings)
  }

  /// Fixes that are neither kept nor held and that the line needs: what a power cut now would lose. Oldest first.
  public var open: [Fix] { halt?.atArrival.open ?? sampler.open }

  /// - Parameter arrival: where the trip ends if the vehicle does not go on; nil while it drives.
  /// - Returns: fixes to keep now, oldest first.
  public mutating func add(_ fix: Fix, arrival: Fix?) -> [Fix] {
    guard let arrival, arrival.time_ms <= fix.time_ms else {
      return halt == nil ? sample(fix) : goOn() + sample(fix)
    }
    if halt?.arrived_ms == arrival.time_ms {
      hold(fix)
      return []
    }
    return arrive(at: halt == nil ? fix.time_ms : arrival.time_ms, arrival, with: fix)
  }

  /// The vehicle halts, or it halts in another place than before.
  private mutating func arrive(at time_ms: Int64, _ arrival: Fix, with fix: Fix) -> [Fix] {
    let late = (halt?.late ?? []) + [fix]
    let kept = (halt?.held ?? []) + late.filter { $0.time_ms <= time_ms }.flatMap { sample($0) }
    halt = Halt(
      arrived_ms: arrival.time_ms, atArrival: sampler, late: late.filter { $0.time_ms > time_ms })
    return kept
  }

  private mutating func hold(_ fix: Fix) {
    halt?.late.append(fix)
    guard let late = halt?.late, fix.time_ms - late[0].time_ms >= 2 * Track.late_ms else { return }
    let due = late.prefix { fix.time_ms - $0.time_ms >= Track.late_ms }
    let kept = due.flatMap { sample($0) }
    halt?.late.removeFirst(due.count)
    halt?.held += kept
  }

  /// It was a red light.
  private mutating func goOn() -> [Fix] {
    guard let halt else { return [] }
    self.halt = nil
    return halt.held + halt.late.flatMap { sample($0) }
  }

  private mutating func sample(_ fix: Fix) -> [Fix] { sampler.add(fix, marked: marks.isMark(fix)) }

  /// Fixes after a time were wrong: those that are not kept yet never are.
  mutating func forget(after time_ms: Int64) {
    sampler.forget(after: time_ms)
    halt?.atArrival.forget(after: time_ms)
    halt?.held.removeAll { $0.time_ms > time_ms }
    halt?.late.removeAll { $0.time_ms > time_ms }
  }

  /// The halt was the end: the track ends with the fix of the arrival.
  public mutating func arrived() -> [Fix] {
    if let halt { sampler = halt.atArrival }
    halt = nil
    return sampler.flush()
  }

  /// The track ends here for another reason (the window closes, a new trip begins).
  public mutating func end() -> [Fix] { goOn() + sampler.flush() }
}
