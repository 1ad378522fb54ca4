import TrackerBase

/// Where a vehicle was before it was seen again.
struct Seen: Equatable, Sendable {
  var place: Place
  /// GPS time.
  var time_ms: Int64
  /// It stood there: a key told that it leaves.
  var isByKey: Bool
}

extension Seen {
  /// The newest fix that the last process had followed.
  init(_ fix: Fix) {
    (place, time_ms, isByKey) = (Place(centre: fix.position), fix.time_ms, false)
  }
}

/// The place to the centimetre: where the vehicle is parked or, while it moves, where a key has told of the departure and no
/// fix has come since.
struct SavedMotion: SavedObject, Equatable {
  var state = MotionStatus.State.unknown
  var latitude_deg: Double?
  var longitude_deg: Double?
  /// In the mean.
  var fixes = 0
  var seen_ms: Int64 = 0
  var isAssumed = false

  static let members: [SavedMember<SavedMotion>] = [
    .init("state", \.state), .init("latitude", \.latitude_deg, decimals: 7),
    .init("longitude", \.longitude_deg, decimals: 7), .init("fixes", \.fixes) { $0 > 0 },
    .init("seen_ms", \.seen_ms), .init("assumed", \.isAssumed),
  ]

  var isSound: Bool {
    switch state {
    case .unknown: latitude_deg == nil && longitude_deg == nil
    case .moving: latitude_deg == nil && longitude_deg == nil || seen != nil
    case .stationary: seen != nil
    }
  }

  var seen: Seen? {
    guard let centre = Position(savedLatitude_deg: latitude_deg, longitude_deg: longitude_deg), fixes > 0
    else {
      return nil
    }
    let place = Place(centre: centre, fixes: min(fixes, Place.maxWeight))
    return Seen(place: place, time_ms: seen_ms, isByKey: state == .moving)
  }
}

extension SavedMotion {
  init(_ seen: Seen?) {
    guard let seen else { return }
    (latitude_deg, longitude_deg) = (seen.place.centre.latitude_deg, seen.place.centre.longitude_deg)
    (fixes, seen_ms) = (seen.place.fixes, seen.time_ms)
  }
}

extension MotionStatus.State: Savable {}
