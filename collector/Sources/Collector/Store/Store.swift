/// The records of all devices in a database: one SQLite file, or a PostgreSQL that several collectors share.
///
/// What ``store(_:at:)`` has returned survives a power cut.
public final class Store: Sendable {
  let connection: any Connection
  let uploads: WaitingUploads

  init(_ connection: any Connection) {
    self.connection = connection
    uploads = WaitingUploads()
  }

  /// Opens or makes a SQLite file. Throws a ``StoreError`` that says what the operator can do.
  public convenience init(path: String) throws {
    self.init(try SQLiteConnection(path: path))
  }

  public func close() throws {
    try connection.close()
  }
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
