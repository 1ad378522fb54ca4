import TrackerBase

/// What the modem's serving cell says of a parked vehicle.
///
/// A modem that is parked flaps between neighbours, so a place has several cells. They are learned while it stands
/// there; a cell that the place has not shown is a sign of life. Nobody asks the modem for anything: it tells each
/// change. All times are on the boot clock.
struct CellWatch: Equatable, Sendable {
  enum State: Equatable, Sendable {
    /// Where the vehicle is parked, or whether it is, nobody knows; or the trip's departure has been told.
    case idle
    case parked(Parked)
    /// On a trip, until the first cell that the parking place had not shown.
    case leaving(known: [Cell], since_ms: Int64)
  }

  struct Parked: Equatable, Sendable {
    /// Shown while the vehicle was in its place; at most `most`.
    var known: [Cell] = []
    /// Shown since it was last seen there, and new.
    var doubtful: [Cell] = []
    /// Of the first of them, and of the last one.
    var newSince_ms: Int64?
    var newestAt_ms: Int64 = 0

    var isFull: Bool { known.count + doubtful.count >= CellWatch.most }
  }

  private(set) var state = State.idle
  /// What serves now, of all modems; empty: nobody says.
  private(set) var serving: [Cell] = []
  private(set) var delay = CellDelay()

  /// A place that shows more is told by no cell.
  static let most = 32
  /// Modems of one machine.
  static let mostServing = 4
  /// A new cell that no look explains (no sky) is a doubt for so long.
  static let doubt_ms: Int64 = 180_000

  /// Mean time from a departure until the modem tells of it; nil: it does not, or not here.
  var told_s: Double? {
    guard case .parked(let parked) = state, !parked.isFull, !serving.isEmpty else { return nil }
    return delay.mean_s
  }

  /// How many cells the parking place has shown; nil: nobody says.
  var count: Int? {
    guard case .parked(let parked) = state, !serving.isEmpty else { return nil }
    return parked.known.count
  }

  var isFull: Bool {
    if case .parked(let parked) = state { parked.isFull } else { false }
  }

  /// Since when there is a cell that the place had not shown, and that no look has explained.
  var newSince_ms: Int64? {
    if case .parked(let parked) = state { parked.newSince_ms } else { nil }
  }

  // MARK: What the modem tells

  /// While nobody watches the vehicle they say nothing of it.
  mutating func serves(_ cells: [Cell]) { serving = Array(cells.prefix(CellWatch.mostServing)) }

  /// - Parameter cells: those that serve now.
  /// - Returns: whether one of them is a sign of life.
  mutating func shown(_ cells: [Cell], at now_ms: Int64) -> Bool {
    serves(cells)
    switch state {
    case .idle: return false
    case .parked(let parked): return shownWhileParked(parked, at: now_ms)
    case .leaving(let known, let since_ms):
      guard serving.contains(where: { !known.contains($0) }) else { return false }
      delay.waited(seconds(since_ms, now_ms), isTold: true)
      state = .idle
      return false
    }
  }

  private mutating func shownWhileParked(_ before: Parked, at now_ms: Int64) -> Bool {
    var parked = before
    let new = serving.filter { !parked.known.contains($0) && !parked.doubtful.contains($0) }
    guard !new.isEmpty, !parked.isFull else { return false }
    parked.doubtful += new
    (parked.newSince_ms, parked.newestAt_ms) = (parked.newSince_ms ?? now_ms, now_ms)
    state = .parked(parked)
    return true
  }

  // MARK: What the vehicle does

  /// It stands there from now on. Another place knows nothing of this one's cells.
  mutating func parked(at now_ms: Int64) {
    if case .leaving(_, let since_ms) = state, !serving.isEmpty {
      delay.waited(seconds(since_ms, now_ms), isTold: false)
    }
    state = .parked(Parked(known: serving))
  }

  /// It was seen in its place: what serves there, and what has, is the place's. - Returns: whether that is news.
  mutating func seenInPlace() -> Bool {
    guard case .parked(let parked) = state else {
      state = .parked(Parked(known: serving))
      return !serving.isEmpty
    }
    // As always without a modem.
    if serving.isEmpty, parked.doubtful.isEmpty, parked.newSince_ms == nil { return false }
    return learn(parked, parked.doubtful + serving)
  }

  /// No look finds out, and the doubt has lasted: the place's, too. - Returns: likewise.
  mutating func doubtEnds(at now_ms: Int64) -> Bool {
    guard case .parked(let parked) = state, parked.newSince_ms != nil,
      now_ms - parked.newestAt_ms >= CellWatch.doubt_ms
    else { return false }
    return learn(parked, parked.doubtful)
  }

  private mutating func learn(_ before: Parked, _ cells: [Cell]) -> Bool {
    var parked = before
    (parked.doubtful, parked.newSince_ms) = ([], nil)
    for cell in cells where !parked.known.contains(cell) && !parked.isFull { parked.known.append(cell) }
    state = .parked(parked)
    return parked.known.count > before.known.count
  }

  /// - Parameter since_ms: when, as far as is known.
  mutating func left(since_ms: Int64) {
    guard case .parked(let parked) = state, !serving.isEmpty, !parked.isFull else { return state = .idle }
    guard let newSince_ms = parked.newSince_ms else {
      return state = .leaving(known: parked.known, since_ms: since_ms)
    }
    delay.waited(seconds(since_ms, newSince_ms), isTold: true)
    state = .idle
  }

  /// From now on nobody knows where it is.
  mutating func lost() { state = .idle }

  private func seconds(_ from_ms: Int64, _ to_ms: Int64) -> Double { Double(to_ms - from_ms) / 1000 }
}

extension CellWatch {
  var saved: SavedCells {
    let cells: [Cell] = if case .parked(let parked) = state { parked.known } else { [] }
    return SavedCells(told: delay.told, waited_s: delay.waited_s, known: cells)
  }

  /// How soon departures are told, as before this process. Where the vehicle is parked is known better by now.
  mutating func remember(_ saved: SavedState) {
    if let old: SavedCells = saved.value("cells") { delay = old.delay }
  }

  /// - Parameter isParked: the vehicle was left in a place that is known.
  init(saved: SavedState, isParked: Bool) {
    let old: SavedCells? = saved.value("cells")
    if let old { delay = old.delay }
    if isParked { state = .parked(Parked(known: old?.known ?? [])) }
  }
}

struct SavedCells: SavedObject, Equatable {
  /// As in `CellDelay`.
  var told = 0.0
  var waited_s = 0.0
  /// Of the parking place.
  var known: [Cell] = []

  static let members: [SavedMember<SavedCells>] = [
    .init("told", \.told, decimals: 2) { (0...1e6).contains($0) },
    .init("waited_s", \.waited_s, decimals: 0) { (0...1e9).contains($0) },
    .init("known", \.known) { $0.count <= CellWatch.most },
  ]

  var delay: CellDelay { CellDelay(told: told, waited_s: waited_s) }
}

extension Cell: Savable {}
