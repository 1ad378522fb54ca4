import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Sync: requests of a day on which nothing works")
struct FailingDayTests {
  private static let day_s = 86_400.0

  /// 24 hours, an event each minute, and every reply like this one.
  private func day(
    seed: UInt64? = nil, linkEach_s: Double? = nil, server: @escaping SyncTimeline.Server
  ) -> SyncTimeline {
    var timeline = SyncTimeline(server: server)
    timeline.chances = seed.map { SeededRandom($0) }
    var random = SeededRandom((seed ?? 0) &+ 1000)
    for minute in 0..<1440 {
      let s = Double(minute) * 60
      timeline.add(1, urgent: true, at: s)
      for flap in stride(from: linkEach_s ?? 60, to: 60, by: linkEach_s ?? 60) {
        let chance = random.unit()
        timeline.event(at: s + flap) { $0.linkRestored(at: $1, chance: chance) }
      }
    }
    timeline.run(to: FailingDayTests.day_s)
    return timeline
  }

  private func pauses(_ timeline: SyncTimeline) -> [Double] {
    zip(timeline.times_s, timeline.times_s.dropFirst()).map { $1 - $0 }
  }

  private func expectNothingLost(_ timeline: SyncTimeline) {
    #expect(timeline.queue.count == 1440 && timeline.quarantined.isEmpty)
  }

  @Test("401 and 403: one in unauthorised_retry_s, whatever happens", arguments: [401, 403])
  func unauthorised(status: Int) {
    let timeline = day(seed: 1, linkEach_s: 30) { batch, _ in .of(status, sent: batch) }
    #expect(timeline.requests.count == 96)
    #expect(pauses(timeline).allSatisfy { $0 >= 900 })
    expectNothingLost(timeline)
  }

  @Test(
    "500, and no network: as few as the backoff has, with chance in the middle",
    arguments: [(500, nil), (0, .connect), (0, .resolve), (0, .timeout)]
      as [(Int, UploadReply.NoReply?)])
  func backoff(status: Int, failure: UploadReply.NoReply?) {
    let timeline = day { batch, _ in .of(status, failure: failure, sent: batch) }
    // 5, 10, 20, 40 and 80 s, then 150 s each.
    #expect(timeline.requests.count == 580)
    expectNothingLost(timeline)
  }

  @Test("500 with real chance: the mean of full jitter", arguments: 1...10 as ClosedRange<UInt64>)
  func fullJitter(seed: UInt64) {
    let timeline = day(seed: seed) { batch, _ in .of(500, sent: batch) }
    // A day's 576 waits of 0 to 300 s: four standard deviations are a tenth.
    #expect((518...644).contains(timeline.requests.count), "\(timeline.requests.count)")
    #expect(pauses(timeline).allSatisfy { (1...301).contains($0) })
    expectNothingLost(timeline)
  }

  @Test("Retry-After: one in what the server asked for, though the link comes and goes")
  func retryAfter() {
    let timeline = day(seed: 1, linkEach_s: 30) { batch, _ in .of(503, retryAfter_s: 3600, sent: batch) }
    #expect((22...24).contains(timeline.requests.count), "\(timeline.requests.count)")
    #expect(pauses(timeline).allSatisfy { $0 >= 3600 })
    expectNothingLost(timeline)
  }

  @Test("a link that comes and goes all day without ever working: one attempt each time, no more")
  func flappingLink() {
    let rest_s = Double(LinkDebounce.rest_ms) / 1000
    let timeline = day(seed: 1, linkEach_s: rest_s) { batch, _ in .of(0, failure: .connect, sent: batch) }
    let comings = Int(FailingDayTests.day_s / rest_s)
    #expect(timeline.requests.count <= comings, "\(timeline.requests.count)")
    expectNothingLost(timeline)
  }
}
