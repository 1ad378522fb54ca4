import ArgumentParser
import Collector
import Foundation

struct EnrolCodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol-code",
    abstract: "Codes that let a box in once, and get it a token: make, list, revoke.",
    discussion: """
      On the box: godwit enrol --code CODE. A code for a device gives the box its name; with any other the box names \
      itself, and gets no name that another has. The database has hashes alone.
      """,
    subcommands: [Make.self, List.self, Revoke.self])

  struct Make: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make codes, and print them, one a line: nobody can be told them again.")

    @OptionGroup var place: DatabaseOption
    @Option(help: "How many.") var count = 1
    @Option(name: .customLong("for"), help: ArgumentHelp("The one device that it is for.", valueName: "name"))
    var device: String?
    @Option(help: ArgumentHelp("How long it may be used: 12h, 7d.", valueName: "time")) var validFor = "7d"

    func validate() throws { _ = try validFor_s() }

    private func validFor_s() throws -> Int64 { try TimeOption(validFor, option: "--valid-for").seconds }

    private struct Made: Decodable, Sendable { var codes: [String], expires: String }

    func run() async throws {
      var members: [String: Any] = ["count": count, "valid_for_s": try validFor_s()]
      if let device { members["for"] = device }
      let body = String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
      let made: Made = try await ControlSocket.asking(place.database) {
        try $0.ask("POST", "/v1/enrolment-codes", body)
      }
      for code in made.codes { print(code) }
      note("valid until \(made.expires)")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A line a code: number, state, for whom, until when, and who has used it when.")

    @OptionGroup var place: DatabaseOption

    private struct Code: Decodable, Sendable {
      var number: Int, state: String, name: String?, expires: String, used: String?, device: String?
    }

    func run() async throws {
      let codes: [Code] = try await ControlSocket.asking(place.database) {
        try $0.ask("GET", "/v1/enrolment-codes")
      }
      for code in codes {
        let used = code.used.map { "used \($0) by \(code.device ?? "a device that was deleted")" } ?? ""
        print(
          "\(code.number)\t\(code.state)\t\(code.name.map { "for \($0)" } ?? "for any")\tuntil \(code.expires)\t\(used)"
        )
      }
      if codes.isEmpty { note("no code") }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a code. The token that somebody has got with it stays.")

    @OptionGroup var place: DatabaseOption
    @Argument(help: "Its number, as list shows it.") var number: Int

    func run() async throws {
      let target = "/v1/enrolment-codes/\(number)"
      try await ControlSocket.asking(place.database) { _ = try $0.answer("DELETE", target) }
      note("the code is deleted")
    }
  }
}
