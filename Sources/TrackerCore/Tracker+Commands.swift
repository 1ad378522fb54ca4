import TrackerBase
import TrackerRemote

/// Commands of the first server, and `godwit locate`.
extension Tracker {
  mutating func uploadFinished(_ reply: UploadReply, of server: Int, at now: Moment, chance: Double) {
    let hadStatus = server == 0 && dispatch.isSendingStatus
    let trusted_ms = receiver.trusted_ms(at: now)
    dispatch.uploadFinished(reply, of: server, trusted_ms: trusted_ms, at: now.boot_ms, chance: chance)
    guard server == 0 else { return }
    if hadStatus { statusEnded(reply.verdict(settings.sync.ack), at: now) }
    if reply.isTopicCutOff { commands.topicWasCutOff() }
    if !reply.commands.isEmpty { commandsOffered(by: reply, at: now) }
    if reply.bringsDocuments, reply.commands.isEmpty { commands.owesConfirmation = true }
  }

  private mutating func statusEnded(_ verdict: UploadReply.Verdict, at now: Moment) {
    var news: [CommandInbox.News] = []
    let isShorter = verdict == .tooLarge && commands.shortenReport(&news)
    perform(news)
    commands.statusEnded(isTaken: verdict == .acknowledged)
    if isShorter {
      dispatch.statusShortened(at: now.boot_ms)
      noteCommands(at: now)
    }
    // What ended meanwhile was not in it.
    reportResults(at: now)
  }

  private mutating func commandsOffered(by reply: UploadReply, at now: Moment) {
    var news: [CommandInbox.News] = []
    var areKnown = true
    if !settings.sync.commands {
      commands.passOver(reply.commands.count, "sync.commands is false", &news)
    } else if !reply.maySteer(by: settings.sync.ack) {
      commands.passOver(reply.commands.count, UploadReply.mayNotSteer, &news)
    } else {
      areKnown = commands.offered(
        reply.commands, trusted_ms: receiver.trusted_ms(at: now), time_ms: time(now).time_ms, at: now.boot_ms,
        &news)
    }
    perform(news)
    if areKnown, reply.bringsDocuments { commands.owesConfirmation = true }
    noteCommands(at: now)
  }

  mutating func commandNews(_ event: CommandEvent, at now: Moment) {
    switch event {
    case .noted(let problem): commandsNoted(problem, at: now)
    case .reportRead(let id, let lines):
      let words = lines.isEmpty ? "there are no lines" : ""
      commandEnded(id, .done, words, report: lines, at: now)
    case .quarantineRetried(let id, let records, let problem):
      if let problem { return commandEnded(id, .failed, problem, at: now) }
      commandEnded(id, .done, counted(records, "record"), at: now)
    case .locateAsked(let request, let timeout_ms):
      let asker = Locating.Asker.person(request: request)
      if let words = locate(for: asker, timeout_ms: timeout_ms, at: now) {
        actions.append(.command(.answer(request: request, .none(words))))
      }
    case .testAsked:
      if makesTestRecord { record(.status(.tested), fix: nil, at: now) }
      dispatch.askAll(at: now.boot_ms)
    }
  }

  /// A record that waits tests as well as one that is made for it; a format that needs a place has none to give.
  public var makesTestRecord: Bool { !dispatch.hasWaiting && dispatch.allTakeRecordsWithoutPlace }

  /// What is new of them to storage; what is there already is confirmed.
  private mutating func noteCommands(at now: Moment) {
    if let saved = commands.takeSaved() {
      actions.append(.command(.note(saved)))
    } else {
      confirmDocuments()
    }
    reportResults(at: now)
  }

  /// Those that the server does not have.
  private mutating func reportResults(at now: Moment) {
    if commands.hasUnreported { statusAtOnce(at: now) }
  }

  /// What a broker has brought is known, or on storage: it may forget it.
  mutating func confirmDocuments() {
    guard commands.owesConfirmation, !overlay.isDeciding else { return }
    commands.owesConfirmation = false
    actions.append(.command(.confirm))
  }

  /// Only now are they begun. A restart waits for the others.
  private mutating func commandsNoted(_ problem: String?, at now: Moment) {
    if let problem { warn(.storage, at: now, "commands and their results are not saved: \(problem)") }
    if problem == nil { confirmDocuments() }
    var news: [CommandInbox.News] = []
    let begun = commands.noted(problem: problem, time_ms: time(now).time_ms, &news)
    perform(news)
    for (id, command) in begun {
      log(.notice, "the server wants: \(command.words) (\(id))")
      begin(command, id, at: now)
    }
    // A failure is not tried again at once: what was to be saved goes with the next change.
    if problem == nil { noteCommands(at: now) } else { reportResults(at: now) }
  }

  private mutating func begin(_ command: Command, _ id: String, at now: Moment) {
    switch command {
    case .intent(let request):
      intentAsked(request, at: now)
      commandEnded(id, .done, at: now, isNoted: false)
    case .sync:
      dispatch.flush(at: now.boot_ms)
      commandEnded(id, .done, at: now, isNoted: false)
    case .status: commandEnded(id, .done, at: now, isNoted: false)
    // It is done once the next process is there.
    case .restart: commands.restartAsked(at: now.boot_ms)
    case .locate(let timeout_ms):
      if let words = locate(for: .server(id: id), timeout_ms: timeout_ms, at: now) {
        commandEnded(id, .refused, words, at: now, isNoted: false)
      }
    case .report(let lines): actions.append(.command(.readReport(id: id, lines: lines)))
    case .retryQuarantine: actions.append(.command(.retryQuarantine(id: id)))
    }
  }

  /// - Parameter isNoted: false: the caller sees to it.
  private mutating func commandEnded(
    _ id: String, _ outcome: CommandOutcome, _ words: String = "", report: [String] = [],
    at now: Moment, isNoted: Bool = true
  ) {
    var news: [CommandInbox.News] = []
    commands.end(id, outcome, words, report: report, time_ms: time(now).time_ms, &news)
    perform(news)
    if isNoted { noteCommands(at: now) }
  }

  private mutating func perform(_ news: [CommandInbox.News]) {
    for case .log(let level, let text) in news { log(level, text) }
  }

  // MARK: Locate

  /// - Returns: why not.
  private mutating func locate(
    for asker: Locating.Asker, timeout_ms: Int64, at now: Moment
  ) -> String? {
    if let words = noLocateBecause(at: now) { return words }
    if commands.locates.count >= Locating.most { return "\(Locating.most) others wait for a fix already" }
    commands.locates.append(
      Locating(asker: asker, until_ms: now.boot_ms + timeout_ms, timeout_ms: timeout_ms))
    receiver.lookAtOnce(at: now.boot_ms)
    return nil
  }

  /// Why the GPS is not powered for it.
  private func noLocateBecause(at now: Moment) -> String? {
    switch runState.override {
    case .paused: return "an operator's pause is in force"
    case .safeMode: return "safe mode keeps the GPS off"
    case .tracking, nil: break
    }
    // While the time is learned the GPS is on, and no window is closed for certain.
    if receiver.window.isOpen || receiver.isLearningTime || settings.gps.locateOutsideWindows { return nil }
    let because = receiver.trusted_ms(at: now) == nil ? "the time is not known, so " : ""
    return because + "no window is open, and gps.locate_outside_windows is false"
  }

  /// After each event.
  mutating func watchLocates(at now: Moment) {
    guard commands.isLocating else { return }
    for late in commands.takeOverdue(at: now.boot_ms) {
      locateFailed(
        late, "no fix within \(late.timeout_ms / 1000) s" + (receiver.module.lacks.map { ": \($0)" } ?? ""),
        at: now)
    }
    guard let words = noLocateBecause(at: now) else { return }
    for locating in commands.takeLocates() { locateFailed(locating, words, at: now) }
  }

  private mutating func locateFailed(_ locating: Locating, _ words: String, at now: Moment) {
    switch locating.asker {
    case .server(let id): commandEnded(id, .failed, words, at: now)
    case .person(let request): actions.append(.command(.answer(request: request, .none(words))))
    }
  }

  /// One fix answers all who wait. What the server asked for becomes a record, which goes at once.
  mutating func located(_ fix: Fix, at now: Moment) {
    for locating in commands.takeLocates() {
      switch locating.asker {
      case .server(let id):
        record(.status(.located(command: id)), fix: fix, at: now)
        commandEnded(id, .done, at: now)
      case .person(let request): actions.append(.command(.answer(request: request, .fix(fix))))
      }
    }
  }

  // MARK: The process

  mutating func reportCommands(at now: Moment) {
    if let words = restored.commandsProblem {
      warn(.storage, at: now, "which commands were done before is not, or not all, known: \(words)")
    }
    noteCommands(at: now)
  }

  func describeCommands(_ status: inout TrackerStatus) {
    let figures = commands.figures
    var found = CommandStatus()
    (found.done, found.refused, found.failed) = (figures.done, figures.refused, figures.failed)
    (found.expired, found.repeated, found.passedOver) =
      (figures.expired, figures.repeated, figures.passedOver)
    found.topicCutOff = figures.topicCutOff
    (found.topicToday_bytes, found.topicRests) = dispatch.topic
    found.results = commands.results
    if found != CommandStatus() { status.commands = found }
  }
}

extension Command {
  /// For the log.
  fileprivate var words: String {
    switch self {
    case .locate: "locate"
    case .sync: "sync"
    case .status: "status"
    case .intent(let request): Tracker.words(request)
    case .report(let lines): "report of \(counted(lines, "line"))"
    case .restart: "restart"
    case .retryQuarantine: "quarantine_retry"
    }
  }
}
