import ArgumentParser
import Collector
import Foundation

/// Reads the command line, opens the store and serves until SIGTERM or SIGINT.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take records, until SIGTERM or SIGINT.",
    discussion: """
      While it runs, the other commands reach it by a socket beside the database, FILE.control, which its own user and \
      root may open.
      """)

  @Option(
    help: ArgumentHelp(
      "The SQLite file, made if it is missing; or a PostgreSQL, which several collectors may share: postgresql://USER@HOST/NAME.",
      valueName: "file-or-address"), completion: .file())
  var database: String

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port to listen on; 0 takes any free one.")
  var port = 8080

  @Option(help: "The path that devices post to.")
  var path = "/v1/locations"

  @Option(
    help: ArgumentHelp(
      "A file with the tokens that are let in, one a line; with --device-tokens it may have none. Without it, and without --device-tokens, everybody is.",
      valueName: "file"),
    completion: .file())
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      "A file with the tokens that may also change what devices do and give them tokens, one a line. Without it nobody may, unless everybody is let in.",
      valueName: "file"),
    completion: .file())
  var operatorTokenFile: String?

  @Flag(
    help: "Let in devices with tokens of their own (token issue) alone, also without a --token-file.")
  var deviceTokens = false

  @Option(
    help: ArgumentHelp(
      "How long nothing may come from a vehicle until it counts as silent: 90m, 3h, 2d.", valueName: "time"))
  var silentAfter = "3h"

  @Option(
    help: ArgumentHelp(
      "The agents' version that vehicles are to have: one with an older version is shown as old. Without it none is.",
      valueName: "version"))
  var targetVersion: String?

  @Option(
    help: ArgumentHelp(
      "Speak TLS with this certificate, PEM with those that lead to the root; looked at anew when it is renewed.",
      valueName: "file"), completion: .file())
  var tlsCertificate: String?

  @Option(
    help: ArgumentHelp("The certificate's key, PEM without a password.", valueName: "file"),
    completion: .file())
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "Delete records so many days after they came, unless the vehicle has a span of its own. Without it they stay.",
      valueName: "days"))
  var keepDays: Int?

  @Flag(
    help:
      "Delete no record before all of its month may be, up to a month later; a PostgreSQL then drops a table a month, at hardly any cost."
  )
  var deleteWholeMonths = false

  @OptionGroup var pages: PageOptions

  @OptionGroup var mqtt: MQTTArguments

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("The port must be a number from 0 to 65535.")
    }
    let isPlain = path.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
        || "/-_.".utf8.contains($0)
    }
    _ = try TimeOption(silentAfter, option: "--silent-after")
    guard targetVersion == nil || AgentVersion(targetVersion) != nil else {
      throw ValidationError("--target-version is a version such as 0.2.0.")
    }
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("TLS needs both --tls-certificate and --tls-key.")
    }
    guard keepDays.map(CollectorOptions.daysKept.contains) != false else {
      throw ValidationError("--keep-days must be a number from 1 to 36500.")
    }
    guard path.hasPrefix("/"), path.count > 1, isPlain else {
      throw ValidationError("The path must start with / and hold only letters, digits and / - _ .")
    }
  }

  func run() async throws {
    // The file shows where a fleet is; it is its owner's alone.
    umask(0o077)
    // A program that takes mails may end before it has read one.
    signal(SIGPIPE, SIG_IGN)
    var options = CollectorOptions()
    options.host = host
    options.port = port
    options.uploadPath = path
    // A fleet whose devices all have tokens of their own needs none in the file.
    options.tokens = try tokenFile.flatMap {
      try readTokens($0, orNone: deviceTokens, elseLeaveOut: "--token-file")
    }
    options.operatorTokens = try operatorTokenFile.flatMap {
      try readTokens($0, orNone: false, elseLeaveOut: "--operator-token-file")
    }
    options.deviceTokens = deviceTokens
    options.silentAfter_ms = try TimeOption(silentAfter, option: "--silent-after").seconds * 1000
    options.targetVersion = AgentVersion(targetVersion)
    options.takeDescriptors()
    options.keepDays = keepDays
    options.deletesWholeMonths = deleteWholeMonths
    if let tlsCertificate, let tlsKey {
      options.tls = try TLSCertificate(certificate: tlsCertificate, key: tlsKey)
    }
    try pages.read(into: &options)
    options.mqtt = try mqtt.options(collector: [database, "\(port)"])
    // Of a PostgreSQL nobody has to be kept off, and commands go to the database itself.
    let lock = PostgresAddress.isOne(database) ? nil : try DatabaseLock(database)
    defer { lock?.end() }
    let socket = ControlSocket.path(of: database)
    options.controlSocket = lock != nil && ControlSocket.fits(socket) ? socket : nil

    let store = try Store(database: database)
    let warning: String?
    do { warning = try await collectorWarning(store: store, options: options) } catch {
      try? store.close()
      throw error
    }
    let shownHost = host.contains(":") ? "[\(host)]" : host
    let scheme = options.tls == nil ? "http" : "https"
    let collector = makeCollector(store: store, options: options) { port in
      if let warning { note("warning: \(warning)") }
      print("listening on \(scheme)://\(shownHost):\(port)")
      fflush(nil)
    }
    do {
      try await collector.runService()
    } catch {
      try? store.close()
      if lock != nil { unlink(socket) }
      throw StartError.cannotServe(host: shownHost, port: port, words: "\(error)")
    }
    try store.close()
    if lock != nil { unlink(socket) }
  }

  private func readTokens(_ file: String, orNone: Bool, elseLeaveOut option: String) throws -> Tokens? {
    let text: String
    do {
      text = try String(contentsOfFile: file, encoding: .utf8)
    } catch {
      throw StartError.cannotReadTokens(file: file, words: error.localizedDescription)
    }
    let tokens = Tokens(text: text)
    guard tokens != nil || orNone else { throw StartError.noToken(file: file, option: option) }
    return tokens
  }
}

/// Why the collector does not start.
enum StartError: Error, CustomStringConvertible {
  case cannotServe(host: String, port: Int, words: String)
  case cannotReadTokens(file: String, words: String)
  case noToken(file: String, option: String)
  case noSchema(file: String)
  case cannotReadSchema(file: String, words: String)

  var description: String {
    switch self {
    case .cannotServe(let host, let port, let words):
      "cannot serve on \(host):\(port): \(words); is another program using the port?"
    case .cannotReadTokens(let file, let words):
      "cannot read the token file \(file): \(words)"
    case .cannotReadSchema(let file, let words): "cannot read the schema of settings \(file): \(words)"
    case .noSchema(let file):
      "\(file) is no schema of Godwit's settings: take config/godwit.schema.json of this version"
    case .noToken(let file, let option):
      "the token file \(file) holds no token: write one a line, or leave out \(option)"
        + (option == "--token-file" ? "; with --device-tokens it may hold none" : "")
    }
  }
}
