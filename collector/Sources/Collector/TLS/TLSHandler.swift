import NIOCore

/// Encrypts and decrypts what one connection carries. Handlers behind it see plain bytes.
///
/// Writes wait until the handshake is complete. If it fails, their promises fail with its ``TLSFailure``, the handlers
/// behind get the failure as an error, and the connection closes. A connection that ends without close_notify is not an
/// error, because HTTP and MQTT notice by themselves when a message is cut off.
final class TLSHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private typealias Write = (bytes: ByteBuffer, promise: EventLoopPromise<Void>?)

  private enum State {
    case handshaking(waiting: [Write])
    case open
    /// This side has sent its last byte. The other side may go on.
    case outputClosed
    case closed
  }

  private let session: TLSSession
  private var state = State.handshaking(waiting: [])
  /// The other side has sent its last byte.
  private var isInputClosed = false
  /// The handlers behind have asked for bytes and have got none since.
  private var isReadDue = false

  init(_ session: TLSSession) { self.session = session }

  // MARK: Beginning and end

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { begin(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  private func begin(_ context: ChannelHandlerContext) {
    advance(context)
    context.read()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end(failing: ChannelError.ioOnClosedChannel) }

  func channelInactive(context: ChannelHandlerContext) {
    if case .handshaking = state { fail(context, .closedInHandshake) }
    state = .closed
    context.fireChannelInactive()
  }

  /// Closes without another word to the other side than an alert of OpenSSL.
  private func fail(_ context: ChannelHandlerContext, _ failure: TLSFailure) {
    if case .closed = state { return }
    end(failing: failure)
    sendOutput(context)
    context.fireErrorCaught(failure)
    context.close(promise: nil)
  }

  private func end(failing error: any Error) {
    let ended = state
    state = .closed
    guard case .handshaking(let waiting) = ended else { return }
    for write in waiting { write.promise?.fail(error) }
  }

  // MARK: From the other side

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    // OpenSSL reads nothing after close_notify, so its buffer would only grow.
    while !isInputClosed,
      let piece = bytes.readSlice(length: min(bytes.readableBytes, TLSSession.piece_bytes)),
      piece.readableBytes > 0
    {
      session.receive(piece)
      advance(context)
    }
  }

  /// Does what the bytes so far allow: the handshake first, and then reading.
  private func advance(_ context: ChannelHandlerContext) {
    var plain = ByteBuffer()
    do throws(TLSFailure) {
      guard try isHandshakeComplete(context) else { return sendOutput(context) }
      let goesOn = try session.read(into: &plain)
      // Only a refused renegotiation (TLS 1.2) answers what is read. OpenSSL would refuse without end.
      if session.hasOutput { throw TLSFailure(description: "TLS: the other side wants to renegotiate") }
      deliver(plain, context)
      if !goesOn { inputClosed(context) }
    } catch {
      deliver(plain, context)
      fail(context, error)
    }
  }

  private func isHandshakeComplete(_ context: ChannelHandlerContext) throws(TLSFailure) -> Bool {
    switch state {
    case .open, .outputClosed: return true
    case .closed: return false
    case .handshaking(let waiting):
      guard try session.handshake() else { return false }
      state = .open
      sendOutput(context)
      for write in waiting { send(write, context) }
      context.flush()
      return true
    }
  }

  private func deliver(_ plain: ByteBuffer, _ context: ChannelHandlerContext) {
    guard plain.readableBytes > 0 else { return }
    isReadDue = false
    context.fireChannelRead(wrapInboundOut(plain))
  }

  /// Without automatic reading the handlers behind ask once and wait for bytes: records that hold none, such as those of
  /// the handshake, must not use up their request.
  func channelReadComplete(context: ChannelHandlerContext) {
    switch state {
    case .handshaking: context.read()
    case .open, .outputClosed: if isReadDue { context.read() }
    case .closed: break
    }
    context.fireChannelReadComplete()
  }

  private func inputClosed(_ context: ChannelHandlerContext) {
    guard !isInputClosed else { return }
    isInputClosed = true
    let mayStayOpen = try? context.channel.syncOptions?.getOption(ChannelOptions.allowRemoteHalfClosure)
    if mayStayOpen == true {
      context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    } else {
      close(context: context, mode: .all, promise: nil)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event as? ChannelEvent == .inputClosed else { return context.fireUserInboundEventTriggered(event) }
    if case .handshaking = state { fail(context, .closedInHandshake) } else { inputClosed(context) }
  }

  // MARK: To the other side

  func read(context: ChannelHandlerContext) {
    isReadDue = true
    context.read()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let write = (unwrapOutboundIn(data), promise)
    switch state {
    case .handshaking(let waiting): state = .handshaking(waiting: waiting + [write])
    case .open: send(write, context)
    case .outputClosed: promise?.fail(ChannelError.outputClosed)
    case .closed: promise?.fail(ChannelError.ioOnClosedChannel)
    }
  }

  private func send(_ write: Write, _ context: ChannelHandlerContext) {
    do {
      context.write(wrapOutboundOut(try session.encrypt(write.bytes)), promise: write.promise)
    } catch {
      write.promise?.fail(error)
      fail(context, error)
    }
  }

  private func sendOutput(_ context: ChannelHandlerContext) {
    if let bytes = session.takeOutput() { context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    switch (mode, state) {
    case (.input, _), (_, .closed): context.close(mode: mode, promise: promise)
    case (.output, .open):
      sayGoodbye(context)
      state = .outputClosed
      context.close(mode: .output, promise: promise)
    case (.output, .outputClosed): context.close(mode: .output, promise: promise)
    // Half a handshake is of no use to either side.
    case (.all, _), (.output, .handshaking):
      if case .open = state { sayGoodbye(context) }
      end(failing: ChannelError.ioOnClosedChannel)
      context.close(mode: .all, promise: promise)
    }
  }

  private func sayGoodbye(_ context: ChannelHandlerContext) {
    session.shutDown()
    sendOutput(context)
  }
}
