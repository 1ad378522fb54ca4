import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import Collector

/// A certificate that has signed itself, so that it is its own authority: PEM files.
struct TestCertificate {
  let certificate: String
  let key: String

  /// - Parameter names: as OpenSSL writes subjectAltName.
  init(
    _ name: String, in folder: URL, for names: String = "DNS:localhost,IP:127.0.0.1", isExpired: Bool = false
  ) throws {
    (certificate, key) = (folder.path + "/\(name).pem", folder.path + "/\(name).key")
    let request =
      ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key]
      + ["-subj", "/CN=\(name)"]
    guard isExpired else {
      try Self.openssl(
        request + ["-x509", "-days", "2", "-addext", "subjectAltName=\(names)", "-out", certificate])
      return
    }
    // "req" refuses an end in the past.
    try Self.openssl(request + ["-out", certificate + ".request"])
    try Self.openssl(
      ["x509", "-req", "-in", certificate + ".request", "-signkey", key, "-days", "-1", "-out", certificate])
  }

  private static func openssl(_ arguments: [String]) throws {
    let openssl = Process()
    openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    openssl.arguments = arguments
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    try #require(openssl.terminationStatus == 0)
  }

  var server: TLSContext { get throws { try .server(certificate: certificate, key: key) } }
  var client: TLSContext { get throws { try .client(authority: certificate) } }
}

/// What one end of a connection has met.
enum EndEvent: Sendable, Equatable {
  case active
  case bytes(ByteBuffer)
  case error(String)
  case inputClosed
  case inactive
}

/// One end of a connection, in plain bytes. A channel that does not read by itself reads when it has taken the last bytes.
final class End: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let happened: @Sendable (EndEvent, any Channel) -> Void

  init(_ happened: @escaping @Sendable (EndEvent, any Channel) -> Void) { self.happened = happened }

  func channelActive(context: ChannelHandlerContext) { happened(.active, context.channel) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    happened(.bytes(unwrapInboundIn(data)), context.channel)
  }

  func channelInactive(context: ChannelHandlerContext) { happened(.inactive, context.channel) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    happened(.error("\(error)"), context.channel)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { happened(.inputClosed, context.channel) }
  }
}

/// A server with TLS on a free port of this machine. `events` are those of all its connections.
struct TLSTestServer {
  let channel: any Channel
  let events: AsyncStream<EndEvent>

  /// - Parameters:
  ///   - echoes: sends back what comes.
  ///   - reads: else what comes stays with the system.
  init(
    echoes: Bool = true, reads: Bool = true, staysHalfOpen: Bool = false,
    _ context: @escaping @Sendable () throws -> TLSContext
  ) async throws {
    let (events, continuation) = AsyncStream.makeStream(of: EndEvent.self)
    self.events = events
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: staysHalfOpen)
      .childChannelOption(ChannelOptions.autoRead, value: reads)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            TLSHandler(TLSSession(server: context())),
            End { event, channel in
              if echoes, case .bytes(let bytes) = event { channel.writeAndFlush(bytes, promise: nil) }
              continuation.yield(event)
            },
          ])
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var port: Int { channel.localAddress?.port ?? 0 }
}

/// A client with TLS of a server on this machine, as MQTT is one.
struct TLSTestClient {
  let channel: any Channel
  let events: AsyncStream<EndEvent>
  let greeted: EventLoopFuture<Void>

  /// - Parameter greeting: is written before the handshake.
  init(
    _ context: TLSContext, host: String = "localhost", port: Int, readsByItself: Bool = false,
    greeting: String = ""
  ) async throws {
    let (events, continuation) = AsyncStream.makeStream(of: EndEvent.self)
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let written = loop.makePromise(of: Void.self)
    (self.events, greeted) = (events, written.futureResult)
    channel = try await ClientBootstrap(group: loop)
      .channelOption(ChannelOptions.autoRead, value: readsByItself)
      .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            TLSHandler(TLSSession(client: context, host: host)),
            End { event, channel in
              continuation.yield(event)
              if event == .active { channel.writeAndFlush(ByteBuffer(string: greeting), promise: written) }
              if !readsByItself { channel.read() }
            },
          ])
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
  }

  /// Waits until so many bytes have come.
  func read(_ count: Int) async -> [UInt8] {
    var bytes: [UInt8] = []
    for await event in events {
      if case .bytes(let more) = event { bytes += more.readableBytesView }
      if bytes.count >= count { break }
    }
    return bytes
  }
}

extension AsyncStream<EndEvent> {
  /// The first error; nil: the connection ended without one.
  func firstError() async -> String? {
    for await event in self {
      if case .error(let words) = event { return words }
      if event == .inactive { return nil }
    }
    return nil
  }
}
