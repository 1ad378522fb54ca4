import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Times to first fix")
struct StartTimesTests {
  @Test("a start in which gpsd was away or silent says nothing of the module; the next one does")
  func spoiltStart() {
    for isSilent in [false, true] {
      var timeline = SessionTimeline()
      timeline.want(true, at: 0)
      if !isSilent { timeline.lost(at: 3) }
      timeline.run(to: 40)
      timeline.report(at: 41, accuracy_m: 5)
      #expect(timeline.lines(with: "first fix") == ["41 first fix after 41.0, spoilt"])
      #expect(
        timeline.session.startTimes[.longer] == nil && timeline.session.expectedTTFF_ms(at: 41_000) == nil)
      timeline.want(false, at: 50)
      timeline.want(true, at: 100)
      timeline.report(at: 104, accuracy_m: 5)
      timeline.lost(at: 110)
      timeline.report(at: 120, accuracy_m: 5)
      #expect(timeline.lines(with: "first fix").last == "104 first fix after 4.0")
      #expect(timeline.session.startTimes[.hours] == 4000)
    }
  }
}
