import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Sync: how often events make a request")
struct EventRateTests {
  @Test("the first ten go at once, each by itself")
  func first() {
    var timeline = SyncTimeline()
    for s in 1...10 { timeline.add(1, urgent: true, at: Double(s)) }
    timeline.run(to: 20)
    #expect(timeline.times_s == (1...10).map(Double.init))
  }

  @Test("a flood is gathered: all of it arrives, with a request each ten seconds", arguments: [1, 100, 900])
  func flood(latency_ms: Int64) {
    var timeline = SyncTimeline()
    timeline.latency_ms = latency_ms
    for tenth in 0..<600 { timeline.add(1, urgent: true, at: Double(tenth) / 10) }
    timeline.run(to: 75)
    #expect(timeline.delivered.count == 600)
    #expect((10...18).contains(timeline.requests.count), "\(timeline.requests.count)")
  }

  @Test("after quiet minutes the next ones go at once again")
  func refills() {
    var timeline = SyncTimeline()
    for tenth in 0..<100 { timeline.add(1, urgent: true, at: Double(tenth) / 10) }
    timeline.run(to: 200)
    let before = timeline.requests.count
    for s in 201...205 { timeline.add(1, urgent: true, at: Double(s)) }
    timeline.run(to: 206)
    #expect(Array(timeline.times_s[before...]) == (201...205).map(Double.init))
  }

  @Test("what an operator asks for waits for none of it")
  func flush() {
    var timeline = SyncTimeline()
    for tenth in 0..<200 { timeline.add(1, urgent: true, at: Double(tenth) / 10) }
    let before = timeline.requests.count
    timeline.event(at: 20.05) { $0.flush(at: $1) }
    #expect(timeline.requests.count == before + 1)
  }
}
