import Glibc
import TrackerBase

/// Something about the file that is not as it was left.
public enum StoreFinding: Equatable, Sendable {
  /// What could be read of it is in a new one. - Parameter aside: where the old one is; nil: it was gone.
  case replaced(aside: String?, salvaged: Int, lost: Int?, wasRemoved: Bool)
  /// The log was removed, and with it what was committed last.
  case logMissing
  /// The state makes no sense: trips, odometer and what was learned begin anew.
  case stateLost

  static func replaced(_ replacement: StoreState.Replacement, path: String) -> StoreFinding {
    let aside = replacement.aside_s.map { StoreFile.aside(path, $0) }
    return .replaced(
      aside: aside.flatMap { StoreFolder.exists($0) ? $0 : nil }, salvaged: replacement.salvaged,
      lost: replacement.lost, wasRemoved: replacement.wasRemoved)
  }

  fileprivate var words: String {
    switch self {
    case .replaced(let aside, let salvaged, _, wasRemoved: false):
      "the queue file was damaged: \(aside.map { "set aside as \($0), " } ?? "")\(counted(salvaged, "record")) salvaged"
    case .replaced(let aside, let salvaged, _, wasRemoved: true):
      "the queue file was removed or replaced under the running agent: "
        + "\(counted(salvaged, "record is", "records are")) saved in a new one"
        + (aside.map { ", what lay in its place is \($0)" } ?? "")
    case .logMissing: "the queue's log was removed: what was committed last is missing"
    case .stateLost: "the queue's saved state cannot be read: trips and odometer begin anew"
    }
  }
}

/// What happened to the file when it was opened.
public struct QueueOpenReport: Equatable, Sendable {
  /// A file that was replaced is reported at each opening until `reportTaken`.
  public var findings: [StoreFinding] = []
  /// Records that the damage has cost; nil: that is not known.
  public var lost: Int?

  init(findings: [StoreFinding] = []) {
    self.findings = findings
    for case .replaced(_, _, let lost, _) in findings { self.lost = lost }
  }

  /// Where what lay in the queue file's place was moved.
  public var setAside: String? {
    for case .replaced(let aside, _, _, _) in findings { return aside }
    return nil
  }

  /// Records that are in a new file, where there is one.
  public var salvaged: Int {
    for case .replaced(_, let salvaged, _, _) in findings { return salvaged }
    return 0
  }

  /// What may have cost records, in words for operators.
  public var damage: [String] {
    let loss =
      switch lost {
      case nil: "how many records are lost is not known"
      case 0?: "no record is lost"
      case let lost?: "\(counted(lost, "record is", "records are")) lost"
      }
    return findings.map { "\($0.words); \(loss)" }
  }
}

/// Replaces a damaged file by one with all that SQL can read of it.
extension StoreFile {
  /// Builds the new file beside the old one and then swaps them, so that a power cut at any point loses
  /// nothing: until the first rename the old file is tried again, after it `finishReplacement` goes on.
  ///
  /// - Parameter removed: the old file, open, where its name no longer stands for it.
  static func replace(_ path: String, removed: SQLiteDatabase? = nil) throws(StoreError) {
    try StoreFolder.makeFolders(of: path)
    // After the newest that is there, also when the clock has fallen behind: by it they are kept, and found again.
    let now_s = max(Int64(time(nil)), (asides(of: path).last ?? asideTimes_s.lowerBound) + 1)
    let fresh = path + ".new"
    for suffix in StoreFolder.suffixes { unlink(fresh + suffix) }
    do throws(StoreError) { try build(fresh, from: path, now_s, removed: removed) } catch {
      // Where there is no room for it, it leaves what there was.
      for suffix in StoreFolder.suffixes { unlink(fresh + suffix) }
      throw error
    }
    let aside = aside(path, now_s)
    // The log last: it belongs to the file that is already aside, and must not meet the new one.
    if removed != nil, !StoreFolder.exists(path) { unlink(path + "-wal") }
    for suffix in StoreFolder.suffixes { try move(path + suffix, to: aside + suffix) }
    try move(fresh, to: path)
    try StoreFolder.syncFolder(of: path)
    for time_s in asides(of: path).dropLast(keptAside) {
      for suffix in StoreFolder.suffixes { unlink(self.aside(path, time_s) + suffix) }
    }
  }

  /// The new file, whole and flushed.
  private static func build(
    _ fresh: String, from path: String, _ now_s: Int64, removed: SQLiteDatabase?
  ) throws(StoreError) {
    let new = try StoreFile(fresh)
    let old = removed ?? openedToSalvage(path)
    var state = old.flatMap { try? readState($0) } ?? StoreState()
    // Numbers may have been given that nothing shows any more: under another id they do no harm.
    state.beginID(at: HostClock.now().wall_ms)
    (state.isLogNeeded, state.figures) = (false, nil)
    try new.database.transaction { () throws(StoreError) in
      let salvaged = try old.map { old throws(StoreError) in try copy(from: old, into: new.database) } ?? 0
      state.lastSequence = max(state.lastSequence, try greatestSequence(new.database))
      state.replacement = StoreState.Replacement(
        // What lies in its place may be a queue with records of its own.
        aside_s: now_s, salvaged: salvaged, lost: removed == nil || isDatabase(path) ? nil : 0,
        wasRemoved: removed != nil)
      if removed == nil { try new.statements.addToLedger.run(.text(unknownCause), .integer(1)) }
      try new.statements.writeState.run(.text(state.json))
    }
    // The file is renamed alone: nothing may be left in its log.
    try new.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    new.database.keepLog(false)
  }

  /// The ledger's cause for damage of which nobody knows how many records it took: it counts how often.
  static let unknownCause = "damage_unknown"

  /// Damaged files for a person to look at; older ones would fill the disk.
  static let keptAside = 2

  static func aside(_ path: String, _ time_s: Int64) -> String { "\(path).corrupt-\(time_s)" }

  /// Goes on where a power cut stopped `replace` between its renames.
  static func finishReplacement(_ path: String) throws(StoreError) {
    guard !StoreFolder.exists(path), StoreFolder.exists(path + ".new"),
      let new = try? SQLiteDatabase(path: path + ".new", readOnly: true, withoutLog: true),
      let time_s = (try? readState(new))?.replacement?.aside_s
    else { return }
    for suffix in StoreFolder.suffixes.dropFirst() {
      try move(path + suffix, to: aside(path, time_s) + suffix)
    }
    try move(path + ".new", to: path)
    try StoreFolder.syncFolder(of: path)
  }

  /// From 2020 to 2999, also where the clock has no battery: another number is in the name of another's file.
  private static let asideTimes_s: Range<Int64> = 1_577_836_800..<32_503_680_000

  /// The times in the names of damaged files that were set aside, oldest first.
  private static func asides(of path: String) -> [Int64] {
    let prefix = path.split(separator: "/").last.map { "\($0).corrupt-" } ?? ""
    return FolderEntry.all(in: FolderEntry.folder(of: path)).map(\.name).filter { $0.hasPrefix(prefix) }
      .compactMap { Int64($0.dropFirst(prefix.count)) }.filter { asideTimes_s.contains($0) }.sorted()
  }

  private static func move(_ old: String, to new: String) throws(StoreError) {
    guard StoreFolder.exists(old) else { return }
    if rename(old, new) != 0 { throw .system("rename of the queue file", errno: errno) }
  }

  // MARK: Salvage

  /// It begins as one does (section 1.3 of sqlite.org/fileformat2.html); SQLite reads no other.
  private static func isDatabase(_ path: String) -> Bool {
    guard let file = try? OutsideFile.open(path) else { return false }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 16)
    return pread(file, &bytes, 16, 0) == 16 && bytes == Array("SQLite format 3\u{0}".utf8)
  }

  /// So that nothing in it changes, but for a part of a page at its end: SQLite would take zeros for the rest of it. Nil where
  /// not even that is possible.
  private static func openedToSalvage(_ path: String) -> SQLiteDatabase? {
    let whole = StoreFolder.size(path) / StoreSchema.pageBytes * StoreSchema.pageBytes
    // What is no database at all is a person's, and stays as it is.
    guard whole > 0, isDatabase(path) else { return nil }
    if StoreFolder.size(path) > whole { truncate(path, off_t(whole)) }
    guard let old = try? SQLiteDatabase(path: path) else { return nil }
    old.leaveLogOnClose(true)
    // A file that is no database refuses this; then there is no row to read either.
    try? old.execute("PRAGMA locking_mode = EXCLUSIVE")
    // A file that was cut has fewer pages than its header says: SQLite reads what there is all the same.
    try? old.execute("PRAGMA writable_schema = ON")
    if (try? old.integer("SELECT count(*) FROM records")) == nil,
      let bare = try? SQLiteDatabase(path: path, readOnly: true, withoutLog: true),
      (try? bare.integer("SELECT count(*) FROM records")) != nil
    {
      return bare
    }
    return old
  }

  /// Everything readable; returns how many records that were. Inside a transaction.
  private static func copy(from old: SQLiteDatabase, into new: SQLiteDatabase) throws(StoreError) -> Int {
    let (names, places) = (RecordColumns.names, RecordColumns.placeholders)
    let records = try new.prepare(
      "INSERT INTO records(\(names), waiting) VALUES (\(places), ?) ON CONFLICT DO NOTHING")
    let waiting = Int32(RecordColumns.count)
    try eachRow(of: "records", "\(names), waiting", in: old) { row throws(StoreError) in
      guard let record = RecordColumns.record(row), let mask = row.integer(waiting), mask > 0 else { return }
      try records.run(RecordColumns.values(record, queueID: 0) + [.integer(mask)])
    }
    let refused = try new.prepare(
      """
      INSERT INTO refused(\(names), server, reason, refused_ms) VALUES (\(places), ?, ?, ?)
      ON CONFLICT DO NOTHING
      """)
    try eachRow(of: "refused", "\(names), server, reason, refused_ms", in: old) { row throws(StoreError) in
      guard let record = RecordColumns.record(row) else { return }
      let rest: [SQLiteValue] = [
        .text(row.text(waiting)), .text(row.text(waiting + 1)), .integer(row.integer(waiting + 2) ?? 0),
      ]
      try refused.run(RecordColumns.values(record, queueID: 0) + rest)
    }
    let ledger = try new.prepare("REPLACE INTO ledger VALUES (?, ?)")
    try eachRow(of: "ledger", key: "cause", "cause, records", in: old) { row throws(StoreError) in
      try ledger.run(.text(row.text(0)), .integer(row.integer(1) ?? 0))
    }
    return Int(try new.integer("SELECT count(*) FROM records"))
  }

  /// Calls `body` for each row that can be read, from both ends: a bad page in the middle stops a walk, and hides what lies
  /// beyond it. Only `body`'s errors are thrown: they are of the new file.
  private static func eachRow(
    of table: String, key: String = "sequence", _ columns: String, in old: SQLiteDatabase,
    _ body: (SQLiteStatement) throws(StoreError) -> Void
  ) throws(StoreError) {
    for order in ["ASC", "DESC"] {
      let sql = "SELECT \(columns) FROM \(table) ORDER BY \(key) \(order)"
      guard let statement = try? old.prepare(sql) else { continue }
      var rows = 0
      while true {
        guard let isRow = try? statement.step() else { break }
        if !isRow { return }
        try body(statement)
        rows += 1
        if rows % 1000 == 0 { Supervisor.working(most_s: 60) }
      }
    }
  }
}
