import TrackerBase

/// The trip that is going on, the metres that were ever driven, the fixes that are kept, and the speed limit.
package struct Trips: Equatable, Sendable {
  package private(set) var current: Trip?
  private(set) var lastID: Int64
  /// `current` was open when the last process ended; the first fix decides whether it goes on.
  private(set) var isResumed = false
  private(set) var odometer: Odometer
  private var track: Track
  /// The newest fix that the track has seen, and how far the vehicle can have come until then.
  private var tracked: Tracked?
  private(set) var speedWatch: SpeedWatch
  private var brakingWatch: BrakingWatch
  private var settings: TrackSettings

  private struct Tracked: Equatable, Sendable {
    var fix: Fix
    var reach_m: Double
  }

  /// Where a key was turned, until it is seen whether the vehicle has left.
  private var keyTurnedIn: Place?
  private var stationaryRadius_m: Double
  /// nil: no server's format has a place for details.
  private var details: PositionDetailsLog?
  private var battery_V: Double?

  /// - Parameter saved: as `save` wrote it, or anything.
  init(settings all: Settings, saved: SavedState, isResumed: Bool) {
    settings = all.track
    stationaryRadius_m = all.motion.stationaryRadius_m
    if all.servers.contains(where: { $0.sync.format.traits.wantsDetails }) { details = PositionDetailsLog() }
    let (driven, trip): (SavedMetres?, SavedTrip?) = (saved.value("odometer_m"), saved.value("trip"))
    odometer = Odometer(total_m: driven?.metres ?? 0, anchor: Trips.anchor(saved))
    track = Track(settings: settings)
    current = trip.map { Trip($0) }
    lastID = max(saved.value("last_trip") ?? 0, trip?.id ?? 0)
    brakingWatch = BrakingWatch(limit_mps2: settings.harshBraking_mps2)
    speedWatch = SpeedWatch(limit_mps: settings.speedLimit_mps, over: saved.value("speeding"))
    self.isResumed = isResumed && current != nil
  }

  /// After `endTrack`.
  mutating func adopt(_ all: Settings) {
    settings = all.track
    stationaryRadius_m = all.motion.stationaryRadius_m
    let wantsDetails = all.servers.contains { $0.sync.format.traits.wantsDetails }
    details = wantsDetails ? details ?? PositionDetailsLog() : nil
    (track, tracked) = (Track(settings: settings), nil)
    brakingWatch = BrakingWatch(limit_mps2: settings.harshBraking_mps2)
    speedWatch = SpeedWatch(limit_mps: settings.speedLimit_mps, over: speedWatch.over)
  }

  /// Of the trip that is going on, up to the newest fix.
  package var distance_m: Double? { current.map { $0.distance_m + odometer.open_m } }

  // MARK: A trip

  mutating func begin(_ start: Motion.Start, _ told: ToldDeparture, at time: RecordTime) {
    let first = start.track.first
    let unseen = UnseenStart(
      place: start.from, leftAfter_ms: told.leftAfter_ms, seen: start.track, radius_m: stationaryRadius_m)
    let start_ms = told.key_ms ?? unseen?.start_ms ?? first?.time_ms ?? time.time_ms
    lastID += 1
    current = Trip(id: lastID, start_ms: start_ms, leftAfter_ms: told.leftAfter_ms)
    current?.unseen = unseen?.drive
    // By a clock alone.
    if first == nil { current?.undatedSince_ms = time.boot_ms }
    isResumed = false
    track = Track(settings: settings)
    tracked = nil
    odometer.begin(at: unseen?.from ?? first, isUnseen: unseen != nil)
    // Without a fix only a key told of it.
    keyTurnedIn = first == nil ? start.from : nil
  }

  /// One fix of a trip: distance, then the track.
  ///
  /// - Parameter arrival: where the trip ends if the vehicle does not go on; nil while it drives.
  mutating func follow(_ fix: Fix, isHalted: Bool, arrival: Fix?, at time: RecordTime) -> [Record] {
    current?.date(by: fix, at: time.boot_ms)
    if let place = keyTurnedIn, !isHalted || isGone(fix, from: place) { goOn(from: place, to: fix) }
    let step_m = odometer.add(fix, halted: isHalted)
    current?.include(fix, distance_m: step_m, halted: isHalted)
    current?.estimated_m += odometer.takeEstimated()
    var records: [Record] = []
    if let change = speedWatch.add(fix) { records.append(record(change, isMoving: true, at: time)) }
    if let braking = brakingWatch.add(fix) {
      records.append(record(.incident(braking.incident), fix: braking.fix, isMoving: true, at: time))
    }
    if isZigzag(fix) { return records }
    let kept = track.add(fix, arrival: arrival)
    if !kept.isEmpty { records += positions(kept, at: time) }
    return records
  }

  /// While positions are noise, the track uses those that the speeds allow, and any one after so long.
  static let patience_ms: Int64 = 30_000
  static let zigzag_m = 5.0

  private mutating func isZigzag(_ fix: Fix) -> Bool {
    let reach_m = odometer.reach_m(to: fix)
    if let last = tracked, odometer.isOverdrawn, reach_m >= last.reach_m,
      fix.time_ms - last.fix.time_ms < Trips.patience_ms,
      last.fix.position.distance_m(to: fix.position) > reach_m - last.reach_m + Trips.zigzag_m
    {
      return true
    }
    tracked = Tracked(fix: fix, reach_m: reach_m)
    return false
  }

  /// The first fix that says whether the vehicle has left the place where a key was turned.
  private mutating func goOn(from place: Place, to fix: Fix) {
    keyTurnedIn = nil
    guard let current else { return }
    let (way_m, left_ms) = (place.centre.distance_m(to: fix.position), current.start_ms)
    let isOutside = way_m > stationaryRadius_m + fix.accuracy_m
    let hasLeft = isOutside && (fix.isDriving || isGone(fix, from: place))
    // Where it was towed or carried to before the key was turned, nobody drove it.
    guard hasLeft, way_m <= Trips.fastest_mps * Double(fix.time_ms - left_ms) / 1000 else { return }
    let start = Fix(time_ms: left_ms, position: place.centre, accuracy_m: fix.accuracy_m)
    odometer.begin(at: start, isUnseen: true)
  }

  private func isGone(_ fix: Fix, from place: Place) -> Bool {
    place.centre.distance_m(to: fix.position) > Departure.gone_m + fix.accuracy_m
  }

  /// On the mean, from the turn of a key to the first fix.
  static let fastest_mps = 20.0

  /// What came after `last` was no way: nobody drove it.
  mutating func forget(after last: Fix) {
    guard current != nil else { return }
    odometer.forget(after: last)
    track.forget(after: last.time_ms)
    if let seen = tracked, seen.fix.time_ms > last.time_ms {
      tracked = Tracked(fix: last, reach_m: odometer.reach_m(to: last))
    }
  }

  /// The next way begins where the vehicle is seen next.
  mutating func forgetPlace() {
    odometer.begin(at: nil)
    keyTurnedIn = nil
  }

  mutating func goesOn() { isResumed = false }

  /// In the last process.
  mutating func keyWasTurned(in place: Place) { keyTurnedIn = place }

  /// - Parameters:
  ///   - fix: where the trip ended; nil if that is not known better than its last fix.
  ///   - lastFix: the newest of all.
  ///   - end_ms: when, if that was later.
  mutating func end(
    at fix: Fix?, lastFix: Fix?, end_ms: Int64? = nil, cause: TripSummary.EndCause, isTowed: Bool,
    isMoving: Bool, at time: RecordTime
  ) -> (records: [Record], distance_m: Double) {
    guard var ended = current else { return ([], 0) }
    ended.date(by: time)
    let last = fix ?? lastFix
    brakingWatch.end()
    var records =
      speedWatch.end(at: last, last?.time_ms ?? ended.lastFix_ms)
      .map { [record($0, isMoving: isMoving, at: time)] } ?? []
    let rest = cause == .stayed || cause == .ignition ? track.arrived() : track.end()
    records += positions(rest, at: time)
    let rest_m = odometer.end(at: fix)
    if let fix { ended.include(fix, distance_m: rest_m) } else { ended.distance_m += rest_m }
    let last_ms = max(ended.arrival_ms(at: fix) ?? ended.lastFix_ms, ended.start_ms)
    let isDated = ended.undatedSince_ms == nil
    let summary = ended.summary(
      end_ms: max(end_ms ?? last_ms, last_ms), cause: cause, towed: isTowed, isDated: isDated)
    records.append(record(.trip(summary), fix: last, isMoving: isMoving, at: time))
    (current, isResumed) = (nil, false)
    return (records, ended.distance_m)
  }

  /// The process ends, or other settings follow: the trip stays open.
  mutating func endTrack(at time: RecordTime) -> [Record] { positions(track.end(), at: time) }

  private mutating func positions(_ fixes: [Fix], at time: RecordTime) -> [Record] {
    defer { if let last = fixes.last { details?.forget(before: last) } }
    return fixes.map { record(.position(), fix: $0, isMoving: true, at: time) }
  }

  // MARK: Records

  /// What is so from this fix on, for the positions that are made of it and of later ones.
  mutating func note(_ fix: Fix, ignitionIsOn: Bool?, geofences: @autoclosure () -> [String]) {
    if details == nil { return }
    let now = PositionDetails(ignitionIsOn: ignitionIsOn, battery_V: battery_V, geofences: geofences())
    details?.add(now, at: fix.time_ms)
  }

  /// - Parameter volts: nil: it cannot be read.
  mutating func batteryRead(_ volts: Double?) { battery_V = volts }

  /// But for its number. - Parameters:
  ///   - dated_ms: time of what is reported, where that is not the fix's.
  ///   - source: where that time comes from.
  func record(
    _ content: Record.Content, fix: Fix?, dated dated_ms: Int64? = nil, by source: Record.TimeSource = .gps,
    isMoving: Bool, at time: RecordTime
  ) -> Record {
    let kind = content.kind
    let isOfNow = [.trip, .status, .warning, .activity, .gap].contains(kind)
    // A trip's positions come late, also once the vehicle has parked.
    let isMoving = kind == .position || kind != .trip && isMoving
    let date = dated_ms.map { (time_ms: $0, source: source) } ?? time.date(of: isOfNow ? nil : fix)
    return Record(
      sequence: 0, content: detailed(content, fix), time_ms: date.time_ms, timeSource: date.source,
      boot_ms: time.boot_ms(of: date),
      fix: fix, isMoving: current != nil && isMoving && kind != .gap,
      tripID: kind == .gap ? nil : current?.id,
      odometer_m: odometer.total_m)
  }

  /// Events with what is so now.
  func detailed(_ records: [Record], _ ignitionIsOn: Bool?) -> [Record] {
    let now = PositionDetails(ignitionIsOn: ignitionIsOn, battery_V: battery_V)
    if details == nil || now == PositionDetails() { return records }
    return records.map { record in
      var record = record
      if record.kind.isEvent { record.details = now }
      return record
    }
  }

  private func detailed(_ content: Record.Content, _ fix: Fix?) -> Record.Content {
    guard let details, let fix, content == .position() else { return content }
    return .position(details: details.details(of: fix))
  }

  private func record(_ change: SpeedWatch.Action, isMoving: Bool, at time: RecordTime) -> Record {
    switch change {
    case .over(let fix):
      let event = SpeedEvent.over(limit_mps: Resolution.tenths(settings.speedLimit_mps))
      return record(.speed(event), fix: fix, isMoving: isMoving, at: time)
    case .under(let fix, let at_ms, let top_mps, let duration_s):
      let event = SpeedEvent.under(
        top_mps: Resolution.tenths(top_mps), duration_s: Resolution.tenths(duration_s))
      return record(.speed(event), fix: fix, dated: at_ms, isMoving: isMoving, at: time)
    }
  }

  /// The newest fixes of the trip that no record holds yet.
  func tail(at time: RecordTime) -> [Record] {
    guard let current else { return [] }
    let odometer_m = odometer.closed.total_m
    return track.open.map { fix in
      let date = time.date(of: fix)
      return Record(
        sequence: 0, content: detailed(.position(), fix), time_ms: date.time_ms, timeSource: date.source,
        boot_ms: time.boot_ms(of: date), fix: fix, isMoving: true, tripID: current.id, odometer_m: odometer_m)
    }
  }
}
