import TrackerCore

/// Under which ids the queue's records are sent, and in which box it is: rows of `meta`.
struct QueueIdentity: Equatable {
  /// A part of the box, as its key in `meta`. The value is a hash: it is only ever compared.
  enum Part: String, CaseIterable {
    case machineID = "box_machine_id"
    case board = "box_board"
    case card = "box_card"

    var words: String {
      switch self {
      case .machineID: "under another machine id"
      case .board: "on another board"
      case .card: "on another card"
      }
    }
  }

  var ids: QueueIDs
  /// Known parts of the box in which it was last used.
  private(set) var box: [Part: Int64]
  /// The first board that it was known to be on.
  private(set) var homeBoard: Int64?

  private static let idKey = "queue_id@"
  private static let (changesKey, changedKey, homeKey) = ("id_changes", "id_changed_ms", "box_home_board")

  /// - Parameter meta: rows of `meta`, by key; others are passed over.
  init(first: UInt64, meta: [String: Int64] = [:]) {
    var later: [Int64: UInt64] = [:]
    for (key, id) in meta where key.hasPrefix(QueueIdentity.idKey) {
      if let from = Int64(key.dropFirst(QueueIdentity.idKey.count)) { later[from] = UInt64(bitPattern: id) }
    }
    ids = QueueIDs(
      first: first, later: later, changes: Int(meta[QueueIdentity.changesKey] ?? 0),
      changed_ms: meta[QueueIdentity.changedKey])
    homeBoard = meta[QueueIdentity.homeKey]
    box = [:]
    for part in Part.allCases { box[part] = meta[part.rawValue] }
  }

  init(first: UInt64, _ database: SQLiteDatabase) throws(QueueError) {
    var meta: [String: Int64] = [:]
    let row = try database.prepare("SELECT key, value FROM meta")
    while try row.step() { meta[row.text(0)] = row.integer(1) }
    self.init(first: first, meta: meta)
  }

  var meta: [String: Int64] {
    var meta: [String: Int64] = [:]
    for (from, id) in ids.later { meta[QueueIdentity.idKey + "\(from)"] = Int64(bitPattern: id) }
    if ids.changes > 0 { meta[QueueIdentity.changesKey] = Int64(ids.changes) }
    meta[QueueIdentity.changedKey] = ids.changed_ms
    meta[QueueIdentity.homeKey] = homeBoard
    for (part, hash) in box { meta[part.rawValue] = hash }
    return meta
  }

  static func isKey(_ key: String) -> Bool {
    key.hasPrefix(idKey) || [changesKey, changedKey, homeKey].contains(key) || Part(rawValue: key) != nil
  }

  /// Nothing is known of any box, and there was never another id.
  var isBlank: Bool { box.isEmpty && ids.changes == 0 }

  /// What is known now takes the place of what was. - Returns: the parts that were known and are others now.
  mutating func note(_ host: HostIdentity) -> [Part] {
    let now: [(Part, String?)] = [(.machineID, host.machineID), (.board, host.board), (.card, host.card)]
    var changed: [Part] = []
    for (part, text) in now {
      guard let text else { continue }
      let hash = QueueIdentity.hash(text)
      if let before = box[part], before != hash { changed.append(part) }
      box[part] = hash
    }
    if homeBoard == nil { homeBoard = box[.board] }
    return changed
  }

  /// Distinguishes the board from the first one; nil on that one, and where either is not known.
  var boardSuffix: String? {
    guard let board = box[.board], let homeBoard, board != homeBoard else { return nil }
    return SettingText.hex(UInt64(board) & 0xFFFF_FFFF, digits: 8)
  }

  private static func hash(_ text: String) -> Int64 {
    var hash = FNV1a()
    hash.add(text)
    return Int64(hash.value >> 1)
  }
}

/// Two boxes from one copied card must not give two records one identity (docs/queue.md, Copied cards).
extension QueueStore {
  public var ids: QueueIDs { identity.ids }

  /// For the name of a device that is named by its machine: nil on the board where the queue was first used.
  public var boardSuffix: String? { identity.boardSuffix }

  /// Where the queue is now. In another box than before, new records get another id, and what waits keeps its own: the
  /// box before may have sent it already, or send it still, and it is the same there.
  ///
  /// What cannot be written counts all the same, and is written with the next commit.
  ///
  /// - Parameter sequence: no greater one was given to any record.
  /// - Returns: what has changed, in words; nil: nothing.
  public func noteHost(_ host: HostIdentity, after sequence: Int64) -> String? {
    let before = identity
    let changed = identity.note(host)
    // After damage that took the knowledge of the box: another id costs nothing.
    let isForgotten = before.isBlank && openReport.hasDamage(of: .database)
    if !changed.isEmpty || isForgotten { beginID(after: sequence) }
    if identity != before { isIdentityUnsaved = true }
    if let dropped = try? saveIdentity() { unreported.merge(dropped, uniquingKeysWith: +) }
    if isForgotten { return "where the damaged queue was last used is not known: \(QueueStore.consequence)" }
    if changed.isEmpty { return nil }
    let places = changed.map(\.words).joined(separator: ", ")
    return "the queue was last used \(places): \(QueueStore.consequence)"
  }

  private static let consequence =
    "new records get another queue id, so that two boxes from one copied card stay apart; what waits keeps its own"

  /// The server has other records under the identities of these: they get the newest id.
  ///
  /// - Parameter renews: they have it, so another one is begun, for new records too.
  /// - Throws: when that cannot be written. It counts all the same, and is written with the next commit.
  public func renumber(_ sequences: [Int64], renews: Bool) throws(QueueError) -> [String: Int] {
    if renews { beginID(after: max(held.lastSequence, greatestStored, sequences.max() ?? 0)) }
    identity.ids.renumber(sequences)
    isIdentityUnsaved = true
    return try saveIdentity()
  }

  private func beginID(after sequence: Int64) {
    identity.ids.begin(QueueSchema.randomID(), after: sequence, at: HostClock.now().wall_ms)
  }

  /// In one transaction: a power cut leaves the ids as they were, or all of the new ones. - Returns: as `commit`.
  func saveIdentity() throws(QueueError) -> [String: Int] {
    guard isIdentityUnsaved else { return [:] }
    let database = try database
    let oldest = try database.integer(QueueIdentity.oldestSQL)
    identity.ids.forget(before: min(oldest, held.rows.first?.sequence ?? .max))
    let before = try QueueIdentity(first: queueID, database).meta
    let now = identity.meta
    let dropped = try makingRoom { () throws(QueueError) in
      let leave = try database.prepare("DELETE FROM meta WHERE key = ?")
      for key in before.keys where now[key] == nil { try leave.run(.text(key)) }
      for (key, value) in now where before[key] != value {
        try statements.mark.run(.text(key), .integer(value))
      }
    }
    isIdentityUnsaved = false
    // In the file itself: a lost log would bring the old ids back. Without it they are on storage all the same.
    try? database.execute("PRAGMA wal_checkpoint(FULL)")
    return dropped
  }

  /// What another opening found: memory knows the ids better, but for files of which it knew nothing.
  func takeIdentity(_ found: QueueIdentity) {
    if isUnread || found.ids.first != identity.ids.first {
      identity = found
    } else if found != identity {
      isIdentityUnsaved = true
    }
  }
}

extension QueueIdentity {
  fileprivate static let oldestSQL = """
    SELECT min(coalesce((SELECT min(sequence) FROM records), \(Int64.max)),
      coalesce((SELECT min(sequence) FROM quarantine), \(Int64.max)))
    """
}
