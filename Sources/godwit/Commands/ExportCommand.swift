import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "The tracks that are on the box, for other programs: GPX, GeoJSON or CSV.",
    discussion: """
      Of the records that wait for the server: what it has confirmed is there and no longer here. Asks the running \
      agent; if none runs, the queue file itself is opened. Nothing leaves the queue.

      godwit export --from 2026-03-28 --to 2026-03-29 > day.gpx

      \(Queue.exitCodes)
      """)

  @Argument(help: "A file that does not exist yet, or - for standard output.", completion: .file())
  var file = "-"
  @Option(help: "gpx, geojson, or csv, which godwit simulate reads (default: by the end of FILE, else gpx).")
  var format: TrackExport.Format?
  @Option(help: "Only records from this time on, such as 2026-03-28 or 2026-03-28T12:00+01:00.")
  var from: String?
  @Option(help: "Only records before this time.") var to: String?
  @Flag(help: "Those that the server refused, instead of those that wait.") var quarantined = false
  @OptionGroup var which: QueueChoice

  func run() throws {
    let settings = try which.settings()
    let begin_ms = try from.map { try Queue.time_ms($0, option: "--from", settings) } ?? .min
    let end_ms = try to.map { try Queue.time_ms($0, option: "--to", settings) } ?? .max
    guard begin_ms < end_ms else {
      throw ExitReason.usage.exit("--to is not after --from: the time between is empty")
    }
    let format = self.format ?? .allCases.first { file.hasSuffix(".\($0.rawValue)") } ?? .gpx
    let queue = try which.open(settings)
    var (exported, placed, unreadable) = (0, 0, 0)
    try NewFile.export(to: file) { output in
      var export = TrackExport(format)
      try output.write(export.head)
      for walk in export.walks {
        (exported, placed, unreadable) = (0, 0, 0)
        try queue.each({ quarantined ? .quarantined(after: $0) : .records(after: $0) }) { answer in
          let records = answer.lines.compactMap { ExportedRecord(line: $0) }
            .filter { (begin_ms..<end_ms).contains($0.time_ms) }
          exported += records.count
          placed += records.count(where: \.hasPosition)
          unreadable += answer.unreadable
          try output.write(records.map { export.add($0, in: walk) }.joined())
        }
        try output.write(export.endWalk())
      }
      try output.write(export.tail)
    }
    Terminal.error(Self.words(exported, placed: placed, format))
    Queue.noteLeftOut(unreadable)
  }
}

extension ExportCommand {
  /// GPX and GeoJSON have a place for what has a place.
  static func words(_ exported: Int, placed: Int, _ format: TrackExport.Format) -> String {
    let records = counted(exported, "record")
    guard placed == 0 else { return "\(records) exported\n" }
    let found = exported == 0 ? "no record is there" : "\(records) found, and none of them has a position"
    return format == .csv && exported > 0
      ? "\(records) exported, none with a position\n" : "nothing to export: \(found)\n"
  }
}

extension TrackExport.Format: ExpressibleByArgument {}

extension NewFile {
  /// Hands a new file to `body` and keeps it once that is done: a part of an export would pass for a whole one.
  static func export(to path: String, _ body: (NewFile) throws -> Void) throws {
    let file = try NewFile(
      path, content: "export", remains: "nothing was exported, try another place")
    do {
      try body(file)
      try file.flush()
    } catch {
      file.remove()
      throw error
    }
  }

  func write(_ text: String) throws { try write(text.utf8) }
}
