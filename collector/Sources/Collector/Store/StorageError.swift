/// Why a database did not do what it was asked to. Neither SQL nor values nor addresses are in its words.
struct StorageError: Error, Equatable, CustomStringConvertible {
  /// As the database names it: `SQLite 13`, `PostgreSQL 57P03`.
  var code: String
  var words: String
  /// For the log alone, since it names the server: what the connection said.
  var detail: String?
  /// It did not even begin, so the same may be tried once more.
  var isTransient = false

  var description: String { "\(code), \(words)" + (detail.map { ": \($0)" } ?? "") }

  /// What must be there is not.
  static let damaged = StorageError(code: "damaged", words: "a row that was just written is not there")
}
