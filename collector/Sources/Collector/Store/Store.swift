/// The records of all devices in a database: one SQLite file, or a PostgreSQL that several collectors share.
///
/// What ``store(_:at:)`` has returned survives a power cut.
public final class Store: Sendable {
  let connection: any Connection
  let uploads: WaitingUploads
  /// Where no other collector has the database.
  let logins = LoginLimit()

  init(_ connection: any Connection) {
    self.connection = connection
    uploads = WaitingUploads(storers: connection.writers)
  }

  /// Opens or makes a SQLite file. Throws a ``StoreError`` that says what the operator can do.
  public convenience init(path: String) throws {
    self.init(try SQLiteConnection(path: path))
  }

  /// Connects to a PostgreSQL, which other collectors may share. Throws a ``StoreError``.
  public convenience init(postgres address: PostgresAddress) throws {
    self.init(try PostgresConnection(address))
  }

  /// - Parameter database: a file, or an address that begins with `postgresql://`.
  public convenience init(database: String) throws {
    if PostgresAddress.isOne(database) {
      try self.init(postgres: PostgresAddress(database))
    } else {
      try self.init(path: database)
    }
  }

  public func close() throws {
    try connection.close()
  }
}

/// Why the store cannot be used.
public enum StoreError: Error, Equatable, CustomStringConvertible {
  case cannotOpen(path: String, code: Int32, words: String)
  case notDurable(journal: String, synchronous: Int)
  case noAddress
  case cannotConnect(words: String)
  case postgresNotDurable(fsync: String, synchronousCommit: String)
  case oldServer(Int32)
  case notUTF8(String)
  case noSchema
  case newerSchema(found: Int, known: Int)

  public var description: String {
    switch self {
    case .cannotOpen(let path, let code, let words):
      "cannot open the database \(path): SQLite \(code), \(words); "
        + "does its folder exist, and may this user write there?"
    case .notDurable(let journal, let synchronous):
      "the database would lose acknowledged records at a power cut: journal_mode=\(journal) and "
        + "synchronous=\(synchronous), wanted wal and 2; is it on a local file system?"
    case .noAddress:
      "the address of the database cannot be read: write postgresql://USER@HOST/NAME, with % and other signs in a "
        + "password as %25 and the like; better, leave the password to ~/.pgpass or PGPASSFILE"
    case .cannotConnect(let words):
      "cannot use the PostgreSQL database: \(words)"
    case .postgresNotDurable(let fsync, let synchronousCommit):
      "the database would lose acknowledged records at a power cut: fsync=\(fsync) and "
        + "synchronous_commit=\(synchronousCommit), wanted on and on: set both in postgresql.conf"
    case .oldServer(let version):
      "the PostgreSQL is of version \(version), and the collector needs 13 or later"
    case .notUTF8(let encoding):
      "the database has the encoding \(encoding), and the collector needs UTF8: createdb --encoding UTF8 "
        + "--template template0 NAME"
    case .noSchema:
      "the database has no schema that this user may use: GRANT USAGE, CREATE ON SCHEMA public TO the user, or set "
        + "search_path"
    case .newerSchema(let found, let known):
      "the database is of a newer collector: its tables have version \(found), and this one knows up to \(known): "
        + "update the collector"
    }
  }
}
