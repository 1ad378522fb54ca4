import TrackerBase

/// One recorded track, lived through by the very agent that runs on the device, in virtual time.
public struct Replay {
  let track: RecordedTrack
  let settings: Settings
  /// What to call the settings: a file's name, or `defaults`.
  let settingsName: String
  let schedule: Schedule
  let zone: any ZoneRules
  let zoneName: String
  let assumptions: Assumptions
  /// In the recording's time.
  let outages: [Span]
  let geofences: [Geofence]
  let cells: [CellRecording.Change]

  /// The device starts so long before the first report of the recording.
  static let lead_ms: Int64 = 1000
  /// Fixes count as true to the recording's own dates: no week rollover is repaired later than this before it.
  static let dateSlack_ms: Int64 = 86_400_000

  /// - Throws: for a schedule rule or an outage that cannot be read.
  public init(
    track: RecordedTrack, settings: Settings, settingsName: String = "defaults",
    zone: any ZoneRules = FixedZone.utc, zoneName: String = "UTC", assumptions: Assumptions = Assumptions(),
    geofences: [Geofence] = [],
    cells: [CellRecording.Change] = []
  ) throws {
    self.track = track
    var settings = settings
    // A replay delivers to its own server, and to no other.
    if settings.sync.url.isEmpty { settings.sync.url = "https://replay.invalid/" }
    settings.others = []
    self.settings = settings
    self.settingsName = settingsName
    schedule = try Schedule(rules: settings.schedule)
    (self.zone, self.zoneName) = (zone, zoneName)
    self.assumptions = assumptions
    self.geofences = geofences
    self.cells = cells
    outages = try Outage.spans(assumptions.network.outages, from_ms: track.start_ms)
  }

  public func run() -> ReplayResult {
    let world = ReplayWorld(self)
    var chronicle = Chronicle(start_ms: track.start_ms)
    world.agent.start()
    while world.track_ms < track.end_ms {
      world.agent.step()
      chronicle.note(world.agent.tracker, at: world.track_ms)
    }
    let openTrip = ReplayedTrip(openIn: world.agent.tracker)
    world.stop()
    return result(of: world, chronicle.ended(at: track.end_ms), openTrip: openTrip)
  }
}

extension Replay {
  /// What the recording or the assumptions leave out, in words.
  public var hints: [String] { [wireHint, sparseHint].compactMap { $0 } }

  private var wireHint: String? {
    guard settings.motion.mode == .wireOnly, ignitionEdges.isEmpty else { return nil }
    let missing = assumptions.ignition == .recorded ? "the recording has no column ignition, and " : ""
    return
      "motion.mode \"wire_only\" of \(settingsName): the replay has no ignition, so the GPS stays off and there is no trip; \(missing)--assume ignition=from_speed guesses one"
  }

  private var sparseHint: String? {
    let entries = track.entries
    let steps_ms = entries.indices.dropFirst().map { entries.cameAt_ms($0) - entries.cameAt_ms($0 - 1) }
      .sorted()
    guard let middle_ms = steps_ms.isEmpty ? nil : steps_ms[steps_ms.count / 2],
      middle_ms > VirtualReceiver.longestStep_ms
    else { return nil }
    return
      "\(track.name) has a point each \(middle_ms / 1000) s; the replay takes gaps over \(VirtualReceiver.longestStep_ms / 1000) s for lost sky, so it may miss departures and trips. Record with a point each 1 to 5 s."
  }

  /// When the ignition's wire starts a board that sleeps, in the world's time.
  func starts_ms(offset_ms: Int64) -> [Int64] {
    guard settings.host.sleep.wire else { return [] }
    return ignitionEdges.filter(\.isOn).map { $0.at_ms - offset_ms }
  }

  var ignitionEdges: [RecordedTrack.IgnitionEdge] {
    switch assumptions.ignition {
    case .none: []
    case .recorded: track.ignition
    case .fromSpeed: IgnitionGuess.edges(of: track)
    }
  }
}
