import Testing

@testable import TrackerCore

@Suite("The module's time off")
struct TimeOffTests {
  @Test("it begins when the module goes off, though that was decided of an earlier moment")
  func offLater() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.want(false, at: 100)
    timeline.session.powerWentOff(at: 104_000)
    timeline.want(true, at: 105.5)
    timeline.run(to: 120)
    #expect(timeline.log.suffix(2) == ["109 on", "109.2 connect"])
  }
}
