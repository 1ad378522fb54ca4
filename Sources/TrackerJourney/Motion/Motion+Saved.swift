import TrackerBase

/// What outlives the process.
extension Motion {
  func save(to draft: inout Commit) {
    var saved = SavedMotion()
    switch state {
    case .unknown: break
    case .moving:
      saved = SavedMotion(moving.before.flatMap { $0.isByKey ? $0 : nil })
      saved.state = .moving
    case .stationary:
      saved = SavedMotion(Seen(place: parked.place, time_ms: parked.lastSeen_ms, isByKey: false))
      (saved.state, saved.isAssumed) = (.stationary, parked.isAssumed)
    }
    draft.set("motion", saved)
    draft.set("cells", cells.saved)
    draft.set("habits", habits.saved)
  }

  /// What was learned before this process.
  mutating func remember(_ saved: SavedState) {
    let learned: SavedHabits? = saved.value("habits")
    if let habits = learned.flatMap({ Habits($0) }) { self.habits = habits }
    cells.remember(saved)
  }

  /// - Parameter lastPlace: where the last trip was followed to.
  init(settings: MotionSettings, saved: SavedState, lastPlace: Fix? = nil, at now_ms: Int64) {
    self.init(settings: settings)
    remember(saved)
    let found: SavedMotion = saved.value("motion") ?? SavedMotion()
    switch found.state {
    case .unknown: break
    case .moving:
      setOff(Moving(at: now_ms))
      moving.before = found.seen ?? lastPlace.map { Seen($0) }
    case .stationary:
      if let seen = found.seen {
        stand(Stationary(in: seen.place, lastSeen_ms: seen.time_ms, probe: probeAtOnce(at: now_ms)))
      }
    }
    parked.isAssumed = found.isAssumed
    cells = CellWatch(saved: saved, isParked: name == .stationary)
  }

  /// Where the vehicle was left, as precise as a receiver's mean under a roof; nil if it was seen to drive since.
  static func lastPlace(_ saved: SavedState) -> Fix? {
    let found: SavedMotion? = saved.value("motion")
    return found?.seen.map { seen in
      Fix(
        time_ms: seen.time_ms, position: seen.place.centre, speed_mps: 0, accuracy_m: placeAccuracy_m)
    }
  }

  static let placeAccuracy_m = 50.0
}

extension Motion.Seen {
  /// The newest fix that the last process had followed.
  fileprivate init(_ fix: Fix) {
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

  var seen: Motion.Seen? {
    guard let centre = Position(savedLatitude_deg: latitude_deg, longitude_deg: longitude_deg), fixes > 0
    else {
      return nil
    }
    let place = Place(centre: centre, fixes: min(fixes, Place.maxWeight))
    return Motion.Seen(place: place, time_ms: seen_ms, isByKey: state == .moving)
  }
}

extension SavedMotion {
  fileprivate init(_ seen: Motion.Seen?) {
    guard let seen else { return }
    (latitude_deg, longitude_deg) = (seen.place.centre.latitude_deg, seen.place.centre.longitude_deg)
    (fixes, seen_ms) = (seen.place.fixes, seen.time_ms)
  }
}

extension MotionStatus.State: Savable {}
