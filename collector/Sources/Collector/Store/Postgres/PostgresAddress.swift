import Clibpq

/// Where a PostgreSQL is: `postgresql://USER@HOST:PORT/NAME?…`, as libpq reads it.
public struct PostgresAddress: Sendable {
  private let text: String

  /// Whether this means a PostgreSQL, and no file.
  public static func isOne(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// Throws a ``StoreError`` where libpq cannot read it; its own words could hold a part of the password.
  public init(_ text: String) throws {
    guard let options = PQconninfoParse(text, nil) else { throw StoreError.noAddress }
    PQconninfoFree(options)
    self.text = text
  }

  /// What the address says itself counts before what stands above it.
  var parameters: [(key: String, value: String)] {
    [
      ("fallback_application_name", "godwit-collector"), ("connect_timeout", "5"),
      ("tcp_user_timeout", "30000"),
      ("dbname", text),
    ]
  }
}
