import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Numbers that come from outside may be infinite, no number, or too large: none of them ends the process.
@Suite("Absurd numbers")
struct AbsurdNumberTests {
  static let absurd = [
    Double.infinity, -.infinity, .nan, 1e300, -1e300, .greatestFiniteMagnitude, 9.3e18, -9.3e18,
  ]

  @Test("become the nearest whole number that there is", arguments: absurd)
  func whole(value: Double) {
    let expected: Int64 = value.isNaN ? 0 : value > 0 ? .max : .min
    #expect(Int64(saturating: value) == expected)
    #expect(Int(saturating: value) == Int(expected))
    #expect(milliseconds(value).magnitude <= 1_000_000_000_000_000)
  }

  @Test("whole numbers stay what they are, others lose what is behind the point")
  func plain() {
    #expect([2.9, -2.9, 0, 1e15].map { Int64(saturating: $0) } == [2, -2, 0, 1_000_000_000_000_000])
    #expect(milliseconds(1.2345) == 1235)
  }

  @Test("in each field of a fix", arguments: absurd)
  func fix(value: Double) throws {
    let day = try TrackerTimeline(OtherPlaceTests.drive, geofences: [try .circle()]) {
      $0.motion.gpsOffWhenParked = false
      $0.track.courseStep_deg = 20
      $0.track.speedStep_mps = 3
      $0.track.speedLimit_mps = 20
    }
    let fields: [(inout GPSReport) -> Void] = [
      { $0.speed_mps = value }, { $0.course_deg = value }, { $0.altitude_m = value },
      { $0.accuracy_m = value },
      { $0.speedAccuracy_mps = value }, { $0.altitudeAccuracy_m = value }, { $0.courseAccuracy_deg = value },
      { $0.hdop = value }, { $0.latitude_deg = value }, { $0.longitude_deg = value },
    ]
    day.onTheWay = { report, s in
      s > 950 ? [report.with(fields[Int(s) % fields.count])] : [report]
    }
    day.run(to: 1600)
    #expect(day.records(.motionChange).count >= 2)
    for record in day.disk.committed {
      #expect((0...100).contains(record.activity.confidence))
    }
    #expect(day.summaries.allSatisfy { $0.distance_m.isFinite && $0.topSpeed_mps.isFinite })
    #expect(day.tracker.journey.odometer_m.isFinite)
  }

  @Test("whatever is in the place of a saved value, it does no harm")
  func saved() throws {
    let day = try TrackerTimeline(WholeDayTests.tunnelDay(), geofences: [try .circle()]) {
      ($0.sync.budgetDay_kb, $0.track.speedLimit_mps) = (1000, 10)
    }
    day.run(to: 1000)
    let state = day.disk.state.filter { $0.value != .null }
    #expect(state.count > 10)
    let absurd: [JSONValue] = [
      .integer(.max), .integer(.min), -1, 1_000_000_000_000_000, 1e300, .outOfRange, "x", .null, [], [:],
      true,
    ]
    for (key, value) in state {
      for other in absurd { try AbsurdNumberTests.run([key: other]) }
      for (place, other) in value.leavesReplaced(by: absurd).enumerated() where place % 3 == 0 {
        var spoilt = state
        spoilt[key] = other
        try AbsurdNumberTests.run(spoilt)
      }
    }
  }

  @Test("in what storage held they are reported, by their keys alone")
  func reported() throws {
    let state: [String: JSONValue] = [
      "odometer_m": .outOfRange, "last_trip": .integer(.max), "trip": .null, "motion": ["state": "moving"],
      "geofences": [["id": "home", "since_ms": .integer(.max)]], "budget": ["day": ["used": .integer(.max)]],
      "lines": ["tow": "towed"], "undated": ["from": "inf", "records": 2], "unknown": 1,
    ]
    let keys = ["budget", "geofences", "last_trip", "odometer_m", "undated", "unknown"]
    #expect(try SavedState(state).unreadable(Tracker.savedKinds) == keys)
    var tracker = Tracker(
      Configuration(settings: .with(), schedule: try Schedule(rules: []), zone: FixedZone.utc),
      restored: Tracker.Restored(state: state), notBefore_ms: epoch_ms - 86_400_000, isSynchronised: true,
      at: .at(0))
    let actions = tracker.handle(.started, at: .at(0), chance: 0.5)
    let words =
      "the saved state makes no sense and is not used for \(keys.joined(separator: ", ")): it begins as new"
    #expect(actions.contains(.log(.warning, words)))
    #expect(tracker.warnings.entries[.queueDamaged]?.count == 1)
  }

  @Test("in no state that a tracker saves itself is one found")
  func own() throws {
    let day = try TrackerTimeline(WholeDayTests.tunnelDay(), geofences: [try .circle()]) {
      $0.sync.budgetDay_kb = 1000
      $0.track.speedLimit_mps = 10
    }
    for s in stride(from: 100.0, to: 3000, by: 100) {
      day.run(to: s)
      #expect(try SavedState(day.disk.state).unreadable(Tracker.savedKinds).isEmpty, "\(day.disk.state)")
    }
  }

  private static func run(_ state: [String: JSONValue]) throws {
    let settings = Settings.with { $0.track.speedLimit_mps = 10 }
    var tracker = Tracker(
      Configuration(
        settings: settings, schedule: try Schedule(rules: []), zone: FixedZone.utc, geofences: [try .circle()]
      ), restored: Tracker.Restored(state: state), notBefore_ms: epoch_ms - 86_400_000, isSynchronised: true,
      at: .at(0))
    _ = tracker.handle(.started, at: .at(0), chance: 0.5)
    for s in 1...60 {
      _ = tracker.handle(
        .gpsReport(.at(Double(s), east_m: Double(s) * 15, speed_mps: 15)), at: .at(Double(s)), chance: 0.5)
      _ = tracker.handle(.timer, at: .at(Double(s)), chance: 0.5)
    }
    #expect(tracker.journey.odometer_m.isFinite && tracker.journey.odometer_m >= 0)
    #expect(tracker.status(at: .at(60)).trip.odometer_m.isFinite)
  }
}

extension JSONValue {
  /// Numbers, texts and the like in it.
  var leaves: Int {
    switch self {
    case .array(let values): values.reduce(0) { $0 + $1.leaves }
    case .object(let members): members.reduce(0) { $0 + $1.value.leaves }
    case .null, .bool, .integer, .number, .outOfRange, .string: 1
    }
  }

  /// With each of these in the place of each leaf.
  func leavesReplaced(by others: [JSONValue]) -> [JSONValue] {
    switch self {
    case .array(let values):
      values.indices.flatMap { index in
        values[index].leavesReplaced(by: others).map { other in
          var copy = values
          copy[index] = other
          return .array(copy)
        }
      }
    case .object(let members):
      members.indices.flatMap { index in
        members[index].value.leavesReplaced(by: others).map { other in
          var copy = members
          copy[index].value = other
          return .object(copy)
        }
      }
    case .null, .bool, .integer, .number, .outOfRange, .string: others
    }
  }
}
