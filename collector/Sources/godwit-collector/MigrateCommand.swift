import ArgumentParser
import Collector
import Foundation

struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Take everything from a SQLite file into an empty PostgreSQL.",
    discussion: """
      Stop the collector first. All goes in one transaction, or nothing does; the file stays as it is. Prints the rows of \
      each table, which were counted on both sides. Then start the collector with the address as --database.
      """)

  @Option(help: ArgumentHelp("The collector's SQLite file.", valueName: "file"), completion: .file())
  var from = "/var/lib/godwit-collector/fleet.sqlite"

  @Option(help: ArgumentHelp("postgresql://USER@HOST/NAME", valueName: "address"))
  var to: String

  func validate() throws {
    guard PostgresAddress.isOne(to) else {
      throw ValidationError("--to is the address of a PostgreSQL: postgresql://USER@HOST/NAME.")
    }
  }

  func run() throws {
    guard access(from, F_OK) == 0 else { throw ControlError.noDatabase(from) }
    try ControlSocket.becomeOwner(of: from)
    let lock = try DatabaseLock(from)
    defer { lock.end() }
    let counts = try Migration.run(from: from, to: try PostgresAddress(to)) { count in
      if count.rows.isMultiple(of: 100_000) { note("\(count.table): \(count.rows) rows") }
    }
    for count in counts { print("\(count.table)\t\(count.rows)") }
    note("everything is in PostgreSQL; the file is as it was")
  }
}
