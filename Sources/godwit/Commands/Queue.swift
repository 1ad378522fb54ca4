import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

struct Queue: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show, export or purge what waits for the server.",
    discussion: """
      Asks the running agent; if none runs, the queue file itself is opened. docs/queue.md says more.
      \(exitCodes)
      """,
    subcommands: [Show.self, Export.self, Purge.self, Quarantine.self], defaultSubcommand: Show.self)

  static let exitCodes = """
    Exit codes: 0 done, 64 a mistake on the command line, 66 no settings file, 69 the agent does not answer, \
    73 the queue or FILE cannot be opened, read or written, 75 another program holds the queue, 77 not allowed, \
    78 a mistake in the settings file.
    """

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "How much waits, since when, what is in quarantine and what was ever dropped.",
      discussion: Queue.exitCodes)

    @OptionGroup var which: QueueChoice
    @Flag(help: "As JSON.") var json = false

    func run() throws {
      let queue = try which.open()
      let text = try queue.ask(.summary).text
      Terminal.print(json ? text + "\n" : QueueReport.text(json: text))
    }
  }

  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write every record that waits into a new file. Nothing leaves the queue.",
      discussion: """
        The file holds places. Records that the agent delivers meanwhile may be in it or not.
        \(Queue.exitCodes)
        """)

    @OptionGroup var export: QueueExport

    func run() throws { try export.write(what: "waiting") { .records(after: $0) } }
  }

  struct Purge: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete records that wait, for good. The ledger counts them under purged.",
      discussion: """
        Says how many there are and wants that number typed. Records made after the question are not purged. \
        A record that is just on its way to the server may arrive there all the same.
        \(Queue.exitCodes) 65 is a purge that was not confirmed.
        """)

    @Option(help: "Only records before this time, such as 2026-03-28 or 2026-03-28T12:00+01:00.")
    var before: String?
    @Flag(help: "Leave events: motion, trips, geofences, warnings.") var positionsOnly = false
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var which: QueueChoice

    func run() throws {
      let settings = try which.settings()
      let selection = QueueSelection(
        before_ms: try before.map { try Queue.time_ms($0, option: "--before", settings) },
        positionsOnly: positionsOnly)
      if !yes, isatty(STDIN_FILENO) == 0 {
        throw ExitReason.usage.exit(
          "there is no terminal to ask for confirmation; --yes purges without asking")
      }
      let queue = try which.open(settings)
      var (found, through) = (0, Int64(0))
      try queue.each({ .count(selection, after: $0) }) {
        found += $0.records
        through = $0.last ?? through
      }
      guard found > 0 else { return Terminal.print("no record to purge\n") }
      if !yes { try confirm(found) }
      try purge(queue, selection, through: through)
    }

    private func purge(_ queue: QueueAccess, _ selection: QueueSelection, through: Int64) throws {
      var purged = 0
      do {
        try queue.each({ .purge(selection, after: $0, through: through) }) { purged += $0.records }
      } catch {
        let words = counted(purged, "record was", "records were")
        Terminal.error("godwit: \(words) purged before that; the ledger has them\n")
        throw error
      }
      Terminal.print("\(counted(purged, "record")) purged; the ledger counts them under purged\n")
    }

    private func confirm(_ records: Int) throws {
      let only = positionsOnly ? "positions" : "records"
      Terminal.error("This deletes \(records) \(only) that the server does not have, for good.\n")
      Terminal.error("Type their number to go on: ")
      guard readLine() == "\(records)" else {
        throw ExitReason.notConfirmed.exit("that is not \(records): nothing was purged")
      }
    }
  }

  static func noteLeftOut(_ unreadable: Int) {
    if unreadable == 0 { return }
    let rows = counted(unreadable, "row is damaged and was", "rows are damaged and were")
    Terminal.error("\(rows) left out\n")
  }

  /// A time on the command line; without an offset it is of the settings' zone.
  static func time_ms(_ text: String, option: String, _ settings: Settings) throws -> Int64 {
    guard let time_s = ScheduleReport.instant(text, in: try SettingsLocation.zone(settings)) else {
      throw ExitReason.usage.exit(
        "\(option) \"\(text)\" is not a time such as 2026-03-28 or 2026-03-28T12:00+01:00")
    }
    return time_s * 1000
  }
}

/// Which queue a command is about.
struct QueueChoice: ParsableArguments {
  @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard
  @Option(help: "The queue of a further server, by its name in sync.also.") var server = ""

  func settings() throws -> Settings { try SettingsLocation.readOrLastGood(config).settings }
  func open() throws -> QueueAccess { try open(try settings()) }
  func open(_ settings: Settings) throws -> QueueAccess { try QueueAccess(settings, server: server) }
}

/// All of a list into a file.
struct QueueExport: ParsableArguments {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case lines, geomony
  }

  @Argument(help: "A file that does not exist yet, or - for standard output.", completion: .file())
  var file: String
  @OptionGroup var which: QueueChoice
  @Option(help: "lines: one JSON object a line; geomony: one body as the server takes it.")
  var format = Format.lines

  func write(what: String, _ request: (_ after: Int64) -> QueueRequest) throws {
    let settings = try which.settings()
    let queue = try which.open(settings)
    var (exported, unreadable) = (0, 0)
    // A body has these under a key of their own.
    var geofence: [String] = []
    let between = format == .lines ? "\n" : ","
    var isFirst = true
    try NewFile.export(to: file) { output in
      if format == .geomony { try output.write(#"{"location":["#) }
      try queue.each(request) { answer in
        var lines = answer.lines
        if format == .geomony {
          lines.removeAll { line in
            let event = JSONReader.parse(Array(line.utf8)).flatMap(GeomonyFormat.geofence)
            if let event { geofence.append(event) }
            return event != nil
          }
        }
        if !lines.isEmpty {
          try output.write((isFirst ? "" : between) + lines.joined(separator: between))
          isFirst = false
        }
        exported += answer.records
        unreadable += answer.unreadable
      }
      let events = geofence.isEmpty ? "" : #","geofence":[\#(geofence.joined(separator: ","))]"#
      try output.write(format == .geomony ? "]\(events)}\n" : exported > 0 ? "\n" : "")
    }
    Terminal.error("\(counted(exported, "\(what) record")) exported\n")
    Queue.noteLeftOut(unreadable)
  }
}

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
