import TrackerBase

/// What the input lines have reported, and what that says of the trip that is going on. On the boot clock.
package struct Lines: Equatable, Sendable {
  /// Whether the trip that is going on is a tow: the vehicle left without its ignition.
  enum Tow: String, Equatable, Sendable {
    case none = ""
    /// The fixes alone reported the departure.
    case possible
    case towed
  }

  private struct LineSettings: Equatable {
    var ignition: IgnitionSettings
    var vibration: VibrationSettings
  }

  private var ignition: LineDebouncer
  private(set) var ignitionChangedAt_ms: Int64 = 0
  /// Since then it has not reported its level.
  private(set) var ignitionHasFailed = false
  private var vibration: VibrationMeter
  private var vibrationWorks: Bool
  private let settings: LineSettings
  private var tow: Tow
  /// Since the last trip a line has reported something.
  private var hasReported = false
  /// The vehicle left and no line reported: a broken wire, a dead sensor. None is relied on until one reports again.
  private var missedDeparture: Bool

  static let towedAfter_ms: Int64 = 60_000

  init(settings: Settings, saved: SavedState) {
    let before: SavedLines? = saved.value("lines")
    self.init(settings, tow: before?.tow ?? .none, missedDeparture: before?.missedDeparture ?? false)
  }

  private init(_ settings: Settings, tow: Tow, missedDeparture: Bool) {
    ignition = LineDebouncer(debounce_ms: Int64(settings.ignition.debounce_ms))
    vibration = VibrationMeter(settings: settings.vibration)
    self.settings = LineSettings(ignition: settings.ignition, vibration: settings.vibration)
    vibrationWorks = settings.vibration.input.exists
    (self.tow, self.missedDeparture) = (tow, missedDeparture)
  }

  /// Other wires report their levels as after a start; the same ones have nothing new to report.
  mutating func adopt(_ new: Settings) {
    guard settings != LineSettings(ignition: new.ignition, vibration: new.vibration) else { return }
    self = Lines(new, tow: tow, missedDeparture: missedDeparture)
  }

  private var hasIgnition: Bool { settings.ignition.input.exists }
  private var hasVibration: Bool { settings.vibration.input.exists }

  /// nil: no line says it, or not yet.
  package var ignitionIsOn: Bool? { ignition.level }

  package var isStorm: Bool { ignition.isStorm }

  package var hasFailed: Bool { ignitionHasFailed || hasVibration && !vibrationWorks }

  package var isTowed: Bool { tow == .towed }

  /// A line will report when the vehicle leaves. An ignition that is on has nothing more to report.
  var willReportDeparture: Bool { !missedDeparture && (vibrationWorks || ignition.level == false) }

  var deadline_ms: Int64? { ignition.deadline_ms }

  // MARK: What they report

  /// The level as somebody else has debounced it.
  mutating func set(_ on: Bool) { ignition.set(on) }

  /// - Returns: the changes of the ignition's level, oldest first.
  mutating func ignitionEdge(_ level: Bool, at now_ms: Int64) -> [Bool] {
    ignitionHasFailed = false
    return ignition.edge(level, at: now_ms)
  }

  /// - Returns: the new level, if it has changed.
  mutating func tick(at now_ms: Int64) -> Bool? { ignition.tick(at: now_ms) }

  /// After an edge. - Returns: whether it is to be reported that the line does not come to rest.
  mutating func stormIsNews(at now_ms: Int64) -> Bool { ignition.stormIsNews(at: now_ms) }

  mutating func ignitionChanged(on: Bool, at now_ms: Int64) {
    ignitionChangedAt_ms = now_ms
    guard on else { return }
    reported()
    if tow == .possible { tow = .none }
  }

  /// - Returns: whether the vehicle counts as shaken by it.
  mutating func vibrationEdge(at now_ms: Int64) -> Bool {
    vibrationWorks = true
    let isShaken = vibration.edge(at: now_ms)
    if isShaken { reported() }
    return isShaken
  }

  private mutating func reported() { (hasReported, missedDeparture) = (true, false) }

  mutating func failed(_ line: InputLine) {
    switch line {
    case .ignition:
      ignition.forget()
      ignitionHasFailed = true
    case .vibration: vibrationWorks = false
    // It says nothing of how the vehicle moves.
    case .externalPower: break
    }
  }

  // MARK: The trip

  /// - Parameters:
  ///   - byFixes: they alone reported the departure.
  ///   - wasParked: the vehicle left a place that was known.
  ///   - wasExpected: a line should have reported.
  /// - Returns: whether it is news that no line has reported.
  mutating func tripBegan(byFixes: Bool, wasParked: Bool, wasExpected: Bool) -> Bool {
    tow = byFixes ? .possible : .none
    guard byFixes, wasParked, wasExpected, !hasReported else { return false }
    missedDeparture = true
    return true
  }

  /// With each fix of a trip. - Returns: whether it is a tow from now on.
  mutating func isBeingTowed(at now_ms: Int64) -> Bool {
    guard tow == .possible, ignition.level == false, now_ms - ignitionChangedAt_ms > Lines.towedAfter_ms
    else { return false }
    tow = .towed
    return true
  }

  mutating func tripEnded() { (tow, hasReported) = (.none, false) }

  // MARK: What is known

  func save(to state: inout Commit) {
    state.set("lines", SavedLines(tow: tow, missedDeparture: missedDeparture))
  }

  /// nil where there is none.
  var status: LinesStatus? {
    guard hasIgnition || hasVibration || ignition.level != nil else { return nil }
    var status = LinesStatus()
    status.ignition = ignition.level
    status.vibrationEdges = vibration.edges
    (status.bounces, status.storms) = (ignition.bounces, ignition.storms)
    return status
  }
}

extension Lines {
  static let towedWords = "the vehicle moves with its ignition off: is it being towed?"
  static let stormWords =
    "the ignition's line does not come to rest and is not believed meanwhile: look at its wiring"
  static let missedWords =
    "no line reported that the vehicle left: the GPS looks as often as without one until a line reports"
}
