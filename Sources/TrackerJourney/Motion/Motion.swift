import TrackerBase

/// UNKNOWN → MOVING ⇄ STATIONARY, from fixes and, where there is one, the ignition line.
///
/// Times between fixes are in GPS time, since late or replayed fixes are as good as prompt ones; probes and
/// time-outs are on the boot clock.
public struct Motion: Equatable, Sendable {
  enum State: Equatable, Sendable {
    case unknown(Unknown)
    case moving(Moving)
    case stationary(Stationary)
  }

  public enum Action: Equatable, Sendable {
    case departed(Start)
    /// `at`: nil: nothing was seen since the vehicle left, or since the process began.
    case arrived(at: Fix?, place: Place, cause: ArrivalCause)
    /// A trip had no fix at all for too long: where it went is not known.
    case lost
    /// The first place is known: parked, but no trip ended.
    case foundParked(place: Place)
    /// It stands a little way off, and made no trip to get there.
    case shifted(place: Place)
    case probeStarted
    case probeEnded(answered: Bool)
    /// The parking place has a cell more, which is to be saved.
    case cellsLearned
  }

  /// A departure.
  public struct Start: Equatable, Sendable {
    var cause: DepartureCause
    /// From the last fix before it moved on, or from the first one seen after; empty if only the ignition reported.
    var track: [Fix] = []
    /// Where it stood; nil: that is not known.
    var from: Place?
    /// Nothing was seen of its way to that place, nor has it been seen there.
    var isAssumed = false
    /// GPS time at which it was last seen in its place; nil: it was seen to leave.
    var leftAfter_ms: Int64?
  }

  public enum ArrivalCause: Equatable, Sendable { case stayed, ignition, noFix }

  /// What a state makes of an event.
  struct Step {
    var actions: [Action] = []
    /// nil: it stays in this state.
    var next: State?
  }

  private(set) var state = State.unknown(Unknown())
  package var known: Knowledge

  public init(settings: MotionSettings) { known = Knowledge(settings: settings) }

  public var isMoving: Bool {
    if case .moving = state { true } else { false }
  }

  package var name: MotionStatus.State {
    switch state {
    case .unknown: .unknown
    case .moving: .moving
    case .stationary: .stationary
    }
  }

  /// The vehicle stands in one place, be it at a light: what the track holds back.
  public var isHalted: Bool {
    if case .moving(let moving) = state { moving.stay?.isHalted ?? false } else { true }
  }

  /// While it halts within a trip: where the trip ends if it does not go on.
  public var arrival: Fix? {
    guard case .moving(let moving) = state, let stay = moving.stay, stay.isHalted else { return nil }
    return stay.end
  }

  /// Where a key was turned, while no fix has come since.
  var keyTurnedIn: Place? {
    guard case .moving(let moving) = state, let before = moving.before, before.isByKey else { return nil }
    return before.place
  }

  /// It moves by what a key or the last process has said, and no fix has come since.
  var isUnseen: Bool {
    if case .moving(let moving) = state { moving.before != nil } else { false }
  }

  public var wantsGPS: Bool {
    switch state {
    case .unknown: true
    case .moving(let moving): moving.doze.wantsGPS
    case .stationary(let stationary): stationary.wantsGPS
    }
  }

  public var deadline_ms: Int64? {
    switch state {
    case .unknown: nil
    case .moving(let moving): moving.deadline_ms(known)
    case .stationary(let stationary): stationary.deadline_ms
    }
  }

  // MARK: Events

  public mutating func fixArrived(_ fix: Fix, at now_ms: Int64) -> [Action] {
    step(
      { unknown, known in unknown.fixArrived(fix, &known, at: now_ms) },
      { moving, known in moving.fixArrived(fix, &known, at: now_ms) },
      { stationary, known in stationary.fixArrived(fix, &known, at: now_ms) })
  }

  public mutating func tick(at now_ms: Int64) -> [Action] {
    guard let deadline_ms, now_ms >= deadline_ms else { return [] }
    return step(
      { _, _ in Step() }, { moving, known in moving.tick(&known, at: now_ms) },
      { stationary, known in stationary.tick(&known, at: now_ms) })
  }

  public mutating func ignitionChanged(on: Bool, at now_ms: Int64) -> [Action] {
    if known.settings.mode == .probeOnly { return [] }
    return step(
      { _, _ in
        // What was seen before may be as old as the last window.
        on ? Step(actions: [.departed(Start(cause: .ignition))], next: .moving(Moving(at: now_ms))) : Step()
      },
      { moving, _ in
        moving.ignitionChanged(on: on, at: now_ms)
        return Step()
      },
      { stationary, known in on ? stationary.keyTurned(&known, at: now_ms) : Step() })
  }

  /// Something shook the vehicle.
  public mutating func shaken(at now_ms: Int64) -> [Action] {
    whileStationary { stationary, known in stationary.shaken(&known, at: now_ms) }
  }

  public mutating func signOfLife(_ cause: DepartureCause, at now_ms: Int64) -> [Action] {
    whileStationary { stationary, known in stationary.signOfLife(cause, &known, at: now_ms) }
  }

  /// What serves the modems now; none: they say nothing.
  ///
  /// A cell that is new to the parking place starts a probe at once. Where the modem falls silent, the pause that is
  /// going on relied on it: then it is no longer than without.
  public mutating func cellsShown(_ serving: [Cell], at now_ms: Int64) -> [Action] {
    let relied = known.cells.told_s != nil
    let isNew = known.cells.shown(serving, at: now_ms)
    let isSilent = relied && known.cells.told_s == nil
    return whileStationary { stationary, known in
      stationary.cellsShown(isNew: isNew, isSilent: isSilent, &known, at: now_ms)
    }
  }

  /// What the pause that is going on relied on tells nothing any more: it is no longer than without.
  mutating func looksForItself(at now_ms: Int64) {
    _ = whileStationary { stationary, known in
      stationary.looksForItself(known, at: now_ms)
      return Step()
    }
  }

  mutating func pace(_ settings: MotionSettings, at now_ms: Int64) {
    known.settings = settings
    _ = whileStationary { stationary, known in
      stationary.shortenPause(known, at: now_ms)
      return Step()
    }
  }

  mutating func adopt(_ settings: MotionSettings) {
    known.settings = settings
    // The connection to the modem is a new one, or there is none any more: what serves is reported again.
    known.cells.serves([])
  }

  /// Tracking begins again, after a pause in which nothing was watched: look at once.
  public mutating func watchBegan(at now_ms: Int64) {
    _ = step(
      { _, _ in Step() },
      { moving, _ in
        (moving.lastFixAt_ms, moving.doze) = (now_ms, .awake(since_ms: now_ms))
        return Step()
      },
      { stationary, known in
        stationary.watchBegan(known, at: now_ms)
        return Step()
      })
  }

  /// Tracking ends (window closed, paused): where the vehicle goes from here is not seen.
  public mutating func watchEnded(at now_ms: Int64) {
    guard case .stationary = state else { return forget() }
    _ = whileStationary { stationary, known in
      stationary.watchEnded(&known, at: now_ms)
      return Step()
    }
  }

  /// Nothing is known any more: the place known so far was another one, or no motion was made of what was seen.
  public mutating func forget() {
    known.cells.lost()
    state = .unknown(Unknown())
  }

  // MARK: Steps

  /// The state is taken out for the time of the step, or its fixes would be copied with each.
  private mutating func step(
    _ unknown: (inout Unknown, inout Knowledge) -> Step, _ moving: (inout Moving, inout Knowledge) -> Step,
    _ stationary: (inout Stationary, inout Knowledge) -> Step
  ) -> [Action] {
    let before = state
    state = .unknown(Unknown())
    let step: Step
    switch consume before {
    case .unknown(var its):
      step = unknown(&its, &known)
      state = step.next ?? .unknown(its)
    case .moving(var its):
      step = moving(&its, &known)
      state = step.next ?? .moving(its)
    case .stationary(var its):
      step = stationary(&its, &known)
      state = step.next ?? .stationary(its)
    }
    return step.actions
  }

  private mutating func whileStationary(_ body: (inout Stationary, inout Knowledge) -> Step) -> [Action] {
    guard case .stationary = state else { return [] }
    return step({ _, _ in Step() }, { _, _ in Step() }, body)
  }
}

extension Motion {
  /// What a fix that motion has just seen says of where the vehicle is.
  enum Whereabouts: Equatable {
    case going
    /// At a light, or parked: the mean of the place is better than the fix.
    case standing(Place)
    /// The fix is outside of the parked place, and not yet believed.
    case unclear
  }

  var whereabouts: Whereabouts {
    switch state {
    case .unknown(let unknown):
      guard let place = unknown.place, let last = unknown.lookout.recent.fixes.last, last.isStanding else {
        return .going
      }
      return !unknown.lookout.departure.isOutside ? .standing(place) : .unclear
    case .moving(let moving):
      guard let stay = moving.stay, stay.isHalted else { return .going }
      return stay.outside.isEmpty ? .standing(stay.place) : .unclear
    case .stationary(let stationary):
      return stationary.lookout.elsewhere == nil ? .standing(stationary.place) : .unclear
    }
  }

  /// Why there is no track within the watch.
  var noTrackCause: NoTrackCause? {
    switch state {
    case .unknown: nil
    case .stationary: .parked
    case .moving(let moving):
      switch moving.doze {
      case .resting(_, isDark: true), .looking(_, _, isDark: true): .noSky
      case .resting(_, isDark: false): .parked
      case .awake, .looking: nil
      }
    }
  }
}

extension Motion {
  /// - Parameter fix: the newest.
  func describe(_ status: inout MotionStatus, _ fix: Fix?) {
    let activity = fix.map { Activity(isMoving: isMoving, fix: $0) }
    status.state = name
    (status.activity, status.confidence) = (activity?.kind, activity?.confidence)
    (status.cells, status.cellsState) = (known.cells.count, nil)
    guard known.settings.cells, known.settings.mode == .full else { return }
    status.cellsState = known.cells.serving.isEmpty ? .silent : known.cells.isFull ? .tooMany : .told
  }
}

// MARK: What outlives the process

extension Motion {
  func save(to draft: inout Commit) {
    var saved = SavedMotion()
    switch state {
    case .unknown: break
    case .moving(let moving):
      saved = SavedMotion(moving.before.flatMap { $0.isByKey ? $0 : nil })
      saved.state = .moving
    case .stationary(let its):
      saved = SavedMotion(Seen(place: its.place, time_ms: its.lastSeen_ms, isByKey: false))
      (saved.state, saved.isAssumed) = (.stationary, its.isAssumed)
    }
    draft.set("motion", saved)
    draft.set("cells", known.cells.saved)
    draft.set("habits", known.habits.saved)
  }

  /// What was learned before this process.
  mutating func remember(_ saved: SavedState) {
    let learned: SavedHabits? = saved.value("habits")
    if let habits = learned.flatMap({ Habits($0) }) { known.habits = habits }
    known.cells.remember(saved)
  }

  /// - Parameter lastPlace: where the last trip was followed to.
  init(settings: MotionSettings, saved: SavedState, lastPlace: Fix? = nil, at now_ms: Int64) {
    self.init(settings: settings)
    remember(saved)
    let found: SavedMotion = saved.value("motion") ?? SavedMotion()
    switch found.state {
    case .unknown: break
    case .moving:
      var moving = Moving(at: now_ms)
      moving.before = found.seen ?? lastPlace.map { Seen($0) }
      state = .moving(moving)
    case .stationary:
      guard let seen = found.seen else { break }
      var its = Stationary(in: seen.place, lastSeen_ms: seen.time_ms)
      its.probe = known.probeAtOnce(at: now_ms)
      its.isAssumed = found.isAssumed
      state = .stationary(its)
    }
    known.cells = CellWatch(saved: saved, isParked: name == .stationary)
  }

  /// Where the vehicle was left, as precise as a receiver's mean under a roof; nil if it was seen to drive since.
  static func lastPlace(_ saved: SavedState) -> Fix? {
    let found: SavedMotion? = saved.value("motion")
    return found?.seen.map { seen in
      Fix(
        time_ms: seen.time_ms, position: seen.place.centre, speed_mps: 0, accuracy_m: Place.savedAccuracy_m)
    }
  }
}
