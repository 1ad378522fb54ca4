import Glibc

/// Files that were removed, or others put in their place, while they were open: whatever is written to them is gone
/// with the process.
extension QueueStore {
  var hasMoved: Bool {
    connection?.hasMoved ?? false
  }

  /// With everything in the tables: new files take the place of those that are missing.
  ///
  /// - Throws: when what was just written will not outlive the process.
  func renewIfMoved() throws(QueueError) {
    guard hasMoved else { return }
    try saveMoved(try database)
    close(because: .closed(after: "queue: its files were removed while it was open"))
    let expected = records
    let opened = try QueueConnection(path: path, synchronous: synchronous, otherwiseID: queueID)
    let contents = try QueueContents(opened)
    take(contents, opened)
    countLost(contents.found, expected: expected)
    startFront(contents.found)
  }

  private func saveMoved(_ database: SQLiteDatabase) throws(QueueError) {
    if database.hasMoved {
      try QueueFile.replace(path, removed: database)
    } else {
      try database.execute("PRAGMA wal_checkpoint(FULL)")
    }
  }
}
