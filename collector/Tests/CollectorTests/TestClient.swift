import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import ServiceLifecycle

/// What a server has answered.
struct TestResponse: Sendable {
  var head: HTTPResponse
  var body = ByteBuffer()

  var status: HTTPResponse.Status { head.status }
  var headers: HTTPFields { head.headerFields }
}

/// A client of a server on this machine, with a connection for each request. It sends the path and the headers as they
/// are, and neither follows redirects nor decompresses.
///
/// It is patient: a password's hash takes seconds in a debug build, and more when others use the machine.
struct TestClient: Sendable {
  let port: Int

  func execute(
    uri: String, method: HTTPRequest.Method, authority: String = "localhost", headers: HTTPFields = [:],
    body: ByteBuffer? = nil
  ) async throws -> TestResponse {
    var headers = headers
    if let body { headers[.contentLength] = String(body.readableBytes) }
    let head = HTTPRequest(
      method: method, scheme: "http", authority: authority, path: uri, headerFields: headers)
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let response = loop.makePromise(of: TestResponse.self)
    let connection = ClientBootstrap(group: loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        let operations = channel.pipeline.syncOperations
        try operations.addHTTPClientHandlers()
        try operations.addHandlers([
          HTTP1ToHTTPClientCodec(), Exchange(head: head, body: body ?? ByteBuffer(), response: response),
        ])
      }
    }.connect(host: "127.0.0.1", port: port)
    connection.whenFailure { response.fail($0) }
    let deadline = loop.scheduleTask(in: .seconds(300)) { response.fail(TestClientError.timedOut) }
    defer {
      deadline.cancel()
      connection.whenSuccess { $0.close(promise: nil) }
    }
    return try await response.futureResult.get()
  }
}

enum TestClientError: Error {
  case timedOut
  /// The connection has ended in front of the end of the response.
  case cutOff
  /// The application has ended before it listened.
  case notServing
}

/// Sends one request and collects its response.
private final class Exchange: ChannelInboundHandler {
  typealias InboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPRequestPart

  private let (head, body): (HTTPRequest, ByteBuffer)
  private let response: EventLoopPromise<TestResponse>
  private var soFar: TestResponse?

  init(head: HTTPRequest, body: ByteBuffer, response: EventLoopPromise<TestResponse>) {
    (self.head, self.body, self.response) = (head, body, response)
  }

  func channelActive(context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if body.readableBytes > 0 { context.write(wrapOutboundOut(.body(body)), promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    // "100 Continue" is not the response.
    case .head(let head): if head.status.kind != .informational { soFar = TestResponse(head: head) }
    case .body(let bytes): soFar?.body.writeImmutableBuffer(bytes)
    case .end: if let soFar { response.succeed(soFar) }
    }
  }

  func channelInactive(context: ChannelHandlerContext) { response.fail(TestClientError.cutOff) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { response.fail(error) }
}

extension ApplicationProtocol {
  /// Serves on a free port of this machine as long as the closure runs.
  func test<Value>(_ body: (TestClient) async throws -> Value) async throws -> Value {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let services = ServiceGroup(services: [TestedApplication(base: self, port: port)], logger: logger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { port.finish() }
        try await services.run()
      }
      guard let port = await ports.first(where: { _ in true }) else {
        try await group.waitForAll()
        throw TestClientError.notServing
      }
      let result: Result<Value, any Error>
      do { result = .success(try await body(TestClient(port: port))) } catch { result = .failure(error) }
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
      return try result.get()
    }
  }
}

/// An application on a free port, which it reports.
private struct TestedApplication<Base: ApplicationProtocol>: ApplicationProtocol {
  let base: Base
  let port: AsyncStream<Int>.Continuation

  var responder: Base.Responder { get async throws { try await base.responder } }
  var server: HTTPServerBuilder { base.server }
  var eventLoopGroup: any EventLoopGroup { base.eventLoopGroup }
  var configuration: ApplicationConfiguration {
    base.configuration.with(address: .hostname("127.0.0.1", port: 0))
  }
  var logger: Logger { base.logger }
  var services: [any Service] { base.services }
  var processesRunBeforeServerStart: [@Sendable () async throws -> Void] {
    base.processesRunBeforeServerStart
  }

  @Sendable func onServerRunning(_ channel: any Channel) async {
    await base.onServerRunning(channel)
    port.yield(channel.localAddress?.port ?? 0)
  }
}
