import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers `Expect: 100-continue` (RFC 9110, 10.1.1): such a client waits for it, most for a second, before it sends the
/// body. A body that is too large is not asked for: the client gets the refusal in its place.
final class ContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Requests that have begun and are not answered.
  private var open = 0
  /// The last of them waits for the answers before its own.
  private var isDue = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let request) = unwrapInboundIn(data) {
      open += 1
      isDue = Self.expects(request)
      sendIfDue(context)
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    context.write(data, promise: promise)
    guard case .end = unwrapOutboundIn(data) else { return }
    open -= 1
    sendIfDue(context)
  }

  private func sendIfDue(_ context: ChannelHandlerContext) {
    guard isDue, open == 1 else { return }
    isDue = false
    context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
  }

  private static func expects(_ request: HTTPRequest) -> Bool {
    let length_bytes = request.headerFields[.contentLength].flatMap { Int($0) } ?? 0
    return request.headerFields[.expect]?.lowercased() == "100-continue"
      && length_bytes <= Routes.maxBody_bytes
  }
}
