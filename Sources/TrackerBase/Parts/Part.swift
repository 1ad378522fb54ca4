/// A group of judgements with the state that they need: the clock and the GPS, the journey, the way to the servers, …
///
/// A part is given what happens, with the facts that all parts have published, and returns what it wants, in order. It calls
/// no other part and is called by the tracker's loop alone.
package protocol Part: Sendable {
  /// Something has happened outside. - Returns: nil where that changes nothing of what it publishes.
  mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]?
  /// A part has news for the others. Each hears them, also the one that they come from. - Returns: as `handle`.
  mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]?
  /// These settings rule from now on. What is known stays known.
  mutating func adopt(_ configuration: Configuration, at now: Moment)
  /// What it publishes goes by the time, too: it is asked before each event.
  var publishesTime: Bool { get }
  /// What the others may know of it. It is asked after what concerns it.
  func publish(to facts: inout Facts, at now: Moment)
  /// What that warning reported goes on.
  func lasts(_ warning: WarningName, at now: Moment) -> Bool
  /// Boot time at which a `.timer` is wanted; nil: it waits for no time.
  var deadline_ms: Int64? { get }
  /// Adds what outlives the process.
  func save(to commit: inout Commit, _ facts: Facts, at now: Moment)
  /// What it saves, by key.
  static var kinds: SavedKinds { get }
  func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment)
}

extension Part {
  package mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]? { nil }
  package mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]? { nil }
  package mutating func adopt(_ configuration: Configuration, at now: Moment) {}
  package var publishesTime: Bool { false }
  package func publish(to facts: inout Facts, at now: Moment) {}
  package func lasts(_ warning: WarningName, at now: Moment) -> Bool { false }
  package var deadline_ms: Int64? { nil }
  package func save(to commit: inout Commit, _ facts: Facts, at now: Moment) {}
  package static var kinds: SavedKinds { [:] }
  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {}
}

/// The settings, and what was read because of them.
public struct Configuration: Sendable {
  public var settings: Settings
  public var schedule: Schedule
  /// nil: it cannot be read. The schedule is closed then, unless it has no rules, and days are those of UTC.
  public var zone: (any ZoneRules)?
  public var geofences: [Geofence]
  /// Which of the server's settings are among these.
  public var overlay: OverlayUse

  public init(
    settings: Settings, schedule: Schedule, zone: (any ZoneRules)?, geofences: [Geofence] = [],
    overlay: OverlayUse = OverlayUse()
  ) {
    (self.settings, self.schedule, self.zone) = (settings, schedule, zone)
    (self.geofences, self.overlay) = (geofences, overlay)
  }
}
