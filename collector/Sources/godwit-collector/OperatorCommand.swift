import ArgumentParser
import Collector
import Foundation
import Glibc

struct OperatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operator", abstract: "People who log in to the pages: add, list, change, remove.",
    discussion: """
      As long as there is none, whoever brings a token of --token-file may look, and whoever brings nothing where none \
      is asked for. The first one closes that: from then on people log in, and tokens of --token-file send alone. \
      Passwords are typed, or come as a line on standard input; the database has their scrypt hashes.
      """,
    subcommands: [Add.self, List.self, Change.self, Remove.self])

  static func path(of name: String) -> String {
    "/v1/operators/\(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name)"
  }

  fileprivate struct Operator: Decodable, Sendable { var name: String, role: String, last_login: String? }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Let somebody in, by a password.")

    @OptionGroup var place: DatabaseOption
    @Argument(help: "The name to log in with.") var name: String
    @Option(help: "viewer, operator (sets and commands devices) or admin (lets in devices and people).")
    var role = Role.viewer

    func run() async throws {
      let members = ["name": name, "role": role.rawValue, "password": try Prompt.newPassword()]
      let body = String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
      try await ControlSocket.asking(place.database) { _ = try $0.answer("POST", "/v1/operators", body) }
      note("\(name) may log in as \(role.rawValue)")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "A line an operator: name, role, last login.")

    @OptionGroup var place: DatabaseOption

    func run() async throws {
      let all: [Operator] = try await ControlSocket.asking(place.database) {
        try $0.ask("GET", "/v1/operators")
      }
      for one in all {
        print("\(one.name)\t\(one.role)\t\(one.last_login.map { "last login \($0)" } ?? "never logged in")")
      }
      if all.isEmpty { note("no operator") }
    }
  }

  struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give somebody another role or password. He is logged out.")

    @OptionGroup var place: DatabaseOption
    @Argument(help: "The name.") var name: String
    @Option(help: "viewer, operator or admin.") var role: Role?
    @Flag(help: "Ask for a new password.") var password = false

    func validate() throws {
      guard role != nil || password else {
        throw ValidationError("Say what is to change: --role or --password.")
      }
    }

    func run() async throws {
      var members: [String: String] = [:]
      members["role"] = role?.rawValue
      if password { members["password"] = try Prompt.newPassword() }
      let body = String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
      let target = OperatorCommand.path(of: name)
      try await ControlSocket.asking(place.database) { _ = try $0.answer("PATCH", target, body) }
      note("\(name) is changed, and logged out")
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let somebody in no longer. The last account needs --open.")

    @OptionGroup var place: DatabaseOption
    @Argument(help: "The name.") var name: String
    @Flag(help: "Remove the last account too: the collector then asks nobody to log in.") var open = false

    func run() async throws {
      let target = OperatorCommand.path(of: name) + (open ? "?open=true" : "")
      let left: [Operator] = try await ControlSocket.asking(place.database) {
        _ = try $0.answer("DELETE", target)
        return try $0.ask("GET", "/v1/operators")
      }
      note("\(name) is removed, and logged out")
      if left.isEmpty {
        note(
          """
          That was the last account: nobody is asked to log in any more. Whoever brings a token of --token-file sees \
          everything; where no token is asked for, whoever reaches the collector does everything.
          """)
      }
    }
  }
}

extension Role: ExpressibleByArgument {}

/// A password from a person: typed twice and not shown, or a line of standard input.
enum Prompt {
  static func newPassword() throws -> String {
    guard isatty(STDIN_FILENO) == 1 else {
      guard let line = readLine(strippingNewline: true) else {
        throw ControlError.refused("there is no password: write it as one line to standard input")
      }
      return line
    }
    let first = try hidden("Password: ")
    guard try hidden("Once more: ") == first else { throw ControlError.refused("the two passwords differ") }
    return first
  }

  private static func hidden(_ prompt: String) throws -> String {
    var shown = termios()
    guard tcgetattr(STDIN_FILENO, &shown) == 0 else {
      throw ControlError.callFailed("tcgetattr", words: String(cString: strerror(errno)))
    }
    var quiet = shown
    quiet.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet)
    defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) }
    FileHandle.standardError.write(Data(prompt.utf8))
    let line = readLine(strippingNewline: true)
    note("")
    guard let line else { throw ControlError.refused("there is no password") }
    return line
  }
}
