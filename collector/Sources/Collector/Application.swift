import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import ServiceLifecycle

/// Where the collector listens and whom it lets in.
public struct CollectorOptions: Sendable {
  public var host = "127.0.0.1"
  /// 0 takes any free port.
  public var port = 8080
  /// Where the devices post.
  public var uploadPath = "/v1/locations"
  /// Nil lets everybody in.
  public var tokens: Tokens?
  /// Who may change what devices do. Nil: nobody, or everybody where everybody is let in.
  public var operatorTokens: Tokens?
  /// Devices bring tokens of their own, also where there are none for all.
  public var deviceTokens = false
  /// A vehicle from which nothing has come for longer counts as silent.
  public var silentAfter_ms = FleetClock.usual_ms
  /// A vehicle with an older version counts as old. Nil: none does.
  public var targetVersion: AgentVersion?
  public var pages = PageFiles()
  public var map = MapSource()
  /// Names of towns; nil: places are named by geofences alone.
  public var gazetteer: Gazetteer?
  /// The settings of devices, for the form; nil: settings are set as JSON alone.
  public var schema: SettingsSchema?
  /// Nil: there is no "what if".
  public var simulator: Simulator?
  /// Nil: plain HTTP.
  public var tls: TLSCertificate?
  /// Records are deleted so many days after they came; what a device has of its own counts before this. Nil: never.
  public var keepDays: Int?
  /// No record is deleted before all of its month may be.
  public var deletesWholeMonths = false
  /// The command that takes mails for webhooks; nil: none are sent.
  public var sendmail: String?
  var retries = RetryLaw()
  /// Where operators on this machine may speak to the collector without a token; nil: nowhere.
  public var controlSocket: String?
  /// Nil: devices send over HTTP alone.
  public var mqtt: MQTTOptions?
  var passwordCost = PasswordHash.Cost()
  var connections = ConnectionLimits.Bounds()
  /// See `Routes.beat`.
  var beat = Duration.seconds(15)

  public init() {}

  var keepLaw: KeepLaw { KeepLaw(usualDays: keepDays, byMonth: deletesWholeMonths) }
}

/// Whom the paths of a server are open to.
struct Access {
  /// Of devices and readers.
  var tokens: Tokens?
  var operators: Tokens?
  var asksForTokens: Bool
  /// Who may reach that is decided by the file system.
  var isControlSocket = false

  static let controlSocket = Access(asksForTokens: false, isControlSocket: true)
}

/// The whole server over an open store. `onReady` is called with the port once connections are taken.
public func makeCollector(
  store: Store, options: CollectorOptions, onReady: @escaping @Sendable (Int) -> Void = { _ in },
  now_ms: @escaping @Sendable () -> Int64 = wallClock_ms
) -> some ApplicationProtocol {
  var routes = Routes(
    store: store, uploadPath: options.uploadPath,
    fleet: FleetReader(
      store: store, places: Places(options.gazetteer), silentAfter_ms: options.silentAfter_ms,
      targetVersion: options.targetVersion, now_ms: now_ms),
    pages: options.pages, map: options.map, schema: options.schema, simulator: options.simulator,
    keepDays: options.keepDays, now_ms: now_ms, beat: options.beat,
    passwords: PasswordDesk(cost: options.passwordCost),
    knownPasswords: PasswordDesk(cost: options.passwordCost))
  let connections = ConnectionLimits(options.connections)
  routes.connections = connections
  routes.feed.connect(to: store)
  let mqtt = options.mqtt.map { MQTTIngest($0, intake: routes.intake) }
  routes.mqtt = mqtt?.figures
  let deliverer = Deliverer(
    law: options.retries, store: store, bell: routes.bell, silentAfter_ms: options.silentAfter_ms,
    web: HTTPOutlet(),
    mail: options.sendmail.map { MailOutlet(sendmail: $0) }, now_ms: now_ms)
  let ready = Readiness(of: options.controlSocket == nil ? 1 : 2, then: onReady)
  let control: (any Service)? = options.controlSocket.map {
    makeControl(routes: routes, socket: $0, onReady: { ready.one() })
  }
  let access = Access(
    tokens: options.tokens, operators: options.operatorTokens,
    asksForTokens: options.tokens != nil || options.deviceTokens)
  return Application(
    router: routes.router(access), server: makeServer(options.tls, connections, now_ms: now_ms),
    configuration: .init(
      address: .hostname(options.host, port: options.port), serverName: "godwit-collector"),
    services: [
      deliverer, Keeper(store: store, law: options.keepLaw, now_ms: now_ms),
      FleetTeller(feed: routes.feed, fleet: routes.fleet),
    ]
      + (control.map { [$0] } ?? []) + (mqtt.map { [$0] } ?? []),
    onServerRunning: { channel in
      // It can fail only where the server has ended already.
      try? await channel.eventLoop.submit {
        try channel.pipeline.syncOperations.addHandler(AcceptErrorHandler(connections), position: .first)
      }.get()
      ready.one(port: channel.localAddress?.port ?? options.port)
    })
}

/// Says that connections are taken once the port and the control socket both do: whoever reads it may use either.
private final class Readiness: Sendable {
  private let state: Locked<(missing: Int, port: Int)>
  private let then: @Sendable (Int) -> Void

  init(of count: Int, then: @escaping @Sendable (Int) -> Void) {
    state = Locked((count, 0))
    self.then = then
  }

  func one(port: Int? = nil) {
    let whole = state.with { state in
      state = (state.missing - 1, port ?? state.port)
      return state.missing == 0 ? state.port : nil
    }
    if let port = whole { then(port) }
  }
}

private func makeServer(
  _ tls: TLSCertificate?, _ connections: ConnectionLimits, now_ms: @escaping @Sendable () -> Int64
) -> HTTPServerBuilder {
  let head_bytes = 16 << 10
  let configuration = HTTP1Channel.Configuration(
    additionalChannelHandlers: [ConnectionHandler(connections), ContinueHandler()],
    httpDecoderConfiguration: .init(
      maxHeaderFieldSize: head_bytes, maxHeaderListSize: head_bytes, maxHeaderFieldCount: 100))
  guard let tls else { return .http1(configuration: configuration) }
  return HTTPServerBuilder { responder in
    TLSServerChannel(
      base: HTTP1Channel(responder: responder, configuration: configuration), certificate: tls, now_ms: now_ms
    )
  }
}

/// The control socket alone, for a command while no collector runs.
public func makeControl(
  store: Store, socket: String, onReady: @escaping @Sendable () -> Void,
  now_ms: @escaping @Sendable () -> Int64 = wallClock_ms
) -> any Service {
  makeControl(
    routes: Routes(
      store: store, uploadPath: CollectorOptions().uploadPath,
      fleet: FleetReader(store: store, places: Places(nil), now_ms: now_ms), now_ms: now_ms),
    socket: socket, log: .error, onReady: onReady)
}

/// All that the collector can do, for whoever may open the socket. It replaces one that a killed collector has left.
private func makeControl(
  routes: Routes, socket: String, log level: Logger.Level = .notice,
  onReady: @escaping @Sendable () -> Void = {}
) -> any Service {
  unlink(socket)
  var logger = Logger(label: "godwit-collector") { ControlLog(base: .standardError(label: $0)) }
  logger.logLevel = level
  return Application(
    router: routes.router(.controlSocket), server: .http1(configuration: .init(idleTimeout: .seconds(120))),
    configuration: .init(address: .unixDomainSocket(path: socket), serverName: "godwit-collector"),
    onServerRunning: { _ in onReady() }, logger: logger)
}

/// What is done over the socket, and nothing of how the socket itself fares: the server's own log has that.
private struct ControlLog: LogHandler {
  var base: StreamLogHandler

  func log(event: LogEvent) {
    if !event.source.hasPrefix("Hummingbird") { base.log(event: event) }
  }

  var metadata: Logger.Metadata {
    get { base.metadata }
    set { base.metadata = newValue }
  }
  var logLevel: Logger.Level {
    get { base.logLevel }
    set { base.logLevel = newValue }
  }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { base[metadataKey: key] }
    set { base[metadataKey: key] = newValue }
  }
}

public func wallClock_ms() -> Int64 {
  Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
}
