import ArgumentParser
import Foundation
import Testing
import TrackerIO

@testable import godwit

@Suite("What help says of exit codes")
struct ExitCodeHelpTests {
  private static func leaves(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    let below = command.configuration.subcommands
    return below.isEmpty ? [command] : below.flatMap(leaves)
  }

  @Test("each command names its own, in order, none twice, and only those that the project has")
  func named() throws {
    let commands = Self.leaves(Godwit.self)
    #expect(commands.count > 20)
    for command in commands {
      let help = command.configuration.discussion
      let text = try #require(help.components(separatedBy: "Exit codes: ").last, "\(command)")
      #expect(text != help, "\(command) does not name its exit codes")
      let sentence = text.prefix { $0 != "." }
      let codes = sentence.matches(of: /\b(0|1|6[4-9]|7[0-9])\b/).compactMap { Int32($0.1) }
      #expect(codes == codes.sorted() && Set(codes).count == codes.count, "\(command): \(codes)")
      #expect(codes.first == 0 && codes.contains(64), "\(command): \(codes)")
      for code in codes.dropFirst() { #expect(ExitReason(rawValue: code) != nil, "\(command): \(code)") }
    }
  }

  @Test("docs/commands.md has a row for each code, and none that there is not")
  func table() throws {
    let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/commands.md")
    let rows = try String(contentsOf: docs, encoding: .utf8).matches(of: /(?m)^\| (\d+) \|/)
    let codes: [Int32] = [1, 64, 65, 66, 69, 71, 73, 74, 75, 77, 78]
    #expect(codes.allSatisfy { ExitReason(rawValue: $0) != nil })
    #expect(rows.compactMap { Int32($0.1) } == [0] + codes)
  }
}
