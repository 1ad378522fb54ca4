import Glibc
import TrackerBase

/// The store opens its file, gives each server its bit, and opens the file again after a failure of the storage.
extension QueueStore {
  /// What an opening found takes the place of what was known, but for what memory knows better.
  ///
  /// - Parameter isGone: there was a file, and there was none.
  func take(_ opened: StoreFile, isGone: Bool = false) throws(StoreError) {
    (file, figures, state) = (opened, opened.figures, opened.state)
    (ledger, isUnread) = (nil, false)
    let gone = StoreFinding.replaced(aside: nil, salvaged: 0, lost: nil, wasRemoved: true)
    openReport = QueueOpenReport(findings: opened.findings + (isGone ? [gone] : []))
    // A number may have been given that the file does not know: under another id that does no harm.
    if isGone {
      state.beginID(at: HostClock.now().wall_ms)
      lost[StoreFile.unknownCause] = 1
    }
    try adoptServers()
  }

  /// Records that wait for a server that the settings no longer name leave, if no other wants them; a server that is new
  /// gets everything that waits.
  private func adoptServers() throws(StoreError) {
    let before = state.bits
    let known = Set(before.filter { serverNames.contains($0.key) }.values)
    // Also what is set for no server that is known, as a power cut or damage leaves it: it would never leave.
    let strange = figures.indices.filter { figures[$0].waiting > 0 && !known.contains($0) }
    let gone = Set(before.values).subtracting(known).union(strange).reduce(Int64(0)) { $0 | 1 << Int64($1) }
    let fresh = assignBits().reduce(Int64(0)) { $0 | 1 << Int64($1) }
    if !adoptsServers || gone == 0 && fresh == 0 { return }
    // A power cut in between: it is done once more, from the beginning.
    let after = state.bits
    state.bits = before
    let file = try opened
    let part = try file.database.prepare(
      "SELECT max(sequence) FROM (SELECT sequence FROM records WHERE sequence > ? ORDER BY sequence LIMIT 1000)"
    )
    let update = try file.database.prepare(
      "UPDATE records SET waiting = waiting & ~?3 | ?4 WHERE sequence > ?1 AND sequence <= ?2")
    let leave = try file.database.prepare(
      "DELETE FROM records WHERE sequence > ? AND sequence <= ? AND waiting = 0")
    var done: Int64 = 0
    while true {
      part.bind([.integer(done)])
      guard try part.step(), let end = part.integer(0) else { break }
      part.reset()
      Supervisor.working(most_s: 60)
      var removed = 0
      try makingRoom { () throws(StoreError) in
        try update.run(.integer(done), .integer(end), .integer(gone), .integer(fresh))
        try leave.run(.integer(done), .integer(end))
        let left = file.database.changes
        if left > 0 { try addToLedger(QueueStore.serverRemovedCause, left) }
        removed = left
      }
      if removed > 0 { dropped[QueueStore.serverRemovedCause, default: 0] += removed }
      done = end
    }
    part.reset()
    state.bits = after
    figures = try StoreFile.count(file.database, state.bits)
    assignBits()
    try transaction(state) {}
  }

  static let serverRemovedCause = "server_removed"

  /// Each server gets the bit that it had, or a free one. - Returns: those that are new.
  @discardableResult
  func assignBits() -> [Int] {
    var fresh: [Int] = []
    var known = state.bits
    if adoptsServers { known = known.filter { serverNames.contains($0.key) } }
    for name in serverNames where known[name] == nil {
      let used = Set(known.values)
      let bit = (0..<63).first { !used.contains($0) } ?? 0
      known[name] = bit
      fresh.append(bit)
    }
    if adoptsServers { state.bits = known }
    bits = serverNames.map { known[$0] ?? 0 }
    let count = (known.values.max() ?? 0) + 1
    while figures.count < count { figures.append(ServerFigures()) }
    from = Array(repeating: .min + 1, count: figures.count)
    return fresh
  }

  /// Commits begin with it: after a failure of the storage the file is closed, and opened anew as at a start.
  ///
  /// - Throws: why it cannot be opened. Nothing is open then, and the next call tries again.
  public func openAgainAfterFault() throws(StoreError) {
    let fault = file?.database.fault
    if let fault { close(because: fault) }
    guard isClosed else { return }
    Supervisor.working(most_s: 60)
    let known = isUnread ? nil : (state, figures.map { $0.waiting + $0.refused }.max() ?? 0)
    do throws(StoreError) {
      // A link may lead elsewhere by now.
      if isUnread {
        path = StoreFolder.resolved(givenPath)
      } else {
        try StoreFolder.refuseUnmounted(path, device: device)
      }
      // A file system that lets nobody write is found out before the whole file is read.
      try StoreFolder.refuseStrangers(path)
      if StoreFolder.exists(FolderEntry.folder(of: path)) { try StoreFolder.probe(besides: path) }
      let isGone = !isUnread && !StoreFolder.exists(path) && !StoreFolder.exists(path + ".new")
      // What SQLite met may lie where a quick look does not: in an index.
      var isThorough = false
      if case .corrupt? = fault { isThorough = true }
      try take(StoreFile.open(path, synchronous, isThorough: isThorough), isGone: isGone)
      if let (before, records) = known { remember(before, records) }
      (isUnsure, device) = (true, StoreFolder.device(of: path))
      reopenings += 1
    } catch {
      close(because: error)
      throw error
    }
  }

  /// What memory knows of the file that was open before.
  private func remember(_ before: StoreState, _ records: Int) {
    state.lastSequence = max(state.lastSequence, before.lastSequence)
    (state.parts, state.tail) = (before.parts, before.tail)
    // Begun, and not written yet.
    if before.idChanges.count > state.idChanges.count {
      (state.queueID, state.idChanges, state.box) = (before.queueID, before.idChanges, before.box)
    }
    if openReport.findings.isEmpty { return }
    // Nobody knows what another queue that lay in the place had.
    for case .replaced(aside: .some, _, lost: nil, wasRemoved: true) in openReport.findings { return }
    let now = figures.map { $0.waiting + $0.refused }.max() ?? 0
    openReport.lost = max(0, records - now)
    state.replacement?.lost = openReport.lost
    if let lost = openReport.lost, lost > 0 { self.lost[QueueStore.damageCause] = lost }
  }

  /// The ledger's cause for records that damage of the file is proved to have taken.
  static let damageCause = "damage"

  /// The file was removed, or another one put in its place, while it was open: what the open one has goes into a new one.
  func renewIfMoved() throws(StoreError) {
    guard try saveIfMoved() else { return }
    close(because: .closed(after: "queue: its file was removed while it was open"))
    try openAgainAfterFault()
  }

  /// Nothing holds the old connection once this has returned: it would keep the new one out.
  private func saveIfMoved() throws(StoreError) -> Bool {
    guard let file, file.database.hasMoved || !StoreFolder.exists(path + "-wal") else { return false }
    try file.room.checkpoint()
    if file.database.hasMoved { try StoreFile.replace(path, removed: file.database) }
    return true
  }

  /// Closes the file where the file system fails: as long as it is open, nobody can mount it anew.
  private func close(because fault: StoreError) {
    // Nothing more may be written by it: what it believes of the file may be wrong.
    file?.database.leaveLogOnClose(true)
    file = nil
    closedAfter = "\(fault)"
  }

  /// Reads begin with it. A file that could not be opened again is a commit's business, which comes in time.
  func openToRead() throws(StoreError) {
    if isClosed { throw .closed(after: closedAfter) }
    try openAgainAfterFault()
  }
}
