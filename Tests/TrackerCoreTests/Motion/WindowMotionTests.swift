import Testing

@testable import TrackerCore

/// What a closed window leaves behind in motion: no fix of the last window may begin the next one's trip.
@Suite("Motion across windows")
struct WindowMotionTests {
  @Test("a vehicle that was not yet known to be parked is looked at afresh")
  func unknown() {
    var timeline = MotionTimeline()
    timeline.stand(1, 20)
    timeline.motion.watchEnded()
    timeline.run(to: 50_000)
    timeline.motion.watchBegan(at: 50_000_000)
    timeline.roll(50_001, 50_040, from: 90_000)
    #expect(timeline.trips.map(\.start_s) == [50_001])
    #expect(timeline.lastTrack.allSatisfy { $0.at_s > 50_000 })
  }

  @Test("with a GPS that is always on, too, the trip begins with the new window's fixes")
  func alwaysOn() {
    var timeline = MotionTimeline { $0.gpsOffWhenParked = false }
    timeline.stand(1, 200)
    timeline.motion.watchEnded()
    timeline.run(to: 50_000)
    timeline.motion.watchBegan(at: 50_000_000)
    timeline.roll(50_001, 50_040, from: 90_000)
    #expect(timeline.trips.count == 1)
    #expect(timeline.lastTrack.allSatisfy { $0.at_s > 50_000 })
  }

  @Test(
    "a halt at the gate right after moving off belongs to the trip", arguments: [(40, 100.0), (200, 308)])
  func gate(halt_s: Int, start_s: Double) {
    var timeline = MotionTimeline { $0.gpsOffWhenParked = false }
    timeline.stand(1, 100)
    timeline.roll(101, 108, from: 0, speed_mps: 3)
    timeline.stand(109, 108 + halt_s, east_m: 24)
    timeline.roll(109 + halt_s, 149 + halt_s, from: 24)
    #expect(timeline.trips.map(\.start_s) == [start_s])
  }
}
