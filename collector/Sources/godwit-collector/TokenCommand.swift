import ArgumentParser
import Collector
import Foundation

/// The database of the package's service.
struct DatabaseOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The collector's SQLite file, or the address of its PostgreSQL.", valueName: "file-or-address"),
    completion: .file())
  var database = "/var/lib/godwit-collector/fleet.sqlite"
}

struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Tokens of single devices: issue, list, revoke, import.",
    discussion: """
      A device's own token lets it send under its own name, and opens nothing else. A device may have two, so that it \
      changes from one to the next without a gap. They count wherever the collector asks for tokens (--token-file, \
      --device-tokens), from the next request on. The database has their hashes alone.
      """,
    subcommands: [Issue.self, List.self, Revoke.self, Import.self])

  static func path(of device: String, _ more: String = "") -> String {
    let plain = CharacterSet(charactersIn: "a"..."z").union(CharacterSet(charactersIn: "A"..."Z"))
      .union(CharacterSet(charactersIn: "0"..."9")).union(CharacterSet(charactersIn: "-_"))
    let name = device.addingPercentEncoding(withAllowedCharacters: plain) ?? device
    return "/v1/devices/\(name)/tokens\(more)"
  }

  struct Issue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a token for a device, and print it: nobody can be told it again.")

    @OptionGroup var place: DatabaseOption
    @Argument(help: "The device's name, as it sends it.") var device: String

    private struct Issued: Decodable, Sendable { var token: String, number: Int }

    func run() async throws {
      let device = device
      let issued: Issued = try await ControlSocket.asking(place.database) {
        try $0.ask("POST", TokenCommand.path(of: device))
      }
      print(issued.token)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A line a token: device, number, how it came about, when, first and last use.")

    @OptionGroup var place: DatabaseOption
    @Argument(help: "The device's name; without it those of all.") var device: String?

    private struct Token: Decodable, Sendable {
      var device: String, number: Int, source: String, issued: String, first_used: String?, last_used: String?
    }

    func run() async throws {
      let target = device.map { TokenCommand.path(of: $0) } ?? "/v1/tokens"
      let tokens: [Token] = try await ControlSocket.asking(place.database) { try $0.ask("GET", target) }
      for token in tokens {
        let used = token.last_used.map { "used from \(token.first_used ?? $0) to \($0)" } ?? "never used"
        print("\(token.device)\t\(token.number)\t\(token.source) \(token.issued)\t\(used)")
      }
      if tokens.isEmpty { note("no token") }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End the tokens of a device, or one of them. It keeps its records until it has another.")

    @OptionGroup var place: DatabaseOption
    @Argument(help: "The device's name.") var device: String
    @Option(help: "Of the one token, as list shows it; without it all of the device's are ended.")
    var number: Int?

    private struct Revoked: Decodable, Sendable { var revoked: Int }

    func run() async throws {
      let target = TokenCommand.path(of: device, number.map { "/\($0)" } ?? "")
      let done: Revoked = try await ControlSocket.asking(place.database) { try $0.ask("DELETE", target) }
      note("\(done.revoked) \(done.revoked == 1 ? "token is" : "tokens are") revoked")
    }
  }

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let in the tokens that godwit-provision has made: the hashes of its tokens.json.",
      discussion: "All of them, or none. Those that are known already stay as they are.")

    @OptionGroup var place: DatabaseOption
    @Flag(help: "A device that has two tokens gets its new one all the same, and loses the older of the two.")
    var replace = false
    @Argument(help: "The file, or - for standard input.", completion: .file()) var file: String

    private struct Done: Decodable, Sendable { var registered: Int, unchanged: Int, ended: Int }

    func run() async throws {
      let data: Data
      do {
        data =
          file == "-"
          ? FileHandle.standardInput.readDataToEndOfFile() : try Data(contentsOf: URL(fileURLWithPath: file))
      } catch {
        throw ControlError.callFailed("cannot read \(file)", words: error.localizedDescription)
      }
      guard var object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
        throw ControlError.refused("\(file) is not a JSON object, as godwit-provision writes it")
      }
      if replace { object["replace"] = true }
      let body = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
      let done: Done = try await ControlSocket.asking(place.database) {
        try $0.ask("PUT", "/v1/tokens", body)
      }
      note(
        "\(done.registered) tokens are new, \(done.unchanged) were known, \(done.ended) older ones are ended")
    }
  }
}

/// What is no result: standard output has those alone.
func note(_ words: String) {
  FileHandle.standardError.write(Data("\(words)\n".utf8))
}
