import Glibc

/// Files that were removed, or others put in their place, while they were open: whatever is written to them is gone
/// with the process.
extension QueueStore {
  var hasMoved: Bool {
    guard let connection else { return false }
    return connection.database.hasMoved || connection.front.hasMoved || access(path + "-wal", F_OK) != 0
  }

  /// With everything in the tables: new files take the place of those that are missing.
  ///
  /// - Throws: when what was just written will not outlive the process.
  func renewIfMoved() throws(QueueError) {
    guard hasMoved else { return }
    try saveMoved(try database)
    close(because: .closed(after: "queue: its files were removed while it was open"))
    let opened = try QueueConnection(path: path, synchronous: synchronous)
    take(try QueueContents(opened), opened)
  }

  private func saveMoved(_ database: SQLiteDatabase) throws(QueueError) {
    if database.hasMoved {
      try QueueFile.replace(path, removed: database)
    } else {
      try database.execute("PRAGMA wal_checkpoint(FULL)")
    }
  }
}
