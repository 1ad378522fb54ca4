import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Sync: what a broker does to large messages")
struct BrokerTests {
  private static let url = "mqtts://broker.example.com/fleet/{device}"

  private static func timeline(_ server: @escaping SyncTimeline.Server) -> SyncTimeline {
    SyncTimeline(
      changing: { settings in
        settings.url = url
        (settings.maxBatchSize, settings.smallBatchSize) = (400, 400)
      }, server: server)
  }

  /// A broker that speaks MQTT 5 and ends the connection for more than `most` records.
  private static func reply(_ batch: [Int64], most: Int, status: Int) -> UploadReply {
    var reply = UploadReply.of(batch.count > most ? status : 200, sent: batch, bytesUp: 1000)
    (reply.isMQTT, reply.mqttVersion, reply.endedByBroker) = (true, .v5, batch.count > most)
    return reply
  }

  @Test(
    "a request that is ended by DISCONNECT again and again is halved, whatever the reason",
    arguments: [503, 500, 302])
  func disconnected(status: Int) {
    var timeline = Self.timeline { batch, _ in Self.reply(batch, most: 150, status: status) }
    timeline.add(1000, at: 0)
    timeline.run(to: 3600)
    #expect(timeline.delivered.count == 1000 && timeline.quarantined.isEmpty)
    #expect(timeline.sizes.prefix(6) == [400, 400, 400, 400, 400, 200], "\(timeline.sizes)")
    #expect(timeline.requests.count < 40, "\(timeline.sizes)")
  }

  @Test("the same reason in PUBACK says nothing of the size: nothing is halved")
  func refused() {
    var timeline = Self.timeline { batch, _ in
      var reply = Self.reply(batch, most: 150, status: 503)
      reply.endedByBroker = false
      return reply
    }
    timeline.add(1000, at: 0)
    timeline.run(to: 3600)
    #expect(timeline.delivered.isEmpty && Set(timeline.sizes) == [400])
  }

  @Test(
    "a batch is small until the broker has spoken MQTT 5, and stays so with 3.1.1",
    arguments: [SyncSettings.MQTTVersion.v5, .v3_1_1])
  func small(version: SyncSettings.MQTTVersion) {
    var timeline = SyncTimeline(
      changing: { $0.url = Self.url },
      server: { batch, _ in
        var reply = UploadReply.of(200, sent: batch)
        (reply.isMQTT, reply.mqttVersion) = (true, version)
        return reply
      })
    timeline.add(300, at: 0)
    timeline.run(to: 100)
    #expect(timeline.delivered.count == 300)
    #expect(timeline.sizes.first == 20)
    #expect(timeline.sizes.dropFirst().max() == (version == .v5 ? 100 : 20), "\(timeline.sizes)")
  }

  @Test("over HTTP a batch is as large as set")
  func http() {
    var timeline = SyncTimeline()
    timeline.add(300, at: 0)
    timeline.run(to: 100)
    #expect(timeline.sizes == [100, 100, 100])
  }

  @Test("the version that a broker spoke last is known after a restart, at the same URL")
  func remembered() throws {
    var drive = Drive()
    drive.park(100)
    drive.go(600, speed_mps: 12)
    drive.park(600)
    let day = try TrackerTimeline(drive) { $0.sync.url = Self.url }
    var orders: [SyncSettings.MQTTVersion] = []
    day.server = { batch, _ in
      var reply = UploadReply.of(200, sent: batch.map(\.sequence))
      (reply.isMQTT, reply.mqttVersion) = (true, .v3_1_1)
      orders.append(day.tracker.dispatch.servers[0].sync.brokerVersion)
      return reply
    }
    day.run(to: 400)
    #expect(orders.first == .auto && orders.last == .v3_1_1)
    #expect(day.disk.state["mqtt_3_1_1"] == [.string(Self.url)])
    day.reboot(after: 10, isSynchronised: true)
    #expect(day.tracker.dispatch.servers[0].sync.brokerVersion == .v3_1_1)
  }
}
