/// The machines' state as it is stored: readable with the sqlite3 shell, one key a machine.
struct SavedState: Equatable, Sendable {
  var entries: [String: String]

  init(entries: [String: String]) { self.entries = entries }

  /// `odometer_m`, and during a trip `odometer_anchor`: `time_ms latitude longitude accuracy_m`.
  var odometer: Odometer {
    let total_m = entries["odometer_m"].flatMap { SavedState.metres($0) } ?? 0
    let words = words(of: "odometer_anchor")
    guard words.count == 4, let time_ms = SavedState.whole(words[0]),
      let position = Position(words[1], words[2]),
      let accuracy_m = SavedState.metres(words[3])
    else { return Odometer(total_m: total_m) }
    return Odometer(
      total_m: total_m, anchor: Fix(time_ms: time_ms, position: position, accuracy_m: accuracy_m))
  }

  /// `possible` or `towed`, empty for a trip that is driven.
  var tow: Lines.Tow { entries["tow"].flatMap { Lines.Tow(rawValue: $0) } ?? .none }

  /// `yes` or empty, see `Lines.missedDeparture`.
  var missedDeparture: Bool { entries["missed_departure"] == "yes" }

  var lastTripID: Int64 {
    max(entries["last_trip"].flatMap { SavedState.whole($0) } ?? 0, trip?.id ?? 0)
  }

  /// `id start_ms last_fix_ms distance_m top_speed_mps [left_after_ms]`, absent while parked.
  var trip: Trip? {
    let words = words(of: "trip")
    guard words.count >= 5, let id = SavedState.whole(words[0]), let start_ms = SavedState.whole(words[1]),
      let lastFix_ms = SavedState.whole(words[2]), let distance_m = SavedState.metres(words[3]),
      let topSpeed_mps = SavedState.metres(words[4])
    else { return nil }
    var trip = Trip(
      id: id, start_ms: start_ms, leftAfter_ms: words.count > 5 ? SavedState.whole(words[5]) : nil)
    trip.lastFix_ms = lastFix_ms
    trip.distance_m = distance_m
    trip.topSpeed_mps = topSpeed_mps
    trip.idle_s = entries["idle_s"].flatMap { SavedState.metres($0) } ?? 0
    return trip
  }

  /// `since_ms top_mps` while the vehicle drives faster than the limit, else empty.
  var speeding: SpeedWatch.Offence? {
    let words = words(of: "speeding")
    guard words.count == 2, let since_ms = SavedState.whole(words[0]),
      let top_mps = SavedState.metres(words[1])
    else { return nil }
    return SpeedWatch.Offence(since_ms: since_ms, top_mps: top_mps)
  }

  /// `unknown`, `moving`, or `stationary latitude longitude fixes last_seen_ms`.
  func motion(settings: MotionSettings, at now_ms: Int64) -> Motion {
    let words = words(of: "motion")
    switch words.first {
    case "moving":
      return Motion(
        settings: settings, state: .moving(Motion.Moving(stay: nil, lastFix: nil, lastFixAt_ms: now_ms)))
    case "stationary":
      guard isMotionReadable, let centre = Position(words[1], words[2]), let fixes = Int(words[3]),
        let seen_ms = SavedState.whole(words[4])
      else { break }
      let place = Place(centre: centre, fixes: min(fixes, Place.maxWeight))
      let unprobed = Motion(settings: settings)
      return Motion(
        settings: settings,
        state: .stationary(
          Motion.Stationary(
            place: place, lastSeen_ms: seen_ms, probe: unprobed.firstProbe(at: now_ms, delay_ms: 0),
            told: place)))
    default: break
    }
    return Motion(settings: settings)
  }

  /// Where the vehicle was last: the parked place, or the last counted point of a trip.
  var lastPlace: Fix? {
    let words = words(of: "motion")
    guard words.first == "stationary" else { return odometer.anchor }
    guard words.count == 5, let centre = Position(words[1], words[2]),
      let seen_ms = SavedState.whole(words[4])
    else {
      return nil
    }
    return Fix(time_ms: seen_ms, position: centre, speed_mps: 0, accuracy_m: SavedState.placeAccuracy_m)
  }

  /// Of a saved place: what a receiver's mean can err under a roof.
  static let placeAccuracy_m = 50.0

  /// A date in Unix milliseconds or the number of a trip: sums with it fit.
  private static func whole(_ text: String) -> Int64? {
    guard let number = Int64(text), number.magnitude <= 1_000_000_000_000_000 else { return nil }
    return number
  }

  /// What storage holds may be damaged: neither infinite, nor negative, nor longer than any vehicle lasts.
  private static func metres(_ text: String) -> Double? {
    guard let number = Double(text), number >= 0, number <= 1e12 else { return nil }
    return number
  }

  /// Keys whose values make no sense, in order: damage. What they held is not known any more.
  var unreadable: [String] {
    let isReadable: KeyValuePairs<String, Bool> = [
      "odometer_m": isMetres("odometer_m"), "odometer_anchor": odometer.anchor != nil,
      "last_trip": entries["last_trip"].flatMap { SavedState.whole($0) } != nil, "trip": trip != nil,
      "idle_s": isMetres("idle_s"), "speeding": speeding != nil,
      "tow": entries["tow"].flatMap { Lines.Tow(rawValue: $0) } != nil,
      "missed_departure": missedDeparture, "motion": isMotionReadable,
      "geofences": geofences.split(separator: "\n").allSatisfy { Geofences.stay($0) != nil },
      "budget": ByteBudget.numbers(budget) != nil,
      "undated": Undated.read(entries["undated"] ?? "", bootID: "") != nil,
    ]
    return isReadable.filter { !$0.value && entries[$0.key]?.isEmpty == false }.map(\.key)
  }

  private func isMetres(_ key: String) -> Bool { entries[key].flatMap { SavedState.metres($0) } != nil }

  private var isMotionReadable: Bool {
    let words = words(of: "motion")
    if words == ["unknown"] || words == ["moving"] { return true }
    guard words.count == 5, words[0] == "stationary", let fixes = Int(words[3]) else { return false }
    return Position(words[1], words[2]) != nil && fixes >= 1 && SavedState.whole(words[4]) != nil
  }

  /// See `ByteBudget.saved`.
  var budget: String { entries["budget"] ?? "" }

  /// See `Geofences.saved`.
  var geofences: String { entries["geofences"] ?? "" }

  fileprivate static func anchor(_ fix: Fix) -> String {
    "\(fix.time_ms) \(fix.position.latitude_deg) \(fix.position.longitude_deg) \(fix.accuracy_m)"
  }

  private func words(of key: String) -> [String] {
    (entries[key] ?? "").split(separator: " ").map { String($0) }
  }
}

extension Position {
  /// From two words, nil if they are no place on earth.
  fileprivate init?(_ latitude: String, _ longitude: String) {
    guard let latitude_deg = Double(latitude), let longitude_deg = Double(longitude), abs(latitude_deg) <= 90,
      abs(longitude_deg) <= 180
    else { return nil }
    self.init(latitude_deg: latitude_deg, longitude_deg: longitude_deg)
  }
}

extension Tracker {
  var savedState: SavedState {
    let counted = odometer.closed
    var entries = ["odometer_m": "\(counted.total_m)", "last_trip": "\(lastTripID)", "motion": savedMotion]
    if let trip {
      let left = trip.leftAfter_ms.map { " \($0)" } ?? ""
      entries["trip"] =
        "\(trip.id) \(trip.start_ms) \(trip.lastFix_ms) \(trip.distance_m + odometer.open_m) \(trip.topSpeed_mps)"
        + left
    } else {
      entries["trip"] = ""
    }
    entries["odometer_anchor"] = counted.anchor.map { SavedState.anchor($0) } ?? ""
    entries["idle_s"] = trip.map { "\($0.idle_s)" } ?? ""
    entries["speeding"] = speedWatch.over.map { "\($0.since_ms) \($0.top_mps)" } ?? ""
    entries["tow"] = lines.tow.rawValue
    entries["missed_departure"] = lines.missedDeparture ? "yes" : ""
    entries["geofences"] = geofences.saved
    entries["clock"] = clock.saved
    entries["undated"] = outbox.undated?.saved(bootID: standing.bootID) ?? ""
    if budget.isLimited { entries["budget"] = budget.saved }
    return SavedState(entries: entries)
  }

  private var savedMotion: String {
    switch motion.state {
    case .unknown: return "unknown"
    case .moving: return "moving"
    case .stationary(let parked):
      let centre = parked.place.centre
      return
        "stationary \(centre.latitude_deg) \(centre.longitude_deg) \(parked.place.fixes) \(parked.lastSeen_ms)"
    }
  }
}
