import Foundation
import Testing

@testable import godwit
@testable import godwit_lab

/// Every command line of godwit in the documentation is one that godwit understands.
struct DocumentedCommandTests {
  private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static var pages: [URL] {
    let docs = repository.appendingPathComponent("docs")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: docs.path)) ?? []
    return ["README.md", "CONTRIBUTING.md", "collector/README.md"].map(repository.appendingPathComponent)
      + names.filter { $0.hasSuffix(".md") }.sorted().map(docs.appendingPathComponent)
  }

  /// Between backquotes, and lines of a block that begin with it.
  private static func commands(of text: String) -> [String] {
    var found: [String] = []
    for line in text.split(separator: "\n") {
      let start = line.drop { $0 == " " }
      if start.hasPrefix("godwit ") || start.hasPrefix("sudo godwit ") { found.append(String(start)) }
    }
    let joined = text.replacingOccurrences(of: "\n", with: " ")
    for (number, part) in joined.split(separator: "`", omittingEmptySubsequences: false).enumerated()
    where number % 2 == 1 && (part.hasPrefix("godwit ") || part.hasPrefix("sudo godwit ")) {
      found.append(String(part))
    }
    return found
  }

  /// As typed: without what a shell does with it, and without the brackets of what may be left out; `a\|b` is two.
  static func arguments(_ command: String) -> [[String]] {
    var words: [String] = []
    var word = ""
    var isQuoted = false
    loop: for character in command.replacingOccurrences(of: "\\|", with: "¦") {
      switch character {
      case "\"": isQuoted.toggle()
      case _ where isQuoted: word.append(character)
      case "#", "|", ">", "&", ";", "(": break loop
      case " ":
        words.append(word)
        word = ""
      case "[", "]", "…": continue
      default: word.append(character)
      }
    }
    words = (words + [word]).filter { !$0.isEmpty }
    words.removeFirst(words.first == "sudo" ? 2 : 1)
    return alternatives(words[...])
  }

  private static func alternatives(_ words: ArraySlice<String>) -> [[String]] {
    guard let first = words.first else { return [[]] }
    let rest = alternatives(words.dropFirst())
    // One that stands between blanks is between whole ends of the line.
    if first == "¦" { return [[]] }
    return first.split(separator: "¦").flatMap { one in rest.map { [filled(String(one))] + $0 } }
  }

  /// What stands for something else.
  private static func filled(_ word: String) -> String {
    switch word {
    case "TIME": "2026-03-01T00:00:00Z"
    case "SEQUENCE", "N", "ID": "1"
    default: word
    }
  }

  @Test("brackets, alternatives, comments and pipes of a documented command are understood as a reader does")
  func reading() {
    #expect(
      Self.arguments("sudo godwit queue purge [--before TIME] # ask first")
        == [["queue", "purge", "--before", "2026-03-01T00:00:00Z"]])
    #expect(Self.arguments("godwit geofence list\\|add") == [["geofence", "list"], ["geofence", "add"]])
    #expect(Self.arguments("godwit check && reboot") == [["check"]])
  }

  /// Named without what it needs, as a text names a command: not a line to type.
  private static let named = [
    ["simulate"], ["geofence", "add"], ["geofence", "remove"], ["geofence", "test"], ["track"],
    ["track", "--for"], ["settings"], ["simulate", "--json"],
    ["simulate", "--track"], ["enrol"], ["queue", "quarantine", "retry"], ["queue", "quarantine", "export"],
  ]

  @Test("each command of the documentation is understood", arguments: pages)
  func understood(_ page: URL) throws {
    let text = try String(contentsOf: page, encoding: .utf8)
    for command in Self.commands(of: text) {
      for arguments in Self.arguments(command)
      where !Self.named.contains(arguments) && arguments != ["--version"] {
        #expect(throws: Never.self, "\(page.lastPathComponent): godwit \(arguments.joined(separator: " "))") {
          _ = try arguments.first == "simulate" ? Lab.parseAsRoot(arguments) : Godwit.parseAsRoot(arguments)
        }
      }
    }
  }
}
