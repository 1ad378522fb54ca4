/// What the input lines have told.
struct Lines: Equatable, Sendable {
  /// Whether the trip that is going on is a tow: the vehicle left without its ignition.
  enum Tow: String, Equatable, Sendable {
    case none = ""
    /// The fixes alone told of the departure.
    case possible
    case towed
  }

  var ignition: LineDebouncer
  /// Boot time.
  var ignitionChangedAt_ms: Int64 = 0
  /// Since then it has not told its level.
  var ignitionHasFailed = false
  var vibration: VibrationMeter
  var vibrationWorks: Bool
  var bouncesWarnedAt_ms: Int64?
  var tow: Tow
  /// Since the last trip a line has told of something.
  var hasTold = false
  /// The vehicle left and no line told: a broken wire, a dead sensor. None is relied on until one tells again.
  var missedDeparture: Bool

  init(settings: Settings, tow: Tow, missedDeparture: Bool) {
    self.missedDeparture = missedDeparture
    ignition = LineDebouncer(debounce_ms: Int64(settings.ignition.debounce_ms))
    vibration = VibrationMeter(settings: settings.vibration)
    vibrationWorks = settings.vibration.input.exists
    self.tow = tow
  }

  /// A line will tell when the vehicle leaves. An ignition that is on has nothing more to tell.
  var willTellOfDeparture: Bool { !missedDeparture && (vibrationWorks || ignition.level == false) }

  mutating func told() {
    hasTold = true
    missedDeparture = false
  }
}

/// Edges become ignition, shaking and a warning.
extension Tracker {
  static let bouncesWarning_ms: Int64 = 3_600_000
  static let towedAfter_ms: Int64 = 60_000

  mutating func ignitionEdge(_ level: Bool, at now: Moment) {
    lines.ignitionHasFailed = false
    for on in lines.ignition.edge(level, at: now.boot_ms) { ignitionChanged(on: on, at: now) }
    guard lines.ignition.isStorm,
      lines.bouncesWarnedAt_ms.map({ now.boot_ms - $0 >= Tracker.bouncesWarning_ms }) ?? true
    else { return }
    lines.bouncesWarnedAt_ms = now.boot_ms
    warn(
      .lineBounces, at: now,
      "the ignition's line does not come to rest and is not believed meanwhile: look at its wiring")
  }

  /// Outside the windows nobody is watched: the level counts when one opens.
  mutating func ignitionChanged(on: Bool, at now: Moment) {
    log(.info, on ? "ignition on" : "ignition off")
    lines.ignitionChangedAt_ms = now.boot_ms
    if on {
      lines.told()
      if lines.tow == .possible { lines.tow = .none }
    }
    motion.hasSentinel = lines.willTellOfDeparture
    if window.isOpen { perform(motion.ignitionChanged(on: on, at: now.boot_ms), at: now) }
  }

  mutating func vibrationEdge(at now: Moment) {
    lines.vibrationWorks = true
    let isShaken = lines.vibration.edge(at: now.boot_ms)
    if isShaken { lines.told() }
    motion.hasSentinel = lines.willTellOfDeparture
    if isShaken, window.isOpen { perform(motion.shaken(at: now.boot_ms), at: now) }
  }

  /// The fixes alone told that a parked vehicle has left.
  mutating func fixesToldOfDeparture() {
    guard motion.hasSentinel, !lines.hasTold else { return }
    log(
      .notice, "no line told that the vehicle left: the GPS looks as often as without one until a line tells")
    lines.missedDeparture = true
    motion.hasSentinel = lines.willTellOfDeparture
  }

  mutating func lineFailed(_ line: InputLine, _ words: String, at now: Moment) {
    warn(.inputLine, at: now, "\(line.rawValue) line: \(words)")
    switch line {
    case .ignition:
      lines.ignition.forget()
      lines.ignitionHasFailed = true
    case .vibration: lines.vibrationWorks = false
    }
    motion.hasSentinel = lines.willTellOfDeparture
  }

  /// With each fix of a trip.
  mutating func watchTow(at now: Moment) {
    guard lines.tow == .possible, lines.ignition.level == false,
      now.boot_ms - lines.ignitionChangedAt_ms > Tracker.towedAfter_ms
    else { return }
    lines.tow = .towed
    warn(.towed, at: now, "the vehicle moves with its ignition off: is it being towed?")
  }

  func describeLines(_ status: inout TrackerStatus) {
    status.ignitionIsOn = lines.ignition.level
    status.hasLines =
      settings.ignition.exists || settings.vibration.input.exists || lines.ignition.level != nil
    status.vibrationEdges = lines.vibration.edges
    status.bounces = lines.ignition.bounces
    status.bounceStorms = lines.ignition.storms
  }
}
