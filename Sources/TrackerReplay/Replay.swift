import TrackerAgent
import TrackerCore
import TrackerWire

/// One recorded track, lived through by the very agent that runs on the device, in virtual time.
public struct Replay {
  public var track: RecordedTrack
  public var settings: Settings
  /// What to call the settings: a file's name, or `defaults`.
  public var settingsName: String
  public var schedule: Schedule
  public var zone: any ZoneRules
  public var assumptions: Assumptions
  public var geofences: [Geofence]

  /// The device starts so long before the first report of the recording.
  static let lead_ms: Int64 = 1000
  /// Fixes count as true to the recording's own dates: no week rollover is repaired later than this before it.
  static let dateSlack_ms: Int64 = 86_400_000

  /// - Throws: for a schedule rule or an outage that cannot be read.
  public init(
    track: RecordedTrack, settings: Settings, settingsName: String = "defaults",
    zone: any ZoneRules = FixedZone.utc, assumptions: Assumptions = Assumptions(), geofences: [Geofence] = []
  ) throws {
    self.track = track
    self.settings = settings
    // A replay delivers to its own server.
    if self.settings.sync.url.isEmpty { self.settings.sync.url = "https://replay.invalid/" }
    self.settingsName = settingsName
    schedule = try Schedule(rules: settings.schedule)
    self.zone = zone
    self.assumptions = assumptions
    self.geofences = geofences
    _ = try Outage.spans(assumptions.network.outages, from_ms: track.start_ms)
  }

  /// - Parameter progress: called now and then with the share of the recording that is behind, 0...1.
  public func run(progress: (Double) -> Void = { _ in }) -> ReplayResult {
    let world = ReplayWorld(self)
    var chronicle = Chronicle(start_ms: track.start_ms)
    var reported = 0.0
    world.agent.start()
    while world.track_ms < track.end_ms {
      world.agent.step()
      chronicle.note(world.agent.tracker, queued: world.queue.count, at: world.track_ms)
      let share = Double(world.track_ms - track.start_ms) / Double(max(1, track.end_ms - track.start_ms))
      if share - reported >= 0.01 {
        reported = share
        progress(min(1, share))
      }
    }
    let openTrip = world.agent.tracker.trip
    world.stop()
    return result(of: world, chronicle.ended(at: track.end_ms), openTrip: openTrip)
  }
}

/// The device's surroundings, put together.
final class ReplayWorld {
  let clock: VirtualClock
  let receiver: VirtualReceiver
  let queue = MemoryQueue()
  let network: VirtualNetwork
  let outlook = SilentOutlook()
  let agent: Agent
  private let offset_ms: Int64
  private let control = OneStop()

  init(_ replay: Replay) {
    let assumptions = replay.assumptions
    offset_ms = replay.track.start_ms - Replay.lead_ms
    clock = VirtualClock(wall_ms: offset_ms)
    receiver = VirtualReceiver(
      track: replay.track, assumptions: assumptions, clock: clock, offset_ms: offset_ms)
    network = VirtualNetwork(
      queue: queue, clock: clock, assumptions: assumptions.network,
      outages: (try? Outage.spans(assumptions.network.outages, from_ms: replay.track.start_ms)) ?? [],
      identity: ReplayWorld.identity(replay.settings), offset_ms: offset_ms)
    let ignition = VirtualIgnition(
      edges: replay.ignitionEdges, clock: clock, offset_ms: offset_ms)
    let host = VirtualHost(
      clock: clock, happenings: [receiver, network, ignition], seed: UInt64(assumptions.network.seed),
      end_ms: replay.track.end_ms - offset_ms)
    let tracker = Tracker(
      settings: replay.settings, schedule: replay.schedule, zone: replay.zone, restored: Tracker.Restored(),
      notBefore_ms: replay.track.start_ms - Replay.dateSlack_ms, isSynchronised: assumptions.clockKnown,
      geofences: replay.geofences, at: clock.moment)
    agent = Agent(
      tracker: tracker,
      ports: Ports(
        host: host, gps: receiver, power: receiver, storage: queue, upload: network, outlook: outlook,
        others: [ignition, control]))
  }

  /// The recording's time.
  var track_ms: Int64 { clock.now_ms + offset_ms }

  /// SIGTERM: everything is flushed, the GPS goes off.
  func stop() {
    control.isDue = true
    while !agent.isDone { agent.step() }
  }

  private static func identity(_ settings: Settings) -> StatusDocument.Identity {
    StatusDocument.Identity(
      device: settings.deviceID.isEmpty ? "replay" : settings.deviceID, version: Version.text,
      settingsHash: SettingsHash.of(settings), bootID: "00000000-0000-0000-0000-000000000000")
  }
}

/// SIGTERM, once it is due.
private final class OneStop: Source {
  var isDue = false
  var descriptors: [PollDescriptor] { [] }
  func receive(ready: [Int32]) -> [Event] { isDue ? [.stopping] : [] }
}

/// Nobody watches a replay.
final class SilentOutlook: OutlookPort {
  func log(_ level: RunSettings.LogLevel, _ text: String) {}
  func publish(_ status: TrackerStatus) {}
  func started() {}
  func stopping() {}
  func alive(at now: Moment) -> Int64? { nil }
}

extension Replay {
  var ignitionEdges: [RecordedTrack.IgnitionEdge] {
    switch assumptions.ignition {
    case .none: []
    case .recorded: track.ignition
    case .fromSpeed: IgnitionGuess.edges(of: track)
    }
  }
}
