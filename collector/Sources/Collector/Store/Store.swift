import GRDB

/// The records of all devices in one SQLite file.
///
/// What ``store(_:at:)`` has returned survives a power cut: the file is in WAL mode with
/// `synchronous=FULL`, and this is read back before the store is handed out. There is one connection: SQLite
/// before 3.51.3 can damage a WAL file that a second connection resets.
public final class Store: Sendable {
  let connection: DatabaseQueue
  let uploads = WaitingUploads()

  /// Opens or makes the file. Throws a ``StoreError`` that says what the operator can do.
  public init(path: String) throws {
    var configuration = Configuration()
    configuration.label = "store"
    configuration.journalMode = .wal
    // A backup by another process may hold the file for a moment.
    configuration.busyMode = .timeout(10)
    // What is deleted leaves no trace in the file.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = ON") }
    do {
      connection = try DatabaseQueue(path: path, configuration: configuration)
      try connection.writeWithoutTransaction { try Self.makeDurable($0) }
      try Schema.migrator.migrate(connection)
    } catch let error as DatabaseError {
      throw StoreError.cannotOpen(path: path, code: error.extendedResultCode.rawValue, words: error.words)
    }
  }

  /// Ends with a checkpoint, so that the file alone holds everything.
  public func close() throws {
    try connection.close()
  }

  /// GRDB sets `synchronous=NORMAL` whenever it sets WAL mode, which loses acknowledged records at a power
  /// cut. So it is set after that, and believed only when read back.
  private static func makeDurable(_ db: Database) throws {
    try db.execute(sql: "PRAGMA synchronous = FULL")
    try requireDurability(db)
  }

  /// Throws unless a commit on this connection is on the disk when it returns.
  static func requireDurability(_ db: Database) throws {
    let journal = try String.fetchOne(db, sql: "PRAGMA journal_mode") ?? ""
    let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0
    guard journal == "wal", synchronous == 2 else {
      throw StoreError.notDurable(journal: journal, synchronous: synchronous)
    }
  }
}

extension DatabaseError {
  /// SQLite's own words, without SQL and without values.
  var words: String { message ?? "no further word" }
}

/// Why the store cannot be used.
public enum StoreError: Error, Equatable, CustomStringConvertible {
  case cannotOpen(path: String, code: Int32, words: String)
  case notDurable(journal: String, synchronous: Int)

  public var description: String {
    switch self {
    case .cannotOpen(let path, let code, let words):
      "cannot open the database \(path): SQLite \(code), \(words); "
        + "does its folder exist, and may this user write there?"
    case .notDurable(let journal, let synchronous):
      "the database would lose acknowledged records at a power cut: journal_mode=\(journal) and "
        + "synchronous=\(synchronous), wanted wal and 2; is it on a local file system?"
    }
  }
}
