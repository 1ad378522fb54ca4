import TrackerBase

/// As storage has it: an object for each id, oldest first. The lines of a report are not kept.
extension CommandInbox {
  /// - Parameters:
  ///   - value: as saved; nil where nothing ever was.
  ///   - time_ms: Unix milliseconds, by the best clock.
  ///   - now_ms: on the boot clock.
  public init(_ value: JSONValue?, time_ms: Int64, at now_ms: Int64) {
    self.init()
    guard let value else { return }
    guard let found = value.array else {
      markUnreadable()
      return
    }
    for value in found {
      guard let entry = SavedEntry(saved: value)?.entry, !entries.contains(where: { $0.id == entry.id })
      else {
        markUnreadable()
        continue
      }
      keep(entry)
    }
    countLastHour(time_ms: time_ms, at: now_ms)
    endUnfinished(time_ms: time_ms)
  }

  public var saved: JSONValue { entries.map { SavedEntry($0) }.saved }

  /// The process that began them is gone.
  private mutating func endUnfinished(time_ms: Int64) {
    for entry in entries where entry.result == nil {
      let isDone = entry.name == Command.Name.restart.rawValue
      let words = isDone ? "" : "the agent ended before it was done, or before it could say so"
      _ = end(entry.id, isDone ? .done : .failed, words, time_ms: time_ms)
    }
  }
}

extension CommandOutcome: Savable {}

private struct SavedEntry: SavedObject {
  var id = ""
  var name = ""
  var outcome: CommandOutcome?
  var at_ms: Int64 = 0
  var isReported = false
  var words = ""

  static let members: [SavedMember<SavedEntry>] = [
    .init("id", \.id) { CommandOffer.isID($0) }, .init("name", \.name), .init("outcome", \.outcome),
    .init("at_ms", \.at_ms), .init("reported", \.isReported), .init("words", \.words),
  ]
}

extension SavedEntry {
  init(_ entry: CommandInbox.Entry) {
    let result = entry.result
    self.init(
      id: entry.id, name: entry.name, outcome: result?.outcome ?? .running, at_ms: entry.at_ms,
      isReported: result?.isReported ?? false, words: result?.words ?? "")
  }

  var entry: CommandInbox.Entry? {
    guard !id.isEmpty, let outcome else { return nil }
    let known = Command.Name(rawValue: name)?.rawValue ?? CommandOffer.unknown
    var result = CommandInbox.Result(outcome, words)
    result.isReported = isReported
    return CommandInbox.Entry(
      id: id, name: known, at_ms: at_ms, progress: outcome == .running ? .begun : .ended(result))
  }
}
