import Foundation
import NIOCore
import NIOPosix

/// Makes connections. Everything that happens to one is an event with its number; nothing is decided here.
struct MQTTLink: Sendable {
  enum Event: Sendable {
    case connected(any Channel)
    case bytes(ByteBuffer)
    case ended(MQTTLoss)
  }

  /// Of which a request to connect has its deadline.
  static let connect_s: Int64 = 15

  /// Nil: no broker is encrypted.
  let tls: TLSContext?

  /// Nothing is read before it is asked for.
  func connect(to broker: MQTTBroker, _ happened: @escaping @Sendable (Event) -> Void) {
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(.seconds(Self.connect_s))
      .channelOption(ChannelOptions.autoRead, value: false)
      .channelOption(ChannelOptions.socketOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if broker.isEncrypted, let tls {
            let session = try TLSSession(client: tls, host: broker.host)
            try channel.pipeline.syncOperations.addHandler(TLSHandler(session))
          }
          try channel.pipeline.syncOperations.addHandler(MQTTHandler(happened))
        }
      }
    bootstrap.connect(host: broker.host, port: broker.port).whenComplete { result in
      switch result {
      case .success(let channel): happened(.connected(channel))
      case .failure(let error): happened(.ended(.cannotConnect(Self.words(error))))
      }
    }
  }

  fileprivate static func words(_ error: any Error) -> String {
    switch error {
    case let error as IOError: String(cString: strerror(error.errnoCode))
    case let error as NIOConnectionError:
      error.connectionErrors.first.map { words($0.error) } ?? "the name has no address"
    default: "\(error)"
    }
  }
}

/// Passes on what a connection brings.
private final class MQTTHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let happened: @Sendable (MQTTLink.Event) -> Void

  init(_ happened: @escaping @Sendable (MQTTLink.Event) -> Void) { self.happened = happened }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { happened(.bytes(unwrapInboundIn(data))) }

  func channelInactive(context: ChannelHandlerContext) { happened(.ended(.closed)) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    happened(.ended(.broken(MQTTLink.words(error))))
    context.close(promise: nil)
  }
}
