import Hummingbird
import ServiceLifecycle

/// New positions for a page that is open, as server-sent events (HTML standard, 9.2).
extension Routes {
  /// Then the page comes again by itself, so that no line is for ever.
  static let longestWatch = 60

  func events(for visitor: Visitor) throws -> Response {
    guard feed.count < FleetFeed.most else {
      throw Refusal(.serviceUnavailable, "too many pages are open: try again later")
    }
    let body = ResponseBody { writer in
      // Not before: of a HEAD, and of who has gone by then, no body is ever written.
      if let watch = feed.watch(by: visitor.pass) {
        defer { feed.end(watch) }
        try await write(watch, to: &writer)
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream", .cacheControl: "no-store",
        // nginx would hold it back.
        .init("X-Accel-Buffering")!: "no",
      ], body: body)
  }

  private func write(_ watch: FleetFeed.Watch, to writer: inout any ResponseBodyWriter) async throws {
    try await writer.write(ByteBuffer(string: "retry: 3000\n: godwit\n\n"))
    let beats = Task {
      for _ in 0..<Self.longestWatch {
        try await Task.sleep(for: beat)
        watch.continuation.yield()
        feed.lookAgain()
      }
      watch.continuation.finish()
    }
    defer { beats.cancel() }
    // A collector that is to end does not wait for whoever watches.
    for await _ in watch.signals.cancelOnGracefulShutdown() {
      let texts = feed.take(watch)
      let events = texts.isEmpty ? ["event: beat\ndata:\n\n"] : texts.map { "data: \($0)\n\n" }
      try await writer.write(ByteBuffer(string: events.joined()))
    }
  }
}
