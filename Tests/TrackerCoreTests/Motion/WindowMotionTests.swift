import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// What a closed window leaves behind in motion: no fix of the last window may begin the next one's trip.
@Suite("Motion across windows")
struct WindowMotionTests {
  @Test("a vehicle that was not yet known to be parked is looked at afresh")
  func unknown() {
    var timeline = MotionTimeline()
    timeline.stand(1, 20)
    timeline.motion.watchEnded(at: milliseconds(timeline.now_s))
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
    timeline.motion.watchEnded(at: milliseconds(timeline.now_s))
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

  @Test(
    "manoeuvring beside the place, with short halts, belongs to the trip; a long halt there does not",
    arguments: [(60, 100.0), (200, 339.0)])
  func manoeuvre(halt_s: Int, start_s: Double) {
    var timeline = MotionTimeline { $0.gpsOffWhenParked = false }
    timeline.stand(1, 100)
    timeline.roll(101, 110, from: 0, speed_mps: 4)
    // Out of the stationary radius, not yet a departure; the place moves there.
    timeline.stand(111, 130, east_m: 40)
    timeline.roll(131, 131 + 8, from: 40, speed_mps: 4)
    let left_s = 139 + halt_s
    timeline.stand(140, left_s, east_m: 72)
    timeline.roll(left_s + 1, left_s + 60, from: 72)
    #expect(timeline.trips.map(\.start_s) == [start_s])
  }
}
