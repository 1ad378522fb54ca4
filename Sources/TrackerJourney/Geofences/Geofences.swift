import TrackerBase

/// ENTER, EXIT and DWELL of the user's areas.
///
/// Between two edges the state stays as it is: a fix counts only when it is farther from the edge than it can err.
/// While the vehicle stands, the mean of its place is judged instead of the single fix, and each fence changes at
/// most once: what stands crosses no edge. What happens between two fixes is not invented.
///
/// Stays are in GPS time, since late fixes are as good as prompt ones; the timer that reports a DWELL while the GPS
/// is off is on the boot clock. No memory of it is left after `watchEnded` or a start: then a fix comes first.
public struct Geofences: Equatable, Sendable {
  public enum Action: Equatable, Sendable {
    /// The fix, at the place that was judged.
    case entered(Geofence, Fix)
    case exited(Geofence, Fix)
    /// Inside for the loitering delay, at `time_ms` of GPS time; `Fix` is the last one seen.
    case dwelt(Geofence, Fix, time_ms: Int64)
  }

  struct Stay: Equatable, Sendable {
    /// GPS time of the fix that showed it.
    var since_ms: Int64
    var hasDwelt = false
  }

  public let fences: [Geofence]
  /// By the fence's number, one beside the other: for each fix they are looked at one by one (docs/decisions.md).
  private let boxes: [GeoBox]
  /// By the fence's number. What is not here is outside.
  private(set) var inside: [Int: Stay] = [:]
  /// GPS time since which fixes are inside of a fence that is too small for their accuracy.
  private var almost: [Int: Int64] = [:]
  /// Changed since the vehicle stands.
  private var changedHere: Set<Int> = []
  private var lastSeen: Fix?
  /// GPS time minus boot clock at the last fix.
  private var ahead_ms: Int64?
  /// GPS time of the next DWELL.
  private var nextDwell_ms: Int64?
  /// Fences measured since the start: what a fix costs.
  private(set) var measured = 0

  /// A mean of so many fixes errs by less than half of what one of them does.
  static let fixesOfGoodMean = Place.maxWeight

  public init(_ fences: [Geofence] = []) { self.init(fences, saved: []) }

  /// - Parameter saved: what `saved` was when the process before this one ended; of fences that are no more it is
  ///   ignored.
  init(_ fences: [Geofence], saved: [SavedStay]) {
    self.fences = fences
    boxes = fences.map(\.box)
    restore(saved)
  }

  func describe(_ status: inout GeofenceStatus, at time_ms: Int64) {
    status.count = fences.count
    status.setInside(insideIDs)
    status.expired = expired(at: time_ms)
  }

  /// - Parameters:
  ///   - place: where the vehicle stands; nil while it moves.
  ///   - now_ms: boot time.
  public mutating func fixArrived(_ fix: Fix, standingIn place: Place? = nil, at now_ms: Int64) -> [Action] {
    guard !fences.isEmpty else { return [] }
    let sight = Sight(fix, standingIn: place)
    if !sight.isStanding { changedHere = [] }
    ahead_ms = fix.time_ms - now_ms
    lastSeen = sight.fix
    let changes = exits(sight) + entries(sight)
    return changes + dwells(at: fix.time_ms, reportedBy: sight.fix)
  }

  /// Only while the vehicle is parked: one that drives and is not seen may be anywhere.
  public mutating func tick(at now_ms: Int64) -> [Action] {
    guard let deadline_ms, now_ms >= deadline_ms, let ahead_ms else { return [] }
    return dwells(at: now_ms + ahead_ms, reportedBy: nil)
  }

  /// Boot time of the next DWELL of a parked vehicle.
  public var deadline_ms: Int64? {
    guard let nextDwell_ms, let ahead_ms else { return nil }
    return nextDwell_ms - ahead_ms
  }

  /// Tracking ends (window closed, paused): nothing is reported until a fix confirms where the vehicle is.
  public mutating func watchEnded() {
    ahead_ms = nil
    lastSeen = nil
    almost = [:]
    changedHere = []
  }

  /// Names of the fences that the vehicle is inside of, in the order of the file.
  public var insideIDs: [String] { inside.keys.sorted().map { fences[$0].id } }

  /// How many fences have expired by `time_ms`, Unix milliseconds.
  public func expired(at time_ms: Int64) -> Int { fences.count { $0.hasExpired(at: time_ms) } }

  // MARK: judging

  private mutating func exits(_ sight: Sight) -> [Action] {
    var actions: [Action] = []
    for number in inside.keys.sorted() {
      let fence = fences[number]
      guard !fence.hasExpired(at: sight.fix.time_ms) else {
        inside[number] = nil
        continue
      }
      if let stay = inside[number], sight.fix.time_ms < stay.since_ms {
        // The date was wrong until now, and would keep the stay from ever lasting long enough.
        inside[number]?.since_ms = sight.fix.time_ms
      }
      guard !changedHere.contains(number), depth_m(of: sight, in: fence) < -sight.error_m else { continue }
      inside[number] = nil
      if sight.isStanding { changedHere.insert(number) }
      actions.append(.exited(fence, sight.fix))
    }
    return actions
  }

  private mutating func entries(_ sight: Sight) -> [Action] {
    var actions: [Action] = []
    var nowAlmost: [Int: Int64] = [:]
    for number in candidates(at: sight.fix) {
      let fence = fences[number]
      guard depth_m(of: sight, in: fence) > min(sight.error_m, fence.size_m / 2) else { continue }
      let since_ms = almost[number] ?? sight.fix.time_ms
      guard sight.error_m <= fence.size_m || sight.fix.time_ms - since_ms >= Fix.believed_ms else {
        nowAlmost[number] = since_ms
        continue
      }
      inside[number] = Stay(since_ms: sight.fix.time_ms)
      if sight.isStanding { changedHere.insert(number) }
      actions.append(.entered(fence, sight.fix))
    }
    almost = nowAlmost
    return actions
  }

  private mutating func depth_m(of sight: Sight, in fence: Geofence) -> Double {
    measured += 1
    return fence.depth_m(of: sight.fix.position)
  }

  /// Fences that may be entered here, in the order of the file.
  private func candidates(at fix: Fix) -> [Int] {
    boxes.indices.filter { number in
      boxes[number].contains(fix.position) && inside[number] == nil && !changedHere.contains(number)
        && !fences[number].hasExpired(at: fix.time_ms)
    }
  }

  // MARK: dwelling

  /// - Parameter fix: what shows that the vehicle is inside still; nil: it is parked, and was there when it was due.
  private mutating func dwells(at time_ms: Int64, reportedBy fix: Fix?) -> [Action] {
    var actions: [Action] = []
    nextDwell_ms = nil
    for number in inside.keys.sorted() {
      guard let due_ms = dwellDue_ms(number), let lastSeen else { continue }
      if due_ms <= time_ms {
        inside[number]?.hasDwelt = true
        actions.append(.dwelt(fences[number], lastSeen, time_ms: fix?.time_ms ?? due_ms))
      } else {
        nextDwell_ms = min(nextDwell_ms ?? .max, due_ms)
      }
    }
    return actions
  }

  /// GPS time at which the stay becomes a DWELL; nil if it never does.
  private func dwellDue_ms(_ number: Int) -> Int64? {
    let fence = fences[number]
    guard fence.notifyOnDwell, let stay = inside[number], !stay.hasDwelt else { return nil }
    let due_ms = stay.since_ms + milliseconds(fence.loiteringDelay_s)
    return fence.hasExpired(at: due_ms) ? nil : due_ms
  }

  // MARK: saving

  /// Of each fence that the vehicle is inside of.
  var saved: [SavedStay] {
    inside.sorted { $0.key < $1.key }.map { number, stay in
      SavedStay(id: fences[number].id, since_ms: stay.since_ms, hasDwelt: stay.hasDwelt)
    }
  }

  private mutating func restore(_ saved: [SavedStay]) {
    if saved.isEmpty { return }
    let numbers = Dictionary(fences.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    for stay in saved {
      if let number = numbers[stay.id] {
        inside[number] = Stay(since_ms: stay.since_ms, hasDwelt: stay.hasDwelt)
      }
    }
  }
}

struct SavedStay: SavedObject, Equatable {
  var id = ""
  var since_ms: Int64 = 0
  var hasDwelt = false

  static let members: [SavedMember<SavedStay>] = [
    .init("id", \.id), .init("since_ms", \.since_ms), .init("dwelt", \.hasDwelt),
  ]

  var isSound: Bool { GPSDate.possible_ms.contains(since_ms) }
}

/// What is judged: a fix, or the place where the vehicle stands, and how far it can be from the truth.
private struct Sight {
  var fix: Fix
  var error_m: Double
  var isStanding: Bool

  init(_ fix: Fix, standingIn place: Place?) {
    self.fix = fix
    error_m = fix.accuracy_m
    isStanding = place != nil
    guard let place else { return }
    self.fix.position = place.centre
    if place.fixes >= Geofences.fixesOfGoodMean { error_m /= 2 }
  }
}

extension Geofences.Action {
  /// As it is recorded; nil where the area's settings do not want it. `time_ms` is GPS time.
  var told: (event: GeofenceEvent, fix: Fix, time_ms: Int64)? {
    switch self {
    case .entered(let fence, let fix): told(.enter, fence, fence.notifyOnEntry, fix, fix.time_ms)
    case .exited(let fence, let fix): told(.exit, fence, fence.notifyOnExit, fix, fix.time_ms)
    case .dwelt(let fence, let fix, let time_ms): told(.dwell, fence, fence.notifyOnDwell, fix, time_ms)
    }
  }

  private func told(
    _ action: GeofenceEvent.Transition, _ fence: Geofence, _ isWanted: Bool, _ fix: Fix, _ time_ms: Int64
  ) -> (event: GeofenceEvent, fix: Fix, time_ms: Int64)? {
    guard isWanted else { return nil }
    return (GeofenceEvent(action: action, geofence: fence.id, extras: fence.extras), fix, time_ms)
  }
}
