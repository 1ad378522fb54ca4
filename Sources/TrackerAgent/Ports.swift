import TrackerBase
import TrackerCore

// Every effect of the agent, on one page. A port does and decides nothing; what happens comes back as an
// event. The real ones wrap TrackerIO and are put together in the `godwit` command.

/// Something with descriptors that may have news.
public protocol Source: AnyObject {
  var descriptors: [PollDescriptor] { get }
  /// What has happened, given the descriptors that are ready. Never blocks.
  func receive(ready: [Int32]) -> [Event]
}

/// The GPS daemon's connection.
public protocol GPSPort: Source {
  /// - Returns: `.gpsLost` if it cannot be opened.
  func connect() -> Event?
  func disconnect()
  /// `.gpsFrame` is wanted while connected, or no longer.
  func hearFrames(_ on: Bool)
  /// To a receiver, by gpsd's path of it, in its own protocol.
  func send(_ frames: [UInt8], to device: String)
  /// What has arrived did not fit into one `receive`.
  var hasMore: Bool { get }
}

/// Where nothing stands behind that takes frames, as in a replay.
extension GPSPort {
  public var hasMore: Bool { false }
  public func hearFrames(_ on: Bool) {}
  public func send(_ frames: [UInt8], to device: String) {}
}

/// What switches the GPS module's power. One that takes its time is a `Source` too, and `.powerFailed` may come later.
public protocol PowerPort: AnyObject {
  /// - Returns: `.powerFailed` if that did not work.
  func set(_ on: Bool) -> Event?
  /// The process is about to end: waits for what was begun. - Returns: what went wrong, in words.
  func finish() -> String?
}

extension PowerPort {
  public func finish() -> String? { nil }
}

/// The queue on storage.
public protocol StoragePort: AnyObject {
  /// - Returns: `.committed` or `.commitFailed`, before it `.dropped` for what had to make room, and what else an
  ///   operator must know of.
  func commit(_ commit: Commit) -> [Event]
  /// - Returns: `.queueShrank`, before it `.queueFailed` if it could not be done. Records that could not be removed
  ///   are sent again, which the server notices.
  ///
  /// - Parameter server: as in `Event`.
  func remove(_ sequences: [Int64], server: Int) -> [Event]
  func quarantine(_ sequence: Int64, reason: String, server: Int) -> [Event]
  /// - Returns: `.queueIDChanged`, and what `remove` returns.
  func renumber(_ sequences: [Int64], renews: Bool) -> [Event]
  /// For the status, by server. Costs little, whatever waits.
  func figures() -> [QueueFigures]
}

extension StoragePort {
  /// Where nothing outlives the process, as in a replay.
  public func figures() -> [QueueFigures] { [] }
  /// Where no other box can have the same queue, as in a replay.
  public func renumber(_ sequences: [Int64], renews: Bool) -> [Event] { [] }
}

/// Where `RunState` survives the process, also one whose queue is damaged.
public protocol RunStatePort: AnyObject {
  /// On storage when it returns. - Returns: `.runStateNotSaved` if that did not work.
  func save(_ value: JSONValue) -> Event?
}

/// Where nothing outlives the process, as in a replay.
public final class NoRunStatePort: RunStatePort {
  public init() {}
  public func save(_ value: JSONValue) -> Event? { nil }
}

/// What commands of a server need beside the other ports.
public protocol CommandPort: AnyObject {
  /// On storage when it returns. - Returns: `.noted`.
  func note(_ value: JSONValue) -> CommandEvent
  /// The last lines of the log, without places. - Returns: `.reportRead`.
  func readReport(id: String, lines: Int) -> CommandEvent
  /// - Returns: `.quarantineRetried`, before it what became of the queue.
  func retryQuarantine(id: String) -> [Event]
  /// To an operator at the box.
  func answer(request: Int, _ answer: LocateAnswer)
}

/// What measures how the board is moved.
public protocol AccelerometerPort: Source {
  /// - Returns: `.acceleration` with what came of it.
  func perform(_ order: AccelerationOrder) -> [Event]
}

/// Where there is none.
public final class NoAccelerometerPort: AccelerometerPort {
  public init() {}
  public var descriptors: [PollDescriptor] { [] }
  public func receive(ready: [Int32]) -> [Event] { [] }
  public func perform(_ order: AccelerationOrder) -> [Event] { [] }
}

/// Tells the system that it should not be switched off now.
public protocol ShutdownPort: Source {
  /// - Parameter isWanted: called in each turn.
  func hold(_ isWanted: Bool)
}

/// Where nobody switches it off, as in a replay.
public final class NoShutdownPort: ShutdownPort {
  public init() {}
  public var descriptors: [PollDescriptor] { [] }
  public func receive(ready: [Int32]) -> [Event] { [] }
  public func hold(_ isWanted: Bool) {}
}

/// The board's own power, and what may keep it on.
public protocol BoardPort: Source {
  /// - Returns: `.board` with what came of it, if that is known at once.
  func perform(_ order: BoardOrder) -> [Event]
}

/// Where nothing ever sleeps, as in a replay.
public final class NoBoardPort: BoardPort {
  public init() {}
  public var descriptors: [PollDescriptor] { [] }
  public func receive(ready: [Int32]) -> [Event] { [] }
  public func perform(_ order: BoardOrder) -> [Event] { [] }
}

/// Where nobody sends any, as in a replay.
public final class NoCommandPort: CommandPort {
  public init() {}
  public func note(_ value: JSONValue) -> CommandEvent { .noted(problem: nil) }
  public func readReport(id: String, lines: Int) -> CommandEvent { .reportRead(id: id, lines: []) }
  public func retryQuarantine(id: String) -> [Event] {
    [.command(.quarantineRetried(id: id, records: 0, problem: nil))]
  }
  public func answer(request: Int, _ answer: LocateAnswer) {}
}

/// One request at a time to the server.
public protocol UploadPort: Source {
  /// Milliseconds after which `receive` must be called even if no descriptor is ready.
  var timeout_ms: Int? { get }
  /// A request has begun, and `.uploadFinished` is to come from `receive`.
  var isUnderWay: Bool { get }
  /// - Returns: `.uploadFinished` if that could not even begin.
  func start(_ order: UploadOrder, status: TrackerStatus?) -> Event?
  /// What came with the last reply is on storage: a broker that keeps it may forget it.
  func confirm()
}

extension UploadPort {
  public func confirm() {}
}

/// Whatever fetches a new token, `auth_command`. `.tokenCommandEnded` comes from `receive`.
public protocol TokenPort: Source {
  /// - Returns: `.tokenCommandEnded` if that could not even begin.
  func renew() -> Event?
}

/// What one server needs.
public struct ServerPorts {
  public var upload: any UploadPort
  public var token: any TokenPort

  public init(upload: any UploadPort, token: any TokenPort = NoTokenPort()) {
    self.upload = upload
    self.token = token
  }
}

/// Where there is no such command.
public final class NoTokenPort: TokenPort {
  public init() {}
  public var descriptors: [PollDescriptor] { [] }
  public func receive(ready: [Int32]) -> [Event] { [] }
  public func renew() -> Event? { nil }
}

/// Clocks, chance, waiting, and what the board says of itself.
public protocol HostPort: AnyObject {
  func now() -> Moment
  /// Of the board, for the status. Never waits.
  func figures(at now: Moment) -> HostStatus
  /// Of the agent's package, for the status; nil before any. Never waits.
  func update(at now: Moment) -> UpdateStatus?
  /// Evenly distributed in 0..<1.
  func chance() -> Double
  /// Sleeps until a descriptor is ready or the boot clock reaches the time; nil waits for descriptors alone.
  func wait(for descriptors: [PollDescriptor], until boot_ms: Int64?) -> [Int32]
}

/// Where there is no board.
extension HostPort {
  public func figures(at now: Moment) -> HostStatus { HostStatus() }
  public func update(at now: Moment) -> UpdateStatus? { nil }
}

/// What operators and systemd see.
public protocol StatusPort: AnyObject {
  func log(_ level: RunSettings.LogLevel, _ text: String)
  func publish(_ status: TrackerStatus)
  func started()
  func stopping()
  /// The loop has turned: feed the watchdog if it is time.
  ///
  /// - Parameter gpsIsOn: a loop that hangs now must be noticed in time to switch the GPS off.
  /// - Returns: boot time of the next feeding.
  func alive(at now: Moment, gpsIsOn: Bool) -> Int64?
}

/// The settings file, read anew on SIGHUP. What was found comes as an event.
public protocol SettingsPort: AnyObject {
  /// - Returns: what the tracker is to adopt, and the ports for it; nil if no settings wait to be applied.
  func applied() -> (Configuration, Ports)?
}

/// Settings that the server has set.
public protocol OverlayPort: AnyObject {
  /// - Returns: `.overlay(.checked)`.
  func check(_ overlay: Overlay) -> Event
  /// On storage when it returns. - Returns: `.overlay(.saved)`.
  func save(_ state: OverlayState) -> Event
  /// - Returns: `.settingsRead`, or `.overlay(.notUsed)` where nothing waits to be applied.
  func use(_ overlay: Overlay?) -> Event
}

/// Where no server sends any, as in a replay.
public final class NoOverlayPort: OverlayPort {
  public init() {}
  public func check(_ overlay: Overlay) -> Event { .overlay(.checked(problem: "none is taken here")) }
  public func save(_ state: OverlayState) -> Event { .overlay(.saved(problem: nil)) }
  public func use(_ overlay: Overlay?) -> Event { .overlay(.notUsed("none is taken here")) }
}

/// The agent's connections to the world.
public struct Ports {
  public var host: any HostPort
  public var gps: any GPSPort
  public var power: any PowerPort
  public var storage: any StoragePort
  public var runState: any RunStatePort
  public var commands: any CommandPort = NoCommandPort()
  public var accelerometer: any AccelerometerPort = NoAccelerometerPort()
  public var shutdown: any ShutdownPort = NoShutdownPort()
  public var board: any BoardPort = NoBoardPort()
  /// In the tracker's order: that of `[sync]` first.
  public var servers: [ServerPorts]
  public var statusPort: any StatusPort
  public var settings: (any SettingsPort)?
  public var overlay: any OverlayPort
  /// Signals, clock steps, the network, the control socket: anything that only brings news.
  public var others: [any Source]

  public init(
    host: any HostPort, gps: any GPSPort, power: any PowerPort, storage: any StoragePort,
    runState: any RunStatePort = NoRunStatePort(), servers: [ServerPorts], statusPort: any StatusPort,
    settings: (any SettingsPort)? = nil, overlay: any OverlayPort = NoOverlayPort(), others: [any Source]
  ) {
    self.host = host
    self.gps = gps
    self.power = power
    self.storage = storage
    self.runState = runState
    self.servers = servers
    self.statusPort = statusPort
    self.settings = settings
    self.overlay = overlay
    self.others = others
  }
}
