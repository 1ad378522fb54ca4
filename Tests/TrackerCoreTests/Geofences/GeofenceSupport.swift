import Glibc

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

extension Geofence {
  /// A circle around a point of the timeline's plane.
  static func circle(
    _ id: String = "depot", east_m: Double = 0, north_m: Double = 0, radius_m: Double = 100,
    _ change: (inout Geofence) -> Void = { _ in }
  ) throws -> Geofence {
    var fence = try Geofence(
      id: id, shape: .circle(centre: .at(east_m: east_m, north_m: north_m), radius_m: radius_m))
    change(&fence)
    return fence
  }

  static func polygon(_ id: String, _ rings: [[Position]]) throws -> Geofence {
    try Geofence(id: id, shape: .polygon(try GeofencePolygon(rings: rings)))
  }

  /// A rectangle of the timeline's plane.
  static func box(
    _ id: String, east_m: ClosedRange<Double>, north_m: ClosedRange<Double>
  ) throws -> Geofence {
    let corners = [
      (east_m.lowerBound, north_m.lowerBound), (east_m.upperBound, north_m.lowerBound),
      (east_m.upperBound, north_m.upperBound), (east_m.lowerBound, north_m.upperBound),
    ]
    return try polygon(id, [corners.map { .at(east_m: $0.0, north_m: $0.1) }])
  }
}

/// Feeds the machine and keeps what it reports, as `ENTER depot 12`, by the second of GPS time.
struct GeofenceTimeline {
  var machine: Geofences
  private(set) var log: [String] = []

  init(_ fences: [Geofence], saved: [SavedStay] = []) { machine = Geofences(fences, saved: saved) }

  /// - Parameter late_s: the fix arrives so long after its own time.
  mutating func fix(
    _ s: Double, east_m: Double = 0, north_m: Double = 0, accuracy_m: Double = 5, runState: Int? = nil,
    late_s: Double = 0
  ) {
    let fix = Fix.at(s, east_m: east_m, north_m: north_m, accuracy_m: accuracy_m)
    let place = runState.map { Place(centre: fix.position, fixes: $0) }
    note(machine.fixArrived(fix, standingIn: place, at: milliseconds(s + late_s)))
  }

  mutating func tick(_ s: Double) { note(machine.tick(at: milliseconds(s))) }

  private mutating func note(_ actions: [Geofences.Action]) {
    for action in actions {
      switch action {
      case .entered(let fence, let fix): log.append("ENTER \(fence.id) \(Int(fix.at_s))")
      case .exited(let fence, let fix): log.append("EXIT \(fence.id) \(Int(fix.at_s))")
      case .dwelt(let fence, _, let time_ms):
        log.append("DWELL \(fence.id) \((time_ms - epoch_ms) / 1000)")
      }
    }
  }
}

extension TrackerTimeline {
  /// The geofence records, as `ENTER depot 12`.
  var geofenceEvents: [String] {
    disk.committed.compactMap { record in
      guard case .geofence(let event) = record.content else { return nil }
      return "\(event.action.rawValue) \(event.geofence) \((record.time_ms - epoch_ms) / 1000)"
    }
  }
}

/// Whether a point lies in rings: the parity of the winding numbers, by summing angles on an unrolled plane.
func windsOddly(_ rings: [[(x: Double, y: Double)]], x: Double, y: Double) -> Bool {
  var winds = 0
  for ring in rings {
    var angle = 0.0
    for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
      let (ax, ay, bx, by) = (a.x - x, a.y - y, b.x - x, b.y - y)
      angle += atan2(ax * by - ay * bx, ax * bx + ay * by)
    }
    winds += Int((angle / (2 * Double.pi)).rounded())
  }
  return winds % 2 != 0
}

/// Any longitude as GeoJSON has it.
func onEarth(_ longitude_deg: Double) -> Double {
  var turned = longitude_deg
  while turned > 180 { turned -= 360 }
  while turned < -180 { turned += 360 }
  return turned
}
