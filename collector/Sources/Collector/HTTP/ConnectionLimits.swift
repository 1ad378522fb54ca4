import Glibc
import Logging
import NIOCore

/// Bounds on connections, so that no sender takes the collector away from the others.
///
/// When there are too many, the one that has waited longest for a request is closed: a device or a browser makes a new
/// one for its next request. One that serves a request stays.
final class ConnectionLimits: Sendable {
  struct Bounds: Sendable {
    var most = 8192
    /// Of one subscriber. Not less, since all devices of a mobile network may come from one address.
    var mostOfSubscriber: Int { most / 4 }
    /// The head of the first request is there within so long.
    var head = TimeAmount.seconds(30)
    /// A body is there within so long, and a second more for each `bodyRate_Bps` bytes that have come.
    var body = TimeAmount.seconds(30)
    var bodyRate_Bps = 500
    /// A body longer than this ends its connection, whoever reads it.
    var mostBody_bytes = 2 * Routes.maxBody_bytes
    /// Between two requests.
    var idle = TimeAmount.seconds(120)
    /// Whoever reads nothing of an answer for so long is gone.
    var unread = TimeAmount.seconds(60)
  }

  /// Why a connection was closed or not taken.
  enum Cause: String, CaseIterable {
    case slowHead = "slow_head"
    case slowBody = "slow_body"
    case longBody = "long_body"
    case idle
    case unread
    /// Another one needed its place.
    case madeRoom = "made_room"
    /// All others served a request.
    case full
    /// The process had no descriptor left.
    case noDescriptor = "no_descriptor"
  }

  private struct Entry {
    var channel: any Channel
    /// Nil: one of this machine, such as a proxy's.
    var subscriber: [UInt8]?
    /// Nil while it serves a request.
    var waitsSince: NIODeadline?
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var bySubscriber: [[UInt8]: Int] = [:]
    var closed: [Cause: Int] = [:]
    var said: [Cause: NIODeadline] = [:]
  }

  let bounds: Bounds
  private let state = Locked(State())
  private let logger: Logger

  init(_ bounds: Bounds = Bounds(), logger: Logger = Logger(label: "godwit-collector")) {
    (self.bounds, self.logger) = (bounds, logger)
  }

  /// A connection has come. It is closed again where there is no room.
  func opened(_ channel: any Channel) {
    let peer = PeerAddress(channel.remoteAddress)
    let subscriber = peer?.isLoopback == false ? peer?.subscriber : nil
    let id = ObjectIdentifier(channel)
    let (victim, hasRoom) = state.with { state -> ((any Channel)?, Bool) in
      state.entries[id] = Entry(channel: channel, subscriber: subscriber, waitsSince: channel.eventLoop.now)
      if let subscriber { state.bySubscriber[subscriber, default: 0] += 1 }
      let tooManyOfOne =
        subscriber.map { state.bySubscriber[$0, default: 0] > bounds.mostOfSubscriber } ?? false
      guard tooManyOfOne || state.entries.count > bounds.most else { return (nil, true) }
      let victim = Self.waiting(in: state, of: tooManyOfOne ? subscriber : nil, besides: id)
        .min(by: Self.waitsLonger)?.channel
      return (victim, victim != nil)
    }
    if let victim { close(victim, .madeRoom) }
    if !hasRoom { close(channel, .full) }
  }

  /// Those that serve no request.
  private static func waiting(
    in state: State, of subscriber: [UInt8]? = nil, besides id: ObjectIdentifier? = nil
  ) -> [Entry] {
    state.entries.filter {
      $0.key != id && $0.value.waitsSince != nil && (subscriber == nil || $0.value.subscriber == subscriber)
    }
    .map(\.value)
  }

  private static func waitsLonger(_ one: Entry, than other: Entry) -> Bool {
    (one.waitsSince ?? .distantFuture) < (other.waitsSince ?? .distantFuture)
  }

  func waits(_ channel: any Channel, since: NIODeadline?) {
    state.with { $0.entries[ObjectIdentifier(channel)]?.waitsSince = since }
  }

  func ended(_ channel: any Channel) { forget(channel) }

  func close(_ channel: any Channel, _ cause: Cause) {
    count(cause)
    forget(channel)
    channel.close(promise: nil)
  }

  private func forget(_ channel: any Channel) {
    state.with { state in
      guard let subscriber = state.entries.removeValue(forKey: ObjectIdentifier(channel))?.subscriber,
        let count = state.bySubscriber[subscriber]
      else { return }
      state.bySubscriber[subscriber] = count > 1 ? count - 1 : nil
    }
  }

  /// The system refused to take a connection. A quarter of those that wait give their descriptors back: the next try is
  /// a second away, and one a second would let a new sender wait as many seconds as there are others before it.
  func notAccepted(_ error: any Error) {
    let waiting = state.with { Self.waiting(in: $0) }.sorted(by: Self.waitsLonger)
    count(.noDescriptor, error)
    for victim in waiting.prefix((waiting.count + 3) / 4) { close(victim.channel, .madeRoom) }
  }

  /// Strangers who stop in mid-request are everyday; want of room is not.
  private func count(_ cause: Cause, _ error: (any Error)? = nil) {
    let now = NIODeadline.now()
    let count = state.with { state -> Int? in
      state.closed[cause, default: 0] += 1
      let isNew = state.said[cause].map { now - $0 >= .minutes(1) } ?? true
      switch cause {
      case .slowHead, .slowBody, .longBody, .idle, .unread: return nil
      case .madeRoom, .full, .noDescriptor:
        if isNew { state.said[cause] = now }
        return isNew ? state.closed[cause] : nil
      }
    }
    guard let count else { return }
    logger.warning("\(Self.words(cause, error)); \(count) since the start")
  }

  private static func words(_ cause: Cause, _ error: (any Error)?) -> String {
    switch cause {
    case .noDescriptor:
      "a connection cannot be accepted\(error.map { " (\($0))" } ?? ""): raise LimitNOFILE= of the service"
    case .full: "a connection is refused: all connections that are allowed serve requests"
    case .madeRoom, .slowHead, .slowBody, .longBody, .idle, .unread:
      "too many connections: the one that waited longest is closed"
    }
  }

  var metrics: String {
    let (open, closed) = state.with { ($0.entries.count, $0.closed) }
    return MetricText.family(
      "godwit_collector_connections", "gauge", "Connections that are open.", [("", String(open))])
      + MetricText.family(
        "godwit_collector_connections_closed_total", "counter",
        "Connections that the collector has closed or not taken, by cause.",
        Cause.allCases.map { ("{cause=\"\($0.rawValue)\"}", String(closed[$0] ?? 0)) })
  }
}

/// Reports what goes wrong while connections are accepted. NIO itself waits a second then, and tries again.
final class AcceptErrorHandler: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private let limits: ConnectionLimits

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    limits.notAccepted(error)
    context.fireErrorCaught(error)
  }
}

extension CollectorOptions {
  /// Raises the limit of descriptors where the system lets it, and bounds the connections to three quarters of it: the
  /// database, webhooks and files need the rest.
  public mutating func takeDescriptors() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = min(max(limit.rlim_cur, 16_384), limit.rlim_max)
    if wanted > limit.rlim_cur {
      var raised = limit
      raised.rlim_cur = wanted
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    }
    connections.most = min(connections.most, Int(clamping: limit.rlim_cur) / 4 * 3)
  }
}
