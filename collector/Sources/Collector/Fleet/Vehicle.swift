/// A vehicle as the map and the list show it: where it is, and whether somebody should look at it.
struct Vehicle: Encodable, Equatable, Sendable {
  var device: String
  /// Left out while there is no position, as all below that is not known.
  var latitude: Double?
  var longitude: Double?
  var timestamp: String?
  var accuracy: Double?
  var speed: Double?
  var heading: Double?
  var is_moving: Bool?
  /// Of the trip that is under way.
  var trip_begin: String?
  /// So far.
  var trip_distance_m: Double?
  /// The end of the last trip, for a vehicle that is not on one.
  var still_since: String?
  /// The geofence that the vehicle has entered and not left, by its own events, and since when.
  var site: String?
  var site_since: String?
  /// Where it is, in words.
  var place: PlaceName?
  /// Left out for one that has not sent yet.
  var last_contact: String?
  var version: String?
  var no_track_because: String?
  /// The board is off until then; left out for one that is awake.
  var asleep_until: String?
  var asleep_because: String?
  /// Of the settings that operators have set; left out where they have set none.
  var settings_state: DeviceConfig.State?
  /// Of the last status, names with their units (`battery_v`).
  var figures: [String: JSONValue]?
  /// The most urgent first.
  var problems: [String]
  var severity: Problem.Severity
  var groups: [String]?
}

/// What the database has of a vehicle, before the time of day and the rest of the fleet come into it.
struct VehicleRow: Equatable {
  var vehicle: Vehicle
  var lastContact_ms: Int64?
  var queuesAtOnce: Int
  var lastConflict_ms: Int64?
  /// As ``Vehicle/asleep_until``, Unix milliseconds.
  var asleepUntil_ms: Int64?
}

/// By what a vehicle counts as silent or old.
public struct FleetClock: Equatable, Sendable {
  /// Three times the hour after which a device sends its status at the latest, by default.
  public static let usual_ms: Int64 = 3 * 3_600_000

  /// So long after the end of its sleep a board has started, found a network and sent something.
  static let wakes_ms: Int64 = 15 * 60_000
  /// No device sleeps longer than a week, and one whose clock is wrong may say what it likes.
  static let longestSleep_ms: Int64 = 8 * 86_400_000

  /// For so long a conflict is shown.
  static let conflict_ms: Int64 = 7 * 86_400_000

  var now_ms: Int64
  var silentAfter_ms: Int64
  /// That every vehicle should have; nil: none counts as old.
  var target: AgentVersion?

  func judged(_ row: VehicleRow) -> Vehicle {
    var vehicle = row.vehicle
    let isAsleep = row.asleepUntil_ms.map { now_ms <= $0 + Self.wakes_ms } ?? false
    if isAsleep {
      vehicle.asleep_until = row.asleepUntil_ms.map(Timestamp.text)
    } else {
      vehicle.asleep_because = nil
    }
    if let last_ms = row.lastContact_ms, now_ms - last_ms > silentAfter_ms, !isAsleep {
      vehicle.problems.append(Problem.silent)
    }
    if let version = AgentVersion(vehicle.version), let target, version < target {
      vehicle.problems.append(Problem.oldVersion)
    }
    if let last_ms = row.lastConflict_ms, now_ms - last_ms < Self.conflict_ms,
      !vehicle.problems.contains(Problem.conflict)
    {
      vehicle.problems.append(Problem.conflict)
    }
    if row.queuesAtOnce > 0 { vehicle.problems.append(Problem.twoAtOnce) }
    vehicle.problems = Problem.sorted(vehicle.problems)
    vehicle.severity = vehicle.problems.first.map(Problem.severity) ?? .none
    return vehicle
  }
}
