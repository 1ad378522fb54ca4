import NIOCore
import NIOHTTPTypes

/// Watches one connection for ``ConnectionLimits``: what it waits for, and until when.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private struct Body {
    var began: NIODeadline
    var bytes = 0
  }

  private let limits: ConnectionLimits
  /// Requests whose answer has not ended.
  private var unanswered = 0
  /// The one that is on its way.
  private var body: Body?
  private var isFirst = true
  private var waitsSince = NIODeadline.distantPast
  /// Since when the other side has read nothing of an answer.
  private var unreadSince: NIODeadline?
  private var check: Scheduled<Void>?

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func channelActive(context: ChannelHandlerContext) {
    waitsSince = context.eventLoop.now
    limits.opened(context.channel)
    schedule(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    check?.cancel()
    limits.ended(context.channel)
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      isFirst = false
      unanswered += 1
      body = Body(began: context.eventLoop.now)
      limits.waits(context.channel, since: nil)
      schedule(context)
    case .body(let bytes):
      body?.bytes += bytes.readableBytes
      if let body, body.bytes > limits.bounds.mostBody_bytes { limits.close(context.channel, .longBody) }
    case .end:
      body = nil
      settle(context)
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      unanswered -= 1
      settle(context)
    }
    context.write(data, promise: promise)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    unreadSince = context.channel.isWritable ? nil : context.eventLoop.now
    schedule(context)
    context.fireChannelWritabilityChanged()
  }

  private func settle(_ context: ChannelHandlerContext) {
    if unanswered <= 0, body == nil {
      waitsSince = context.eventLoop.now
      limits.waits(context.channel, since: waitsSince)
    }
    schedule(context)
  }

  /// The next thing that is to happen, and when it is too late for it.
  private var due: (at: NIODeadline, cause: ConnectionLimits.Cause)? {
    let bounds = limits.bounds
    if let unreadSince { return (unreadSince + bounds.unread, .unread) }
    if let body {
      return (body.began + bounds.body + .seconds(Int64(body.bytes / bounds.bodyRate_Bps)), .slowBody)
    }
    if unanswered > 0 { return nil }
    return isFirst ? (waitsSince + bounds.head, .slowHead) : (waitsSince + bounds.idle, .idle)
  }

  private func schedule(_ context: ChannelHandlerContext) {
    check?.cancel()
    check = nil
    guard let due else { return }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    check = context.eventLoop.scheduleTask(deadline: due.at) {
      let (handler, context) = bound.value
      handler.look(context)
    }
  }

  private func look(_ context: ChannelHandlerContext) {
    guard let due else { return }
    if due.at <= context.eventLoop.now { limits.close(context.channel, due.cause) } else { schedule(context) }
  }
}
