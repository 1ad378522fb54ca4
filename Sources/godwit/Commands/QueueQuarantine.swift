import ArgumentParser
import TrackerBase
import TrackerIO
import TrackerWire

extension Queue {
  struct Quarantine: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List, retry or export what the server refused one by one.",
      subcommands: [List.self, Retry.self, Export.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Sequence, kind, time and the server's words, one a line.", discussion: Queue.exitCodes)

      @OptionGroup var which: QueueChoice
      @Flag(help: "One JSON object a line.") var json = false

      func run() throws {
        let queue = try which.open()
        var listed = 0
        try queue.each({ .quarantine(after: $0) }) { answer in
          listed += answer.lines.count
          for line in answer.lines { Terminal.print((json ? String(line) : text(line)) + "\n") }
        }
        if listed == 0, !json { Terminal.print("nothing is in quarantine\n") }
      }

      private func text(_ line: Substring) -> String {
        let row = JSONReader.parse(Array(line.utf8)) ?? .null
        let kind = row["kind"]?.string ?? "damaged"
        let words = PlainText.line(row["reason"]?.string ?? "")
        return "\(row["sequence"]?.integer ?? 0)  \(kind)  \(row["time"]?.string ?? "-")  "
          + "refused \(row["quarantined"]?.string ?? "-"): \(words)"
      }
    }

    struct Retry: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Put records back among those that wait, to be sent again under the same identity.",
        discussion:
          "\(Queue.exitCodes) 66 is also a sequence that is not in quarantine; the others are put back.")

      @Argument(help: "Which, by the sequence in the list.") var sequences: [Int64] = []
      @Flag(help: "All of them.") var all = false
      @OptionGroup var which: QueueChoice

      func validate() throws {
        guard all == sequences.isEmpty else { throw ValidationError("name sequences, or --all") }
        guard sequences.allSatisfy({ $0 > 0 }) else { throw ValidationError("a sequence is 1 or more") }
      }

      func run() throws {
        let queue = try which.open()
        let wanted = all ? try Retry.everything(queue) : Array(Set(sequences)).sorted()
        var (moved, unreadable) = (0, 0)
        for begin in stride(from: 0, to: wanted.count, by: QueueRequest.maxSequences) {
          let some = Array(wanted[begin...].prefix(QueueRequest.maxSequences))
          let answer = try queue.ask(.retry(some))
          moved += answer.records
          unreadable += answer.unreadable
        }
        Terminal.print("\(counted(moved, "record waits", "records wait")) for the server again\n")
        if unreadable > 0 {
          let rows = counted(unreadable, "row is damaged and stays", "rows are damaged and stay")
          Terminal.error("godwit: \(rows) in quarantine\n")
        }
        let missing = wanted.count - moved - unreadable
        guard all || missing == 0 else {
          throw ExitReason.noInput.exit(
            "\(missing) of these are not in quarantine; godwit queue quarantine lists them")
        }
      }

      private static func everything(_ queue: QueueAccess) throws -> [Int64] {
        var all: [Int64] = []
        try queue.each({ .quarantine(after: $0) }) { answer in
          all += answer.lines.compactMap { JSONReader.parse(Array($0.utf8))?["sequence"]?.integer }
        }
        return all
      }
    }

    struct Export: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Write every record in quarantine into a new file. Nothing leaves it.",
        discussion: Queue.exitCodes)

      @OptionGroup var export: QueueExport

      func run() throws { try export.write(what: "quarantined") { .quarantined(after: $0) } }
    }
  }
}
