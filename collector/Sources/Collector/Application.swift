import Foundation
import Hummingbird

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

  public init() {}
}

/// The whole server over an open store. `onReady` is called with the port once connections are taken.
public func makeCollector(
  store: Store, options: CollectorOptions, onReady: @escaping @Sendable (Int) -> Void = { _ in },
  now_ms: @escaping @Sendable () -> Int64 = wallClock_ms
) -> some ApplicationProtocol {
  let routes = Routes(store: store, uploadPath: options.uploadPath, now_ms: now_ms)
  return Application(
    router: routes.router(tokens: options.tokens, operators: options.operatorTokens),
    // A device that falls silent in mid-request gives its connection back.
    server: .http1(configuration: .init(idleTimeout: .seconds(120))),
    configuration: .init(
      address: .hostname(options.host, port: options.port), serverName: "godwit-collector"),
    onServerRunning: { channel in onReady(channel.localAddress?.port ?? options.port) })
}

public func wallClock_ms() -> Int64 {
  Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
}
