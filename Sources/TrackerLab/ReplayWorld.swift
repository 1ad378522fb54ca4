import TrackerAgent
import TrackerBase
import TrackerCore
import TrackerWire

/// The device's surroundings, put together.
final class ReplayWorld {
  let clock: VirtualClock
  let receiver: VirtualReceiver
  let queue = MemoryQueue()
  let network: VirtualNetwork
  let board: VirtualBoard
  let agent: Agent
  /// Its id.
  let device: String
  let offset_ms: Int64
  private let control = OneStop()

  init(_ replay: Replay) {
    let assumptions = replay.assumptions
    offset_ms = replay.track.start_ms - Replay.lead_ms
    clock = VirtualClock(wall_ms: offset_ms)
    receiver = VirtualReceiver(
      track: replay.track, assumptions: assumptions, clock: clock, offset_ms: offset_ms)
    let identity = ReplayWorld.identity(replay.settings)
    device = identity.device
    network = VirtualNetwork(
      queue: queue, clock: clock, assumptions: assumptions.network, format: replay.settings.sync.format,
      outages: replay.outages, identity: identity, offset_ms: offset_ms)
    let ignition = VirtualEvents(
      replay.ignitionEdges.map { ($0.at_ms, .ignition(on: $0.isOn)) }, clock: clock, offset_ms: offset_ms)
    let modem = VirtualEvents(
      replay.cells.map { ($0.at_ms, .link([Modem(cell: $0.cell)])) }, clock: clock, offset_ms: offset_ms)
    let host = VirtualHost(
      clock: clock, happenings: [receiver, network, ignition, modem], seed: UInt64(assumptions.network.seed),
      end_ms: replay.track.end_ms - offset_ms)
    let board = VirtualBoard(
      assumptions.board, starts_ms: replay.starts_ms(offset_ms: offset_ms), clock: clock)
    self.board = board
    host.asleepUntil_ms = { board.asleepUntil_ms }
    let tracker = Tracker(
      Configuration(
        settings: replay.settings.onModelBoard, schedule: replay.schedule, zone: replay.zone,
        geofences: replay.geofences), restored: Tracker.Restored(),
      notBefore_ms: replay.track.start_ms - Replay.dateSlack_ms, isSynchronised: assumptions.clockKnown,
      at: clock.moment)
    var ports = Ports(
      host: host, gps: receiver, power: receiver, storage: queue,
      servers: [ServerPorts(upload: network)], statusPort: UnwatchedStatus(),
      others: [ignition, modem, control])
    ports.board = board
    agent = Agent(tracker: tracker, ports: ports)
  }

  /// The recording's time.
  var track_ms: Int64 { clock.now_ms + offset_ms }

  /// SIGTERM: everything is flushed, the GPS goes off.
  func stop() {
    board.end()
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
private final class UnwatchedStatus: StatusPort {
  func log(_ level: RunSettings.LogLevel, _ text: String) {}
  func publish(_ status: TrackerStatus) {}
  func started() {}
  func stopping() {}
  func alive(at now: Moment, gpsIsOn: Bool) -> Int64? { nil }
}
