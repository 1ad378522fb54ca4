import TrackerBase

/// What outlives the process.
extension Trips {
  /// Numbers to the millimetre: each digit is written with each commit.
  func save(to state: inout Commit) {
    let counted = odometer.closed
    state.set("odometer_m", SavedMetres(counted.total_m))
    state.set("odometer_anchor", counted.anchor.map { SavedAnchor($0) })
    state.set("last_trip", lastID == 0 ? nil : lastID)
    state.set("trip", current.map { SavedTrip($0, open_m: odometer.open_m) })
    state.set("speeding", speedWatch.over)
  }

  static func anchor(_ saved: SavedState) -> Fix? {
    let anchor: SavedAnchor? = saved.value("odometer_anchor")
    return anchor?.fix
  }
}

/// The last counted point of the trip.
struct SavedAnchor: SavedObject, Equatable {
  var time_ms: Int64 = 0
  var latitude_deg: Double?
  var longitude_deg: Double?
  var accuracy_m = 0.0

  static let members: [SavedMember<SavedAnchor>] = [
    .init("time_ms", \.time_ms), .init("latitude", \.latitude_deg, decimals: 7),
    .init("longitude", \.longitude_deg, decimals: 7),
    .init("accuracy_m", \.accuracy_m, decimals: 3, where: SavedMetres.isLength),
  ]

  var isSound: Bool { fix != nil }

  var fix: Fix? {
    Position(savedLatitude_deg: latitude_deg, longitude_deg: longitude_deg).map {
      Fix(time_ms: time_ms, position: $0, accuracy_m: accuracy_m)
    }
  }
}

extension SavedAnchor {
  init(_ fix: Fix) {
    (time_ms, accuracy_m) = (fix.time_ms, fix.accuracy_m)
    (latitude_deg, longitude_deg) = (fix.position.latitude_deg, fix.position.longitude_deg)
  }
}

struct SavedTrip: SavedObject, Equatable {
  var id: Int64 = 0
  var start_ms: Int64 = 0
  var lastFix_ms: Int64 = 0
  var leftAfter_ms: Int64?
  var distance_m = 0.0
  var estimated_m = 0.0
  var topSpeed_mps = 0.0
  var idle_s = 0.0

  static let members: [SavedMember<SavedTrip>] = [
    .init("id", \.id), .init("start_ms", \.start_ms), .init("last_fix_ms", \.lastFix_ms),
    .init("left_after_ms", \.leftAfter_ms),
    .init("distance_m", \.distance_m, decimals: 3, where: SavedMetres.isLength),
    .init("estimated_m", \.estimated_m, decimals: 1, where: SavedMetres.isLength),
    .init("top_speed_mps", \.topSpeed_mps, decimals: 3, where: SavedMetres.isLength),
    .init("idle_s", \.idle_s, decimals: 3, where: SavedMetres.isLength),
  ]

  var isSound: Bool { id != 0 && start_ms != 0 && lastFix_ms != 0 }
}

extension SavedTrip {
  /// - Parameter open_m: to the newest fix.
  init(_ trip: Trip, open_m: Double) {
    (id, start_ms, lastFix_ms, leftAfter_ms) = (trip.id, trip.start_ms, trip.lastFix_ms, trip.leftAfter_ms)
    (distance_m, estimated_m) = (trip.distance_m + open_m, trip.estimated_m)
    (topSpeed_mps, idle_s) = (trip.topSpeed_mps, trip.idle_s)
  }
}

extension Trip {
  init(_ saved: SavedTrip) {
    self.init(id: saved.id, start_ms: saved.start_ms, leftAfter_ms: saved.leftAfter_ms)
    (lastFix_ms, distance_m, estimated_m) = (saved.lastFix_ms, saved.distance_m, saved.estimated_m)
    (topSpeed_mps, idle_s) = (saved.topSpeed_mps, saved.idle_s)
  }
}

extension SpeedWatch.Offence: SavedObject {
  init() { self.init(since_ms: 0, top_mps: 0) }

  static let members: [SavedMember<SpeedWatch.Offence>] = [
    .init("since_ms", \.since_ms), .init("top_mps", \.top_mps, decimals: 3, where: SavedMetres.isLength),
  ]
}
