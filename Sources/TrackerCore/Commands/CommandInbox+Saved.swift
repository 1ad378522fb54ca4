/// As storage has it: a title, then a line for each id.
///
///     ID NAME OUTCOME TIME_MS REPORTED WORDS…
///
/// REPORTED is `1` once the server has the result, else `0`. The lines of a report are not kept.
extension CommandInbox {
  private static let title = "godwit commands 1"

  /// - Parameters:
  ///   - text: as saved; nil where nothing ever was.
  ///   - time_ms: Unix milliseconds, by the best clock.
  ///   - now_ms: on the boot clock.
  public init(_ text: String?, time_ms: Int64, at now_ms: Int64) {
    self.init()
    guard let text else { return }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first.map(String.init) == CommandInbox.title else {
      markUnreadable()
      return
    }
    for line in lines.dropFirst() where !line.isEmpty {
      guard let entry = Entry(line), !entries.contains(where: { $0.id == entry.id }) else {
        markUnreadable()
        continue
      }
      keep(entry)
    }
    countLastHour(time_ms: time_ms, at: now_ms)
    endUnfinished(time_ms: time_ms)
  }

  public var text: String {
    ([CommandInbox.title] + entries.map(\.line)).map { $0 + "\n" }.joined()
  }

  /// The process that began them is gone.
  private mutating func endUnfinished(time_ms: Int64) {
    var news: [News] = []
    for entry in entries where entry.outcome == .running {
      if entry.name == Command.Name.restart.rawValue {
        end(entry.id, .done, time_ms: time_ms, &news)
      } else {
        end(
          entry.id, .failed, "the agent ended before it was done, or before it could say so",
          time_ms: time_ms,
          &news)
      }
    }
  }
}

extension CommandInbox.Entry {
  fileprivate var line: String {
    "\(id) \(name) \(outcome.rawValue) \(at_ms) \(isReported ? 1 : 0) \(words)"
  }

  fileprivate init?(_ line: Substring) {
    let parts = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 6, CommandOffer.isID(String(parts[0])),
      let outcome = CommandInbox.Outcome(rawValue: String(parts[2])), let at_ms = Int64(parts[3]),
      ["0", "1"].contains(parts[4])
    else { return nil }
    let name = Command.Name(rawValue: String(parts[1]))?.rawValue ?? CommandOffer.unknown
    self.init(id: String(parts[0]), name: name, outcome: outcome, at_ms: at_ms)
    end(outcome, String(parts[5]))
    isReported = parts[4] == "1"
  }
}

extension CommandOffer {
  /// The name of a command that this version does not know.
  public static let unknown = "unknown"
}
