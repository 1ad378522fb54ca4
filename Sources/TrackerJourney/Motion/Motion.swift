import TrackerBase

/// UNKNOWN → MOVING ⇄ STATIONARY, from fixes and, where there is one, the ignition line.
///
/// Times between fixes are in GPS time, since late or replayed fixes are as good as prompt ones; probes and
/// time-outs are on the boot clock.
public struct Motion: Equatable, Sendable {
  public enum State: Equatable, Sendable {
    /// After the first start, or when tracking was off: nothing is known yet.
    case unknown(Unknown)
    case moving
    case stationary
  }

  public struct Unknown: Equatable, Sendable {
    var place: Place?
    var since_ms: Int64 = 0
  }

  struct Moving: Equatable, Sendable {
    var stay: Stay?
    var lastFix: Fix?
    var lastFixAt_ms: Int64
    var ignitionOffSince_ms: Int64?
    var doze: Doze
    /// Where it was when a key told of the departure, or the last process ended. nil as soon as a fix has come.
    var before: Seen?

    init(stay: Stay? = nil, lastFix: Fix? = nil, at now_ms: Int64) {
      (self.stay, self.lastFix, lastFixAt_ms) = (stay, lastFix, now_ms)
      doze = .awake(since_ms: now_ms)
    }

    mutating func follow(_ fix: Fix, radius_m: Double) {
      // nil: there is none yet.
      if stay?.follow(fix) == nil { stay = Stay(fix, radius_m: radius_m, movedHere: false) }
    }
  }

  struct Seen: Equatable, Sendable {
    var place: Place
    /// GPS time.
    var time_ms: Int64
    /// It stood there: a key told that it leaves.
    var isByKey: Bool
  }

  struct Stationary: Equatable, Sendable {
    var place: Place
    /// GPS time of the last fix in the place: the vehicle left after it.
    var lastSeen_ms: Int64
    var probe: Probe
    /// Probes in a row without an answer in the usual time.
    var unanswered = 0
    /// What began this probe, or lets the next one begin.
    var lookedFor = DepartureCause.probe
    /// The newest last.
    var signs: [Sign] = []
    /// Nothing was seen of the trip that ended here, nor has the vehicle been seen here since.
    var isAssumed = false
    /// Boot times of the begin of this probe, and of the end of the last one.
    var lookBegan_ms: Int64 = 0
    var lookedAt_ms: Int64?
    /// Boot time since which it is known to have stood here under watch, as far as `habits` has not counted it yet.
    var countedFrom_ms: Int64?
    /// The place as it was last reported: when the vehicle is pushed aside, that is reported again.
    var reported: Place

    /// Of no vehicle.
    static let none = Stationary(
      in: Place(centre: Position(latitude_deg: 0, longitude_deg: 0)), lastSeen_ms: 0)

    init(in place: Place, lastSeen_ms: Int64, probe: Probe = .always, countedFrom_ms: Int64? = nil) {
      (self.place, reported) = (place, place)
      (self.lastSeen_ms, self.probe, self.countedFrom_ms) = (lastSeen_ms, probe, countedFrom_ms)
    }
  }

  /// The short look whether the vehicle is still there. `since_ms`: boot time from which pauses are reckoned.
  enum Probe: Equatable, Sendable {
    case waiting(until_ms: Int64, since_ms: Int64)
    case looking(until_ms: Int64, since_ms: Int64)
    /// The GPS stays on while parked.
    case always
  }

  public enum Action: Equatable, Sendable {
    /// The vehicle left. `start`: the last fix before it moved, or the first seen after; nil if only the
    /// ignition reported. `track`: the fixes from then on, oldest first. `leftAfter_ms`: when it was last seen in its
    /// place, unless it was seen to leave.
    /// `from`: where it stood.
    case departed(start: Fix?, track: [Fix], from: Place?, leftAfter_ms: Int64?, cause: DepartureCause)
    /// `at`: nil: nothing was seen since the vehicle left, or since the process began.
    case arrived(at: Fix?, place: Place, cause: ArrivalCause)
    /// A trip had no fix at all for too long: nobody knows where it went.
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

  public enum ArrivalCause: Equatable, Sendable { case stayed, ignition, noFix }

  /// A first start that stands still is believed sooner than the end of a trip.
  static let firstStop_s = 60.0

  public internal(set) var state: State
  // No parts of the state, or all of them would be copied with each fix.
  /// While moving; else what is left of the last trip. `setOff` begins it.
  var moving = Moving(at: 0)
  /// While stationary; else what is left of the last place. `stand` begins it.
  var parked = Stationary.none
  // While not moving.
  var recent = RecentFixes()
  var departure = Departure()
  /// Where it seems to stand now, if that is outside the place.
  var elsewhere: Stay?
  @Shared package var settings: MotionSettings
  /// A line will report the departure: probes are only a heartbeat.
  public var hasSentinel = false
  var view = ReceiverView()
  package var habits = Habits()
  var cells = CellWatch()

  public init(settings: MotionSettings) { (self.settings, state) = (settings, .unknown(Unknown())) }

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
    isMoving ? moving.stay?.isHalted ?? false : true
  }

  /// While it halts within a trip: where the trip ends if it does not go on.
  public var arrival: Fix? {
    isMoving && moving.stay?.isHalted == true ? moving.stay?.end : nil
  }

  public var wantsGPS: Bool {
    switch state {
    case .unknown: return true
    case .moving: return moving.doze.wantsGPS
    case .stationary:
      switch parked.probe {
      case .waiting: return false
      case .looking, .always: return true
      }
    }
  }

  public var deadline_ms: Int64? {
    switch state {
    case .unknown: return nil
    case .moving:
      let lost_ms = moving.lastFixAt_ms + milliseconds(settings.lostTripTimeout_s)
      return earliest(lost_ms, ignitionStop_ms, dozeDeadline_ms)
    case .stationary:
      switch parked.probe {
      case .waiting(let until_ms, _), .looking(let until_ms, _): return until_ms
      case .always: return nil
      }
    }
  }

  public mutating func fixArrived(_ fix: Fix, at now_ms: Int64) -> [Action] {
    switch state {
    case .unknown(let unknown): return fixWhileUnknown(fix, unknown, at: now_ms)
    case .moving: return fixWhileMoving(fix, at: now_ms)
    case .stationary: return fixWhileParked(fix, at: now_ms)
    }
  }

  public mutating func tick(at now_ms: Int64) -> [Action] {
    guard let deadline_ms, now_ms >= deadline_ms else { return [] }
    switch state {
    case .unknown: return []
    case .moving:
      if now_ms >= moving.lastFixAt_ms + milliseconds(settings.lostTripTimeout_s) {
        return park(at: moving.lastFix, cause: .noFix, now_ms: now_ms)
      }
      if let ignitionStop_ms, now_ms >= ignitionStop_ms { return ignitionStop(at: now_ms) }
      return dozeTick(at: now_ms)
    case .stationary: return probeTick(at: now_ms)
    }
  }

  /// Tracking begins anew, after a pause in which nothing was watched: look at once.
  public mutating func watchBegan(at now_ms: Int64) {
    switch state {
    case .unknown: break
    case .moving:
      moving.lastFixAt_ms = now_ms
      moving.doze = .awake(since_ms: now_ms)
    case .stationary:
      forgetFixes()
      parked.probe = probeAtOnce(at: now_ms)
      parked.lookedFor = .probe
      // Where it was meanwhile nobody knows.
      (parked.lookedAt_ms, parked.countedFrom_ms) = (nil, nil)
    }
  }

  /// Tracking ends (window closed, paused): where the vehicle goes from here nobody will know.
  public mutating func watchEnded(at now_ms: Int64) {
    if case .stationary = state {
      countParked(until_ms: parked.lookedAt_ms ?? now_ms)
      parked.countedFrom_ms = nil
      return cells.lost()
    }
    forgetFixes()
    cells.lost()
    forgetState()
  }

  mutating func adopt(_ settings: MotionSettings) {
    self.settings = settings
    // The connection to the modem is a new one, or there is none any more: what serves is reported again.
    cells.serves([])
  }

  /// What was seen before the GPS went off, or elsewhere, says nothing of what is seen now.
  mutating func forgetFixes() {
    recent = RecentFixes()
    (departure, elsewhere) = (Departure(), nil)
  }

  /// Nothing is known any more: the place known so far was another one, or no motion was made of what was seen.
  public mutating func forget() {
    forgetFixes()
    cells.lost()
    forgetState()
  }

  public mutating func ignitionChanged(on: Bool, at now_ms: Int64) -> [Action] {
    if settings.mode == .probeOnly { return [] }
    switch state {
    case .unknown:
      guard on else { return [] }
      // What was seen before may be as old as the last window.
      setOff(Moving(at: now_ms))
      return [.departed(start: nil, track: [], from: nil, leftAfter_ms: nil, cause: .ignition)]
    case .moving:
      moving.ignitionOffSince_ms = on ? nil : now_ms
      // It is about to go on: the GPS rests no longer.
      if on { moving.doze = .awake(since_ms: now_ms) }
      return []
    case .stationary:
      guard on else { return [] }
      learnDeparture(foundBy: nil, at: now_ms)
      cells.left(since_ms: now_ms)
      setOff(Moving(at: now_ms))
      moving.before = Seen(place: parked.place, time_ms: parked.lastSeen_ms, isByKey: true)
      return [
        .departed(
          start: nil, track: [], from: parked.place, leftAfter_ms: parked.lastSeen_ms, cause: .ignition)
      ]
    }
  }

  private mutating func forgetState() {
    state = .unknown(Unknown())
    parked.isAssumed = false
  }

  mutating func setOff(_ moving: Moving) { (state, self.moving) = (.moving, moving) }

  mutating func stand(_ parked: Stationary) { (state, self.parked) = (.stationary, parked) }

  mutating func park(at arrival: Fix?, cause: ArrivalCause, now_ms: Int64) -> [Action] {
    forgetFixes()
    let followedTo = moving.lastFix.map { Place(centre: $0.position) }
    guard let place = moving.stay?.place ?? followedTo ?? moving.before?.place else {
      forgetState()
      cells.lost()
      return [.lost]
    }
    if cause == .stayed { learnHalt(settings.stopTimeout_s, wentOn: false) }
    let seen_ms = moving.lastFix?.time_ms ?? moving.stay?.entered_ms ?? moving.before?.time_ms ?? 0
    moving.stay = nil
    park(in: place, seen_ms: seen_ms, at: now_ms)
    parked.isAssumed = moving.before?.isByKey == true
    return [.arrived(at: arrival, place: place, cause: cause)]
  }

  /// When an ignition that stays off ends the trip. Of which nothing has been seen, that is looked for a while longer.
  private var ignitionStop_ms: Int64? {
    guard let off_ms = moving.ignitionOffSince_ms else { return nil }
    let timeout_ms = milliseconds(settings.ignitionOffTimeout_s)
    return off_ms + timeout_ms + (moving.before == nil ? 0 : patience_ms(isLong: true))
  }

  private mutating func ignitionStop(at now_ms: Int64) -> [Action] {
    // Where a wire alone decides, nobody would notice that it stands elsewhere.
    if moving.before?.isByKey == true, settings.mode == .full {
      return park(at: nil, cause: .ignition, now_ms: now_ms)
    }
    guard let last = moving.lastFix, last.isStanding else {
      // Still rolling with the ignition off (a tow, a wrong wire): the fixes decide.
      moving.ignitionOffSince_ms = nil
      return []
    }
    return park(at: moving.stay?.arrival ?? last, cause: .ignition, now_ms: now_ms)
  }
}
