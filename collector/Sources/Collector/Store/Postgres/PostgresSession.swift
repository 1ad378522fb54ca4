import Clibpq
import Foundation

/// One connection to a server, for one thread: every call waits for the server's answer.
final class PostgresSession {
  private let handle: OpaquePointer
  /// By their SQL.
  private var statements: [String: Statement] = [:]

  private struct Statement {
    let name: String
    var columns: [String] = []
    var types: [UInt32] = []
  }

  /// Plans are made once: a partitioned table makes planning dearer than the statement. `lock_timeout` is what SQLite's
  /// busy timeout is here.
  private static let settings = """
    SET client_encoding = 'UTF8'; SET plan_cache_mode = force_generic_plan; SET jit = off; SET lock_timeout = '10s';
    SET idle_in_transaction_session_timeout = '60s'; SET extra_float_digits = 1; SET standard_conforming_strings = on
    """

  init(_ address: PostgresAddress) throws {
    let words = address.parameters
    let keys = words.map { strdup($0.key) } + [nil]
    let values = words.map { strdup($0.value) } + [nil]
    defer { for text in keys + values { free(text) } }
    let made = keys.map { UnsafePointer($0) }.withUnsafeBufferPointer { keys in
      values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
        PQconnectdbParams(keys.baseAddress, values.baseAddress, 1)
      }
    }
    guard let made else { throw StorageError(code: "PostgreSQL", words: "out of memory") }
    handle = made
    clibpq_silence(handle)
    guard PQstatus(handle) == CONNECTION_OK else {
      throw StorageError.unreachable(Self.oneLine(String(cString: PQerrorMessage(handle))))
    }
    try run(Self.settings)
    try makeDurable()
  }

  // Also where the initialiser throws.
  deinit { PQfinish(handle) }

  var isBroken: Bool { PQstatus(handle) != CONNECTION_OK }
  var serverVersion: Int32 { PQserverVersion(handle) }
  var backend: Int32 { PQbackendPID(handle) }

  /// What is acknowledged must survive; whoever has set less for other programs has not set it for this one.
  private func makeDurable() throws {
    if try text("SHOW synchronous_commit") == "off" { try run("SET synchronous_commit = on") }
    let (commit, fsync) = (try text("SHOW synchronous_commit"), try text("SHOW fsync"))
    guard commit != "off", fsync == "on" else {
      throw StoreError.postgresNotDurable(fsync: fsync, synchronousCommit: commit)
    }
  }

  func text(_ sql: String) throws -> String {
    guard case .text(let text)? = try rows(sql).first?.values.first else { return "" }
    return text
  }

  // MARK: Statements

  /// Statements without places, of which nothing is read; several with `;` between.
  func run(_ sql: String) throws {
    let result = PQexec(handle, sql)
    defer { PQclear(result) }
    try check(result)
  }

  /// Throws where the server has taken everything back instead.
  func commit() throws {
    let result = PQexec(handle, "COMMIT")
    defer { PQclear(result) }
    do {
      try check(result)
    } catch var error as StorageError {
      // It may have been done all the same: whoever asked must ask again himself, and is told what is so then.
      error.isTransient = false
      throw error
    }
    guard String(cString: PQcmdStatus(result)) == "COMMIT" else {
      throw StorageError(code: "PostgreSQL", words: "the transaction was taken back")
    }
  }

  func rows(_ sql: String, _ arguments: PostgresArguments = PostgresArguments()) throws -> [Row] {
    let statement = try prepared(sql)
    let result = answer(to: statement, arguments)
    defer { PQclear(result) }
    try check(result)
    return (0..<PQntuples(result)).map { row in
      Row(
        columns: statement.columns,
        values: (0..<Int32(statement.columns.count)).map { column in
          if PQgetisnull(result, row, column) == 1 { return .null }
          let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
          return SQLValue(bytes, type: statement.types[Int(column)])
        })
    }
  }

  /// - Returns: how many rows were changed.
  func execute(_ sql: String, _ arguments: PostgresArguments) throws -> Int {
    let result = answer(to: try prepared(sql), arguments)
    defer { PQclear(result) }
    try check(result)
    return Int(String(cString: PQcmdTuples(result))) ?? 0
  }

  private func answer(to statement: Statement, _ arguments: PostgresArguments) -> OpaquePointer? {
    arguments.with { count, values, lengths, formats in
      PQexecPrepared(handle, statement.name, count, values, lengths, formats, 1)
    }
  }

  private func prepared(_ sql: String) throws -> Statement {
    if let statement = statements[sql] { return statement }
    var statement = Statement(name: "s\(statements.count)")
    let made = PQprepare(handle, statement.name, PostgresSQL.numbered(sql), 0, nil)
    defer { PQclear(made) }
    try check(made)
    let described = PQdescribePrepared(handle, statement.name)
    defer { PQclear(described) }
    try check(described)
    for column in 0..<PQnfields(described) {
      statement.columns.append(String(cString: PQfname(described, column)))
      statement.types.append(PQftype(described, column))
    }
    statements[sql] = statement
    return statement
  }

  // MARK: Errors

  private func check(_ result: OpaquePointer?) throws {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
    default: break
    }
    guard !isBroken else {
      throw StorageError.unreachable(Self.oneLine(String(cString: PQerrorMessage(handle))))
    }
    let state = clibpq_sqlstate(result).map { String(cString: $0) } ?? "?"
    let words = clibpq_words(result).map { String(cString: $0) } ?? "no further word"
    throw StorageError(postgres: state, words)
  }

  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).map { $0.drop { $0.isWhitespace } }.joined(separator: "; ")
  }

  // MARK: Notifications

  var socket: Int32 { PQsocket(handle) }

  /// What has come: the number of the sender's connection, and its words. Nil: the connection has ended.
  func notifications() -> [(backend: Int32, words: String)]? {
    guard PQconsumeInput(handle) == 1 else { return nil }
    var all: [(Int32, String)] = []
    while let one = PQnotifies(handle) {
      all.append((one.pointee.be_pid, String(cString: one.pointee.extra)))
      PQfreemem(one)
    }
    return all
  }
}

extension StorageError {
  /// - Parameter detail: in libpq's words, which have the server's name and the user's, and no password.
  static func unreachable(_ detail: String) -> StorageError {
    StorageError(
      code: "PostgreSQL", words: "there is no connection to the server", detail: detail, isTransient: true)
  }

  /// What clashed with somebody else's transaction, and may go well the next time: serialisation and deadlock, and a row
  /// that another one has made or deleted in between.
  private static let clashes: Set<String> = ["40001", "40P01", "23505", "23503", "0A000"]

  /// A newer collector has changed a table, and a statement that was prepared before does not fit it.
  var isOutdated: Bool { code == "PostgreSQL 0A000" }

  /// Words about a value (class 22) would hold it.
  init(postgres state: String, _ words: String) {
    self.init(
      code: "PostgreSQL \(state)",
      words: state.hasPrefix("22") ? "a value does not fit into its column" : words,
      isTransient: Self.clashes.contains(state) || state.hasPrefix("57P"))
  }
}

enum PostgresSQL {
  /// `?` and `?2` as PostgreSQL has them: `$1`, `$2`. No statement of ours has a question mark in a text.
  static func numbered(_ sql: String) -> String {
    var result = ""
    var next = 1
    var rest = sql[...]
    while let place = rest.firstIndex(of: "?") {
      result += rest[..<place]
      rest = rest[rest.index(after: place)...]
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      if digits.isEmpty {
        result += "$\(next)"
        next += 1
      } else {
        result += "$\(digits)"
      }
    }
    return result + rest
  }
}
