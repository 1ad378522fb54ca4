import Testing
import TrackerCore

@testable import TrackerWire

@Suite("The number of the trip in extras")
struct TripInExtrasTests {
  @Test("it comes first, once, and only within a trip")
  func trip() {
    #expect(extras("", trip: 3) == #"{"trip":3}"#)
    #expect(extras(#"{"jump":true}"#, trip: 3) == #"{"trip":3,"jump":true}"#)
    #expect(extras(#"{"trip":3,"distance_m":1.0}"#, trip: 3) == #"{"trip":3,"distance_m":1.0}"#)
    #expect(extras("{}", trip: 12) == #"{"trip":12}"#)
    #expect(extras("no object", trip: 3) == "no object")
    #expect(extras("", trip: nil).isEmpty)
  }

  private func extras(_ extras: String, trip: Int64?) -> String {
    Record(
      sequence: 1, kind: .position, time_ms: 0, timeSource: .gps, boot_ms: 0, fix: nil, isMoving: true,
      tripID: trip, odometer_m: 0, extras: extras
    ).extrasWithTrip
  }
}
