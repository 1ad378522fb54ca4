import NIOCore
import NIOPosix
import Testing

@testable import Collector

/// The service in this process, with a broker that says what a test wants.
@Suite("A broker that is none", .timeLimit(.minutes(10)))
struct MQTTIngestTests {
  /// Says its bytes to whoever connects, and hangs up on request.
  private final class Speaker: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let bytes: [UInt8]
    let hangsUp: Bool
    let connections: Locked<Int>

    init(_ bytes: [UInt8], hangsUp: Bool, _ connections: Locked<Int>) {
      (self.bytes, self.hangsUp, self.connections) = (bytes, hangsUp, connections)
    }

    func channelActive(context: ChannelHandlerContext) {
      connections.with { $0 += 1 }
      context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
      if hangsUp { context.close(promise: nil) }
    }
  }

  @Test(
    "ends the connection with a reason that is counted, and it is tried again",
    arguments: [
      (Array("HTTP/1.1 400 Bad Request\r\n".utf8), false, "not_mqtt"), ([], true, "closed"),
      // CONNACK, and then one that is longer than any; a SUBACK that is none; PUBLISH with QoS 2.
      ([0x20, 2, 0, 0, 0x20, 0xFF, 0xFF, 0xFF, 0x7F], false, "not_mqtt"),
      ([0x20, 2, 0, 0, 0x90, 3, 0, 1, 77], false, "not_mqtt"),
      ([0x20, 2, 0, 0, 0x34, 5, 0, 1, 0x74, 0, 1], false, "not_mqtt"),
      // Cut off in mid-packet; refused; no right to read.
      ([0x20, 2, 0], true, "closed"), ([0x20, 2, 0, 5], false, "refused"),
      ([0x20, 2, 0, 0, 0x90, 3, 0, 1, 0x80], false, "not_subscribed"),
    ] as [([UInt8], Bool, String)])
  func wrong(bytes: [UInt8], hangsUp: Bool, reason: String) async throws {
    try await withCollector { _, store in
      let connections = Locked(0)
      let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
              Speaker(bytes, hangsUp: hangsUp, connections))
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      let port = try #require(server.localAddress?.port)
      let options = try MQTTOptions(
        brokers: [MQTTBroker("mqtt://127.0.0.1:\(port)")], topic: MQTTTopic("fleet/{device}/records"),
        clientID: "test")
      let ingest = MQTTIngest(
        options, intake: Intake(store: store, feed: FleetFeed(), bell: Doorbell(), now_ms: { now_ms }))
      let running = Task { try await ingest.run() }
      try await waitFor("another attempt") { connections.with { $0 } > 1 }
      // What was sent to who hangs up may come back as a reset.
      let reasons = hangsUp ? [reason, "broken"] : [reason]
      let counted = reasons.map { "godwit_collector_mqtt_disconnects_total{reason=\"\($0)\"}" }
      #expect(counted.contains { ingest.figures.metrics.contains($0) })
      #expect(!ingest.figures.isConnected)
      running.cancel()
      try await running.value
      try await server.close()
    }
  }
}
