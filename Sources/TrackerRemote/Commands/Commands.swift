import TrackerBase

/// Commands of the first server, and `godwit locate`.
package struct Commands: Part {
  package private(set) var inbox: CommandInbox
  @Shared private var settings: SyncSettings
  private var locatesOutsideWindows: Bool
  /// Why it is not, or not all, known which commands were done before; nil once that is reported.
  private var startProblem: String?

  package init(_ inbox: CommandInbox, settings: Settings, problem: String?) {
    (self.inbox, self.settings, startProblem) = (inbox, settings.sync, problem)
    locatesOutsideWindows = settings.gps.locateOutsideWindows
  }

  package mutating func adopt(_ configuration: Configuration, at now: Moment) {
    settings = configuration.settings.sync
    locatesOutsideWindows = configuration.settings.gps.locateOutsideWindows
  }

  package mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]? {
    switch event {
    case .started:
      let words = startProblem.map { "which commands were done before is not, or not all, known: \($0)" }
      startProblem = nil
      return (words.map { [.warn(.storage, $0)] } ?? []) + note(facts)
    case .timer: return inbox.takeRestart(at: now.boot_ms) ? [.stop] : []
    case .command(let news): return handle(news, facts, at: now)
    default: return nil
    }
  }

  private mutating func handle(_ news: CommandEvent, _ facts: Facts, at now: Moment) -> [Want] {
    switch news {
    case .noted(let problem): return noted(problem, facts, at: now)
    case .reportRead(let id, let lines):
      return end(id, .done, lines.isEmpty ? "there are no lines" : "", report: lines, at: facts) + note(facts)
    case .quarantineRetried(let id, _, let problem?):
      return end(id, .failed, problem, at: facts) + note(facts)
    case .quarantineRetried(let id, let records, nil):
      return end(id, .done, counted(records, "record"), at: facts) + note(facts)
    case .locateAsked(let request, let timeout_ms):
      if let words = whyNot(locate: .person(request: request), timeout_ms: timeout_ms, facts) {
        return [.perform(.command(.answer(request: request, .none(words))))]
      }
      return [.tell(.lookAtOnce)]
    case .testAsked: return []
    }
  }

  package mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]? {
    switch news {
    case .fix(let fix, _), .fixOutside(let fix): return located(fix, facts)
    case .statusSent: inbox.statusSent()
    case .statusEnded(let verdict): return statusEnded(verdict, facts)
    case .replied(let reply): return replied(reply, facts, at: now)
    case .confirmationWanted: return inbox.isNoting ? [] : confirm(facts)
    case .settled: return inbox.isLocating ? watchLocates(facts, at: now) : nil
    default: return nil
    }
    return []
  }

  // MARK: What the server says

  private mutating func statusEnded(_ verdict: UploadReply.Verdict, _ facts: Facts) -> [Want] {
    let shortened = verdict == .tooLarge ? inbox.shortenReport() : nil
    inbox.statusEnded(isTaken: verdict == .acknowledged)
    // What ended meanwhile was not in it.
    guard let shortened else { return reportResults() }
    return [shortened, .tell(.statusShortened)] + note(facts) + reportResults()
  }

  private mutating func replied(_ reply: UploadReply, _ facts: Facts, at now: Moment) -> [Want] {
    if reply.isTopicCutOff { inbox.topicWasCutOff() }
    guard !reply.commands.isEmpty else {
      if reply.bringsDocuments { inbox.owesConfirmation = true }
      return []
    }
    var (areKnown, wants) = (true, [Want]())
    if !settings.commands {
      wants = [inbox.passOver(reply.commands.count, "sync.commands is false")]
    } else if !reply.maySteer(by: settings.ack) {
      wants = [inbox.passOver(reply.commands.count, UploadReply.mayNotSteer)]
    } else {
      (areKnown, wants) = inbox.offered(
        reply.commands, trusted_ms: facts.trusted_ms, time_ms: facts.time.time_ms, at: now.boot_ms)
    }
    if areKnown, reply.bringsDocuments { inbox.owesConfirmation = true }
    return wants + note(facts)
  }

  /// What is new of them to storage; what is there already is confirmed.
  private mutating func note(_ facts: Facts) -> [Want] {
    let first = inbox.takeSaved().map { [Want.perform(.command(.note($0)))] } ?? confirm(facts)
    return first + reportResults()
  }

  /// Those that the server does not have.
  private func reportResults() -> [Want] { inbox.hasUnreported ? [.reportAtOnce] : [] }

  /// What a broker has brought is known, or on storage: it may forget it.
  private mutating func confirm(_ facts: Facts) -> [Want] {
    guard inbox.owesConfirmation, !facts.isOverlayUndecided else { return [] }
    inbox.owesConfirmation = false
    return [.perform(.command(.confirm))]
  }

  /// Only now are they begun. A restart waits for the others.
  private mutating func noted(_ problem: String?, _ facts: Facts, at now: Moment) -> [Want] {
    var wants: [Want] =
      problem.map { [.warn(.storage, "commands and their results are not saved: \($0)")] } ?? confirm(facts)
    let (begun, refusals) = inbox.noted(problem: problem, time_ms: facts.time.time_ms)
    wants += refusals
    for (id, command) in begun {
      wants.append(.log(.notice, "the server wants: \(command.words) (\(id))"))
      wants += begin(command, id, facts, at: now)
    }
    // A failure is not tried again at once: what was to be saved goes with the next change.
    return wants + (problem == nil ? note(facts) : reportResults())
  }

  private mutating func begin(_ command: Command, _ id: String, _ facts: Facts, at now: Moment) -> [Want] {
    switch command {
    case .intent(let wish): return [.tell(.intentAsked(wish))] + end(id, .done, at: facts)
    case .sync: return [.tell(.syncAsked(withStatus: false))] + end(id, .done, at: facts)
    case .status: return end(id, .done, at: facts)
    // It is done once the next process is there.
    case .restart: inbox.restartAsked(at: now.boot_ms)
    case .locate(let timeout_ms):
      let words = whyNot(locate: .server(id: id), timeout_ms: timeout_ms, facts)
      return words.map { end(id, .refused, $0, at: facts) } ?? [.tell(.lookAtOnce)]
    case .report(let lines): return [.perform(.command(.readReport(id: id, lines: lines)))]
    case .retryQuarantine: return [.perform(.command(.retryQuarantine(id: id)))]
    }
    return []
  }

  /// `note` follows.
  private mutating func end(
    _ id: String, _ outcome: CommandOutcome, _ words: String = "", report: [String] = [], at facts: Facts
  ) -> [Want] {
    inbox.end(id, outcome, words, report: report, time_ms: facts.time.time_ms)
  }

  // MARK: Locate

  /// Waits for a fix from now on. - Returns: why not.
  private mutating func whyNot(locate asker: Locating.Asker, timeout_ms: Int64, _ facts: Facts) -> String? {
    if let words = noLocateBecause(facts) { return words }
    if inbox.locates.count >= Locating.most { return "\(Locating.most) others wait for a fix already" }
    inbox.locates.append(
      Locating(asker: asker, until_ms: facts.time.boot_ms + timeout_ms, timeout_ms: timeout_ms))
    return nil
  }

  /// Why the GPS is not powered for it.
  private func noLocateBecause(_ facts: Facts) -> String? {
    switch facts.override {
    case .paused: return "an operator's pause is in force"
    case .safeMode: return "safe mode keeps the GPS off"
    case .tracking, nil: break
    }
    // While the time is learned the GPS is on, and no window is closed for certain.
    if facts.isWindowOpen || facts.isLearningTime || locatesOutsideWindows { return nil }
    let because = facts.trusted_ms == nil ? "the time is not known, so " : ""
    return because + "no window is open, and gps.locate_outside_windows is false"
  }

  private mutating func watchLocates(_ facts: Facts, at now: Moment) -> [Want] {
    let wants = inbox.takeOverdue(at: now.boot_ms).flatMap { late in
      let words = "no fix within \(late.timeout_ms / 1000) s" + (facts.gpsLacks.map { ": \($0)" } ?? "")
      return failed(late, words, facts)
    }
    let stopped = noLocateBecause(facts).map { words in
      inbox.takeLocates().flatMap { failed($0, words, facts) }
    }
    return wants + (stopped ?? []) + (inbox.isLocating ? [] : [.tell(.gpsConsidered)])
  }

  private mutating func failed(_ locating: Locating, _ words: String, _ facts: Facts) -> [Want] {
    switch locating.asker {
    case .server(let id): end(id, .failed, words, at: facts) + note(facts)
    case .person(let request): [.perform(.command(.answer(request: request, .none(words))))]
    }
  }

  /// One fix answers all who wait. What the server asked for becomes a record, which goes at once.
  private mutating func located(_ fix: Fix, _ facts: Facts) -> [Want] {
    inbox.takeLocates().flatMap { locating -> [Want] in
      switch locating.asker {
      case .server(let id):
        [.tell(.record(.status(.located(command: id)), .fix(fix), dated: nil))] + end(id, .done, at: facts)
          + note(facts)
      case .person(let request): [.perform(.command(.answer(request: request, .fix(fix))))]
      }
    }
  }

  // MARK: What others see

  package func publish(to facts: inout Facts, at now: Moment) {
    (facts.isLocating, facts.isCommandUnderWay) = (inbox.isLocating, inbox.isUnderWay)
  }

  package var deadline_ms: Int64? { inbox.deadline_ms }

  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {
    var found = inbox.figures
    found.results = inbox.results
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
    case .intent(let wish): wish.words
    case .report(let lines): "report of \(counted(lines, "line"))"
    case .restart: "restart"
    case .retryQuarantine: "quarantine_retry"
    }
  }
}
