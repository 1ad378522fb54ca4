import TrackerBase

/// Commands of the first server, as an inbox keeps them: each is done once, by its id, and its result is kept until the
/// server has it.
///
/// An id is on storage before its command is performed, so that a power cut at any moment leaves a command that was not
/// begun, or one that is said to have been begun; never one that is done twice.
public struct CommandInbox: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    var id: String
    var name: String
    /// Unix milliseconds, by the best clock: when it came, then when it ended.
    var at_ms: Int64
    var progress: Progress

    var result: Result? {
      if case .ended(let result) = progress { result } else { nil }
    }
  }

  enum Progress: Equatable, Sendable {
    /// Not on storage yet, so not begun.
    case noting(Command)
    case begun
    case ended(Result)
  }

  struct Result: Equatable, Sendable {
    var outcome: CommandOutcome
    /// Why, or what came of it. No line breaks.
    var words: String
    /// Of the command `report`, until the server has it.
    var report: [String] = []
    /// Half of the report is gone: the server refuses a status with all of it.
    var isShortened = false
    /// The server has it.
    var isReported = false

    init(_ outcome: CommandOutcome, _ words: String = "", report: [String] = []) {
      let line = PlainText.line(words).unicodeScalars
      self.words = String(String.UnicodeScalarView(line.prefix(CommandInbox.longestWords)))
      (self.outcome, self.report) = (outcome, report)
    }
  }

  /// Ids that are remembered.
  public static let capacity = 64
  static let mostAnHour = 64
  static let mostRestartsAnHour = 4
  /// A restart waits so long for what was begun before it.
  static let restartPatience_ms: Int64 = 60_000
  /// The newest results are shown, reported or not.
  static let shown = 8
  static let longestWords = 200

  /// Oldest first.
  package private(set) var entries: [Entry] = []
  /// It was not, or not all, what this program saves.
  public private(set) var isUnreadable = false
  /// What storage holds is not `saved`.
  private var isDirty = false
  private var taken = LastHour()
  private var restarts = LastHour()
  /// Ids whose results are in the status that is under way.
  private var underWay: Set<String> = []
  /// Since the process began; the results are added by `Commands`.
  package private(set) var figures = CommandStatus()
  package var locates: [Locating] = []
  /// A restart is begun, and waits for others no longer than until then.
  package private(set) var restartBy_ms: Int64?
  /// What a broker brought is to be confirmed once it is on storage.
  package var owesConfirmation = false

  public init() {}

  /// What processes before this one have taken counts. - Parameter time_ms: Unix milliseconds, by the best clock.
  mutating func countLastHour(time_ms: Int64, at now_ms: Int64) {
    let begun = entries.filter { $0.name == Command.Name.restart.rawValue && $0.result?.outcome != .refused }
    taken = LastHour(noted_ms: entries.map(\.at_ms), time_ms: time_ms, at: now_ms)
    restarts = LastHour(noted_ms: begun.map(\.at_ms), time_ms: time_ms, at: now_ms)
  }

  // MARK: Offers

  /// - Parameters:
  ///   - trusted_ms: Unix milliseconds; nil while nobody vouches for the time.
  ///   - time_ms: by the best clock that there is.
  /// - Returns: whether all of them are known now: none of them needs to be offered again.
  package mutating func offered(
    _ offers: CommandOffers, trusted_ms: Int64?, time_ms: Int64, at now_ms: Int64
  ) -> (areKnown: Bool, wants: [Want]) {
    var wants = offers.unnamed.map { Want.log(.warning, "a command is refused: \($0)") }
    figures.refused += offers.unnamedCount
    if offers.beyond > 0 {
      wants.append(passOver(offers.beyond, "one reply may bring \(CommandOffers.most)"))
    }
    // What is beyond stays so, however often it comes.
    var areKnown = true
    for offer in offers.offers {
      if entries.contains(where: { $0.id == offer.id }) {
        figures.repeated += 1
      } else if let why = whyNotNow(offer, trusted_ms: trusted_ms, at: now_ms) {
        wants.append(passOver(1, why))
        areKnown = false
      } else {
        wants += take(offer, trusted_ms: trusted_ms, time_ms: time_ms, at: now_ms)
      }
    }
    return (areKnown, wants)
  }

  package mutating func topicWasCutOff() { figures.topicCutOff += 1 }

  package mutating func passOver(_ count: Int, _ why: String) -> Want {
    figures.passedOver += count
    return .log(.warning, "\(counted(count, "command is", "commands are")) passed over: \(why)")
  }

  /// It may come again.
  private mutating func whyNotNow(_ offer: CommandOffer, trusted_ms: Int64?, at now_ms: Int64) -> String? {
    if taken.count(at: now_ms) >= CommandInbox.mostAnHour {
      return "\(CommandInbox.mostAnHour) came within an hour"
    }
    return offer.expires_ms != nil && trusted_ms == nil ? "it expires, and the time is not known yet" : nil
  }

  private mutating func take(
    _ offer: CommandOffer, trusted_ms: Int64?, time_ms: Int64, at now_ms: Int64
  ) -> [Want] {
    taken.add(at: now_ms)
    let progress = progress(of: offer, trusted_ms: trusted_ms, at: now_ms)
    let entry = Entry(id: offer.id, name: offer.name, at_ms: time_ms, progress: progress)
    if case .noting(.restart) = progress { restarts.add(at: now_ms) }
    keep(entry)
    isDirty = true
    return noteEnd(of: entry)
  }

  private mutating func progress(of offer: CommandOffer, trusted_ms: Int64?, at now_ms: Int64) -> Progress {
    switch offer.wish {
    case .refused(let words): return .ended(Result(.refused, words))
    case .command(let command):
      if let expires_ms = offer.expires_ms, let trusted_ms, expires_ms <= trusted_ms {
        return .ended(Result(.expired, "it came too late"))
      }
      if command == .restart, restarts.count(at: now_ms) >= CommandInbox.mostRestartsAnHour {
        return .ended(Result(.refused, "\(CommandInbox.mostRestartsAnHour) restarts came within an hour"))
      }
      return .noting(command)
    }
  }

  /// Those whose results the server has go first; one that is under way never does.
  private mutating func makeRoom() {
    while entries.count >= CommandInbox.capacity {
      let index =
        entries.firstIndex { $0.result?.isReported == true } ?? entries.firstIndex { $0.result != nil } ?? 0
      entries.remove(at: index)
    }
  }

  // MARK: Storage

  /// What is to be on storage; nil if that has it.
  package mutating func takeSaved() -> JSONValue? {
    guard isDirty else { return nil }
    isDirty = false
    return saved
  }

  /// What it knows is not on storage yet.
  package var isNoting: Bool {
    isDirty || entries.contains { if case .noting = $0.progress { true } else { false } }
  }

  /// - Returns: what may be begun now.
  package mutating func noted(
    problem: String?, time_ms: Int64
  ) -> (begun: [(id: String, command: Command)], wants: [Want]) {
    if problem != nil { isDirty = true }
    var begun: [(id: String, command: Command)] = []
    var wants: [Want] = []
    for index in entries.indices {
      guard case .noting(let command) = entries[index].progress else { continue }
      entries[index].progress = .begun
      if let problem, !command.isHarmless {
        let words = "it cannot be noted, so it is not done, lest it be done twice: \(problem)"
        wants += end(entries[index].id, .failed, words, time_ms: time_ms)
      } else {
        begun.append((entries[index].id, command))
      }
    }
    return (begun, wants)
  }

  mutating func keep(_ entry: Entry) {
    makeRoom()
    entries.append(entry)
  }

  mutating func markUnreadable() { isUnreadable = true }

  // MARK: Results

  package mutating func end(
    _ id: String, _ outcome: CommandOutcome, _ words: String = "", report: [String] = [], time_ms: Int64
  ) -> [Want] {
    guard let index = entries.firstIndex(where: { $0.id == id && $0.result == nil }) else { return [] }
    // A status has room for one: the later has what the earlier had.
    if !report.isEmpty { for earlier in entries.indices { change(earlier) { $0.report = [] } } }
    entries[index].progress = .ended(Result(outcome, words, report: report))
    entries[index].at_ms = time_ms
    isDirty = true
    return noteEnd(of: entries[index])
  }

  private mutating func change(_ index: Int, _ body: (inout Result) -> Void) {
    guard case .ended(var result) = entries[index].progress else { return }
    body(&result)
    entries[index].progress = .ended(result)
  }

  /// Nothing, while it has none.
  private mutating func noteEnd(of entry: Entry) -> [Want] {
    guard let result = entry.result else { return [] }
    figures.count(result.outcome)
    let level: RunSettings.LogLevel = result.outcome == .done ? .notice : .warning
    let words = result.words.isEmpty ? "" : ": \(result.words)"
    return [.log(level, "command \(entry.id), \(entry.name): \(result.outcome.rawValue)\(words)")]
  }

  // MARK: Restart

  package mutating func restartAsked(at now_ms: Int64) {
    restartBy_ms = restartBy_ms ?? now_ms + Self.restartPatience_ms
  }

  /// Something else is under way, or the server lacks the lines of a report, which no storage keeps.
  private var restartWaits: Bool {
    entries.contains { entry in
      guard let result = entry.result else { return entry.name != Command.Name.restart.rawValue }
      return !result.report.isEmpty
    }
  }

  /// Boot time of a restart that was asked for.
  var restart_ms: Int64? { restartBy_ms.map { restartWaits ? $0 : 0 } }

  /// - Returns: true once.
  package mutating func takeRestart(at now_ms: Int64) -> Bool {
    guard let restart_ms, now_ms >= restart_ms else { return false }
    restartBy_ms = nil
    return true
  }

  /// Results that the server does not have.
  package var hasUnreported: Bool { entries.contains { $0.result?.isReported == false } }

  /// A status that has the results of now goes to the server.
  package mutating func statusSent() {
    underWay = Set(entries.filter { $0.result != nil }.map(\.id))
  }

  package mutating func statusEnded(isTaken: Bool) {
    if isTaken {
      for index in entries.indices where underWay.contains(entries[index].id) {
        change(index) { ($0.isReported, $0.report) = (true, []) }
      }
    }
    underWay = []
  }

  /// The status that is under way is too large for the server: of a report in it the newer half is left, and of that one
  /// nothing. Before `statusEnded`.
  ///
  /// - Returns: nil where there is none.
  package mutating func shortenReport() -> Want? {
    guard
      let index = entries.firstIndex(where: { underWay.contains($0.id) && $0.result?.report.isEmpty == false }
      ),
      let old = entries[index].result
    else { return nil }
    let half = old.isShortened ? 0 : old.report.count / 2
    isDirty = true
    guard half > 0 else {
      entries[index].progress = .ended(
        Result(.failed, "with the lines the status is too large for the server (413)"))
      return noteEnd(of: entries[index]).first
    }
    let words = "the newest \(half) lines: with more the status is too large for the server (413)"
    var shortened = Result(.done, words, report: old.report.suffix(half))
    shortened.isShortened = true
    entries[index].progress = .ended(shortened)
    return .log(.notice, "command \(entries[index].id), report: \(words)")
  }

  /// Oldest first: all that the server does not have, and the newest.
  package var results: [CommandResultStatus] {
    let last = entries.count - CommandInbox.shown
    return entries.enumerated().filter { $1.result?.isReported != true || $0 >= last }.map {
      CommandResultStatus($1)
    }
  }
}

extension CommandStatus {
  fileprivate mutating func count(_ outcome: CommandOutcome) {
    switch outcome {
    case .running: break
    case .done: done += 1
    case .refused: refused += 1
    case .failed: failed += 1
    case .expired: expired += 1
    }
  }
}

extension CommandResultStatus {
  init(_ entry: CommandInbox.Entry) {
    self.init()
    (id, command, at_ms, result) = (entry.id, entry.name, entry.at_ms, .running)
    guard let ended = entry.result else { return }
    (result, why, report) = (ended.outcome, ended.words, ended.report)
  }
}
