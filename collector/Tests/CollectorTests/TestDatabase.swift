import Foundation

@testable import Collector

/// The database that tests take: SQLite.
///
/// - Parameter path: of a file in a test's own folder. The same path is the same database.
func openStore(_ path: String) throws -> Store {
  try Store(path: path)
}
