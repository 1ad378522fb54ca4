import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("What a broker brings on the topic of commands")
struct TopicBytesTests {
  private static let kB: Int64 = 1024

  private var settings: SyncSettings {
    var settings = SyncSettings()
    (settings.commandTopic, settings.maxReply_kb) = (true, 256)
    return settings
  }

  private func topic(_ saved: DayAndMonth<Int64>? = nil, at now_ms: Int64 = 0) -> TopicBytes {
    TopicBytes(settings: settings, saved: saved, at: now_ms)
  }

  private func reply(_ kB: Int64, status: Int = 200, isCutOff: Bool = false) -> UploadReply {
    var reply = UploadReply.of(status)
    (reply.topicBytes, reply.isTopicCutOff) = (kB * Self.kB, isCutOff)
    if status == 0 { reply.failure = .timeout }
    return reply
  }

  private static let given =
    "the topic of commands rests until the next day, and what the broker holds is given up: "

  @Test(
    "as much as a reply with each request, four times that a day, and no more than the byte budget leaves")
  func bounds() {
    var topic = topic()
    #expect(topic.mostARequest == 256 * Self.kB && topic.mostADay == 1024 * Self.kB)
    #expect(topic.allowed(left: nil) == 256 * Self.kB)
    #expect(topic.allowed(left: 100 * Self.kB) == 100 * Self.kB)
    // A few commands are worth more than a budget that ends to the byte.
    #expect(topic.allowed(left: 0) == 16 * Self.kB)
    for _ in 0..<3 { #expect(topic.spend(reply(256)) == nil) }
    #expect(topic.spend(reply(200)) == nil)
    #expect(topic.allowed(left: nil) == 56 * Self.kB && !topic.rests)
    #expect(topic.spend(reply(56)) == Self.given + "it has brought 1024 kB today")
    #expect(topic.rests && topic.allowed(left: nil) == 0)
    #expect(topic.spend(reply(0)) == nil)
  }

  @Test("without a topic nothing may come")
  func none() {
    var settings = settings
    settings.commandTopic = false
    let topic = TopicBytes(settings: settings, saved: nil, at: 0)
    #expect(topic.allowed(left: nil) == 0 && !topic.rests)
  }

  @Test("a broker that wanted to bring more rests at once")
  func cutOff() {
    var topic = topic()
    #expect(
      topic.spend(reply(100, isCutOff: true)) == Self.given
        + "with one request it wanted to bring more than 256 kB, or than the byte budget leaves")
    #expect(topic.rests && topic.today == topic.mostADay)
  }

  @Test(
    "so does one behind which three requests in turn get no answer; one that is answered between begins anew")
  func inVain() {
    var topic = topic()
    for status in [0, 0, 200, 0, 0] { #expect(topic.spend(reply(1, status: status)) == nil) }
    #expect(
      topic.spend(reply(1, status: 0)) == Self.given
        + "it was still bringing it when 3 requests in turn ended without an answer")
    #expect(topic.rests)
    // A line that is down brings nothing.
    var other = self.topic()
    for _ in 0..<9 { #expect(other.spend(reply(0, status: 0)) == nil) }
    #expect(!other.rests)
  }

  @Test("the next day begins anew: of UTC, or after 24 hours without the time; a restart is no new day")
  func days() {
    var topic = topic()
    topic.turn(trusted_ms: epoch_ms, at: 0)
    _ = topic.spend(reply(0, isCutOff: true))
    var next = self.topic(topic.saved)
    next.turn(trusted_ms: epoch_ms + 1000, at: 500)
    #expect(
      next.rests
        && next
          == {
            var same = next; same.turn(trusted_ms: epoch_ms + 2000, at: 1500); return same
          }()
    )
    next.turn(trusted_ms: epoch_ms + 86_400_000, at: 86_400_000)
    #expect(!next.rests && next.today == 0 && next.saved == nil)

    var clockless = self.topic()
    _ = clockless.spend(reply(0, isCutOff: true))
    #expect(clockless.saved?.saved == ["day": ["used": 1_048_576]])
    clockless.turn(trusted_ms: nil, at: 86_399_999)
    #expect(clockless.rests)
    clockless.turn(trusted_ms: nil, at: 86_400_000)
    #expect(!clockless.rests)
  }

  @Test("in a day of requests: each says what may come, the status what came, and the records go in any case")
  func wholeDay() throws {
    var drive = Drive()
    drive.park(200)
    drive.go(20_000, speed_mps: 12)
    drive.park(90_000)
    let day = try TrackerTimeline(drive) {
      ($0.sync.url, $0.sync.commandTopic, $0.sync.budgetDay_kb) = ("mqtts://broker.example/t", true, 2000)
    }
    var offered: [Int64] = []
    day.server = { [unowned day] batch, _ in
      let allowed = day.orders.last?.topicAllowed_bytes ?? 0
      offered.append(allowed)
      var reply = UploadReply.of(200, sent: batch.map(\.sequence))
      // It brings what it may, as long as it may.
      (reply.topicBytes, reply.bytesDown, reply.isTopicCutOff) = (allowed, allowed, offered.count == 3)
      return reply
    }
    day.run(to: 20_000)
    #expect(offered.prefix(4) == [262_144, 262_144, 262_144, 0] && offered.allSatisfy { $0 <= 262_144 })
    #expect(offered.reduce(0, +) == 3 * 262_144 && offered.count > 10)
    let commands = try #require(day.tracker.status(at: day.now).commands)
    #expect(commands.topicRests && commands.topicCutOff == 1 && commands.topicToday_bytes == 1_048_576)
    #expect(day.log.filter { $0.contains("the topic of commands rests until the next day") }.count == 1)
    day.kill()
    day.run(to: 22_000)
    #expect(offered.reduce(0, +) == 3 * 262_144 && day.nothingIsLost())
    // Midnight: four requests may bring it again.
    day.run(to: 90_000)
    #expect(offered.reduce(0, +) == 7 * 262_144 && offered.last == 0)
  }
}
