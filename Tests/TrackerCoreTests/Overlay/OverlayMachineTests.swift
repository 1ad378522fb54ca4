import Testing

@testable import TrackerCore

/// Offered, checked, saved, in force, kept or rolled back.
@Suite("Overlays on trial")
struct OverlayMachineTests {
  /// The shell: checks nothing, saves and uses what it is told.
  private struct Shell {
    var machine: OverlayMachine
    var disk = OverlayState()
    var now_ms: Int64 = 0
    var problem: String?
    var storageFails = false
    var storageProblem = "disk full"
    /// Why the settings cannot be exchanged.
    var refusesToUse: String?
    /// Why what is kept or on trial does not fit the file.
    var misfit: String?
    var logged: [String] = []
    var reports = 0
    var saves = 0
    var uses: [Int64?] = []

    init(_ state: OverlayState = OverlayState(), boot: String = "boot", at now_ms: Int64 = 0) {
      (disk, self.now_ms) = (state, now_ms)
      machine = OverlayMachine(
        state, use: OverlayUse(version: state.wanted?.version), bootID: boot, trial_s: 600)
      perform(machine.started(at: now_ms))
    }

    mutating func perform(_ actions: [OverlayMachine.Action]) {
      for action in actions {
        switch action {
        case .check: receive(.checked(problem: problem))
        case .save(let state):
          saves += 1
          if !storageFails { disk = state }
          receive(.saved(problem: storageFails ? storageProblem : nil))
        case .use(let overlay):
          if let refusesToUse { return receive(.notUsed(refusesToUse)) }
          uses.append(overlay?.version)
          machine.settingsHold(
            misfit.map { OverlayUse(problem: $0) } ?? OverlayUse(version: overlay?.version))
          perform(machine.started(at: now_ms))
        case .report: reports += 1
        case .reportWithNext: break
        case .log(let words), .warn(let words): logged.append(words)
        }
      }
    }

    private mutating func receive(_ news: OverlayMachine.News) {
      perform(machine.received(news, at: now_ms))
    }

    mutating func offer(_ version: Int64) {
      perform(machine.offered(.overlay(Overlay(version: version, geofences: "\(version)")), at: now_ms))
    }

    mutating func deliver() { perform(machine.delivered(at: now_ms)) }

    mutating func wait(_ s: Int64) {
      now_ms += s * 1000
      perform(machine.tick(at: now_ms))
    }

    mutating func reload() {
      machine.settingsHold(
        misfit.map { OverlayUse(problem: $0) } ?? OverlayUse(version: machine.state.wanted?.version))
      perform(machine.started(at: now_ms))
    }

    var inForce: Int64? { machine.use.version }
  }

  @Test("one that fits is saved before it is used, reported at once, and kept by the next sync that succeeds")
  func kept() {
    var shell = Shell()
    shell.offer(7)
    #expect(shell.disk.trial?.overlay.version == 7 && shell.disk.kept == nil)
    #expect(shell.inForce == 7 && shell.reports == 1)
    #expect(shell.machine.deadline_ms == 600_000)
    shell.wait(599)
    shell.deliver()
    #expect(shell.disk == OverlayState(kept: Overlay(version: 7, geofences: "7")))
    #expect(shell.machine.deadline_ms == nil && shell.uses == [7])
    #expect(
      shell.logged == [
        "version 7 of the server's settings is on trial",
        "version 7 of the server's settings is kept: a sync has succeeded with it",
      ])
  }

  @Test("without a sync in time the one before it is back, and it is never tried again")
  func rolledBack() {
    var shell = Shell()
    shell.offer(7)
    shell.deliver()
    shell.offer(8)
    shell.wait(600)
    #expect(shell.uses == [7, 8, 7] && shell.inForce == 7)
    #expect(
      shell.disk.refused
        == .init(version: 8, reason: "trial failed: no sync succeeded within 600 s"))
    #expect(shell.disk.kept?.version == 7 && shell.disk.trial == nil)
    #expect(
      shell.logged.last
        == "version 8 of the server's settings is rolled back to version 7: trial failed: no sync succeeded within 600 s"
    )
    let (saves, reports) = (shell.saves, shell.reports)
    for _ in 0..<100 {
      shell.offer(8)
      shell.deliver()
      shell.wait(60)
    }
    #expect(shell.saves == saves && shell.reports == reports && shell.uses == [7, 8, 7])
    #expect(shell.machine.ignored == 0)
    shell.offer(9)
    shell.deliver()
    #expect(shell.inForce == 9 && shell.disk == OverlayState(kept: Overlay(version: 9, geofences: "9")))
  }

  @Test("the first one rolled back leaves the file's settings")
  func rolledBackToNone() {
    var shell = Shell()
    shell.offer(7)
    shell.wait(600)
    #expect(shell.uses == [7, nil] && shell.inForce == nil)
    #expect(shell.logged.last?.contains("is rolled back to the file's settings") == true)
  }

  @Test("what does not fit is refused for good, and never used")
  func refused() {
    var shell = Shell()
    shell.problem = "motion.x: unknown setting"
    shell.offer(7)
    #expect(shell.uses == [] && shell.reports == 1)
    #expect(shell.disk.refused == .init(version: 7, reason: "motion.x: unknown setting"))
    #expect(
      shell.logged == ["version 7 of the server's settings is refused: motion.x: unknown setting"])
    shell.problem = nil
    shell.offer(7)
    #expect(shell.uses == [])
    shell.offer(8)
    #expect(shell.inForce == 8)
  }

  @Test("older ones are passed over and counted, the same is nothing new")
  func replayed() {
    var shell = Shell()
    shell.offer(7)
    shell.deliver()
    for version: Int64 in [1, 6, 7, 7] { shell.offer(version) }
    #expect(shell.machine.ignored == 2 && shell.uses == [7] && shell.saves == 2)
  }

  @Test("after the last version comes 1 again: no version locks the box")
  func goesRound() {
    var shell = Shell()
    let last = Overlay.versions.upperBound
    shell.offer(last)
    shell.deliver()
    shell.offer(last - 1)
    #expect(shell.inForce == last && shell.machine.ignored == 1)
    shell.offer(1)
    shell.deliver()
    shell.offer(last)
    #expect(shell.inForce == 1 && shell.disk.newest == 1 && shell.machine.ignored == 2)
    shell.offer(2)
    #expect(shell.inForce == 2)
  }

  @Test("one that was refused is the newest, though the one in force is nearer to what comes")
  func newestIsRemembered() {
    var shell = Shell(OverlayState(kept: Overlay(version: 5)))
    shell.problem = "motion.x: unknown setting"
    let half = Overlay.newerWithin
    for version in [half, 2 * half - 1] { shell.offer(version) }
    shell.problem = nil
    let newest = shell.disk.newest
    shell.offer(6 + half)
    #expect(newest == 2 * half - 1 && shell.inForce == 5)
    shell.offer(6)
    #expect(shell.inForce == 6)
  }

  @Test("one that is half the count above the newest counts as older, and the server learns why, once")
  func tooFar() {
    var shell = Shell()
    shell.offer(7)
    shell.deliver()
    for _ in 0..<9 { shell.offer(Overlay.versions.upperBound) }
    #expect(shell.inForce == 7 && shell.disk.newest == 7 && shell.machine.ignored == 9)
    #expect(
      shell.logged.last
        == "version 9007199254740992 of the server's settings is refused: it is 4503599627370496 or more above version 7, and so counts as older; version 8 comes next"
    )
    #expect(shell.logged.count == 3)
    shell.offer(7 + Overlay.newerWithin - 1)
    #expect(shell.inForce == 7 + Overlay.newerWithin - 1)
  }

  @Test(
    "which of two versions is the newer one",
    arguments: [
      (1, 0, true), (1 << 53, 0, true), (8, 7, true), (7, 7, false), (6, 7, false), (1, 1 << 53, true),
      ((1 << 53) - 1, 1 << 53, false), (1 << 52, 1, true), ((1 << 52) + 1, 1, false),
      (1, (1 << 52) + 1, false),
      (1, (1 << 52) + 2, true),
    ] as [(Int64, Int64, Bool)])
  func newer(version: Int64, other: Int64, isNewer: Bool) {
    #expect(Overlay.isNewer(version, than: other) == isNewer)
  }

  @Test("an empty one takes all back, and older ones stay older")
  func empty() {
    var shell = Shell()
    shell.offer(7)
    shell.deliver()
    shell.perform(shell.machine.offered(.overlay(Overlay(version: 8)), at: 0))
    shell.deliver()
    #expect(shell.disk.kept?.isEmpty == true)
    #expect(
      shell.logged.last == "version 8 of the server's settings takes back what was set from afar, and is kept"
    )
    shell.offer(7)
    #expect(shell.inForce == 8)
  }

  @Test("a newer one waits for the end of the trial")
  func oneAtATime() {
    var shell = Shell()
    shell.offer(7)
    shell.offer(8)
    #expect(shell.inForce == 7 && shell.machine.ignored == 0)
    shell.deliver()
    shell.offer(8)
    #expect(shell.inForce == 8)
  }

  @Test("a version that grows with each reply is looked at six times an hour")
  func manyVersions() {
    var shell = Shell()
    for version in 1...Int64(720) {
      shell.offer(version)
      shell.deliver()
      shell.wait(10)
    }
    #expect(shell.uses.count == 12 && shell.saves == 24)
  }

  @Test("what cannot be saved is not used, and may come again")
  func unsaved() {
    var shell = Shell()
    shell.storageFails = true
    shell.offer(7)
    #expect(shell.uses == [] && shell.machine.state == OverlayState())
    #expect(shell.logged == [Self.unsavedWords + "disk full"])
    shell.storageFails = false
    shell.offer(7)
    #expect(shell.inForce == 7)
  }

  private static let unsavedWords = "what the server sets cannot be saved, and no new version is taken: "

  @Test("storage that takes nothing is said once, again when the reason changes, and when it is over")
  func unsavedForHours() {
    var shell = Shell()
    shell.storageFails = true
    for number in 0..<100 {
      if number == 50 { shell.storageProblem = "read-only" }
      // Also by a server whose version grows.
      shell.offer(7 + Int64(number / 10))
      shell.wait(600)
    }
    #expect(shell.logged == [Self.unsavedWords + "disk full", Self.unsavedWords + "read-only"])
    #expect(shell.reports == 2 && shell.machine.isTroubled && shell.machine.saveProblem == "read-only")
    #expect(shell.machine.passing?.reason == "it cannot be kept: read-only")
    shell.storageFails = false
    shell.wait(600)
    #expect(shell.logged.count == 3 && shell.logged.last == "what the server sets can be saved again")
    #expect(!shell.machine.isTroubled)
  }

  @Test("a roll-back that cannot be saved happens, and is saved later")
  func rollBackUnsaved() {
    var shell = Shell()
    shell.offer(7)
    shell.storageFails = true
    shell.wait(600)
    #expect(shell.inForce == nil && shell.disk.trial != nil)
    shell.wait(10)
    #expect(shell.disk.trial != nil)
    shell.storageFails = false
    shell.wait(10)
    #expect(shell.disk.trial == nil && shell.disk.refused?.version == 7)
    #expect(shell.machine.deadline_ms == nil)
  }

  @Test("one that cannot be put in force is rolled back at once")
  func notUsed() {
    var shell = Shell()
    shell.refusesToUse = "no descriptor"
    shell.offer(7)
    #expect(shell.disk.refused == .init(version: 7, reason: "trial failed: no descriptor"))
    #expect(shell.inForce == nil && shell.disk.trial == nil)
  }

  @Test("a roll-back that cannot be put in force is tried again")
  func rollBackNotUsed() {
    var shell = Shell()
    shell.offer(7)
    shell.refusesToUse = "no descriptor"
    shell.wait(600)
    #expect(shell.inForce == 7)
    shell.refusesToUse = nil
    shell.wait(10)
    #expect(shell.inForce == nil)
  }

  @Test("a file that a kept one no longer fits: it is off and reported once, and on again with the next file")
  func misfit() {
    var shell = Shell()
    shell.offer(7)
    shell.deliver()
    shell.misfit = "motion.x: is outside"
    for _ in 0..<3 { shell.reload() }
    #expect(shell.inForce == nil && shell.machine.isOff)
    #expect(
      shell.logged.filter { $0.contains("does not count") } == [
        "version 7 of the server's settings does not count: motion.x: is outside"
      ])
    shell.misfit = nil
    shell.reload()
    #expect(shell.inForce == 7 && !shell.machine.isOff)
  }

  @Test("a file that one on trial no longer fits ends the trial")
  func misfitOnTrial() {
    var shell = Shell()
    shell.offer(7)
    shell.misfit = "motion.x: is outside"
    shell.reload()
    #expect(shell.disk.refused == .init(version: 7, reason: "trial failed: motion.x: is outside"))
    #expect(shell.disk.trial == nil)
  }

  @Test("what is no config is refused without a version, once")
  func malformed() {
    var shell = Shell()
    for _ in 0..<3 { shell.perform(shell.machine.offered(.malformed("has no version"), at: 0)) }
    #expect(shell.logged == ["what the server sent as settings is refused: config has no version"])
    #expect(shell.saves == 0)
  }

  @Test("what is no config in ever other ways makes six reports an hour, and no more")
  func malformedInTurn() {
    var shell = Shell()
    for number in 0..<100 {
      shell.perform(shell.machine.offered(.malformed("is \(number % 2)"), at: Int64(number)))
    }
    #expect(shell.logged.count == 6 && shell.machine.ignored == 94)
  }

  // MARK: the byte budget

  @Test("while the byte budget is used up the time of a trial waits, and goes on from where it stood")
  func waits() {
    var shell = Shell()
    shell.offer(7)
    shell.wait(100)
    for _ in 0..<3 { shell.perform(shell.machine.budget(isUsedUp: true, at: shell.now_ms)) }
    #expect(shell.machine.trialEnds_ms == nil && shell.machine.deadline_ms == nil && shell.saves == 2)
    #expect(
      shell.logged.last
        == "the byte budget is used up: the trial of version 7 of the server's settings waits until a sync is allowed"
    )
    shell.wait(86_400)
    #expect(shell.inForce == 7 && shell.machine.trialLeft_ms(at: shell.now_ms) == 500_000)
    let reports = shell.reports
    shell.perform(shell.machine.budget(isUsedUp: false, at: shell.now_ms))
    #expect(shell.reports == reports + 1 && shell.machine.trialEnds_ms == shell.now_ms + 500_000)
    shell.wait(499)
    #expect(shell.inForce == 7)
    shell.wait(1)
    #expect(shell.inForce == nil)
  }

  @Test("a request that was under way keeps one whose trial waits")
  func keptWaiting() {
    var shell = Shell()
    shell.offer(7)
    shell.perform(shell.machine.budget(isUsedUp: true, at: 0))
    shell.deliver()
    #expect(shell.disk.kept?.version == 7 && shell.disk.trial == nil)
  }

  @Test("a start while it waits: the time without a sync is not its own")
  func startedWaiting() {
    var state = trial()
    state.setTrial(.waiting, at: 101_000)
    _ = state.runBegan(bootID: "boot", at: 5_000_000)
    let spent_ms = state.trial?.spent_ms(at: 5_001_000)
    #expect(spent_ms == 101_000 && state.trial?.starts == 1)
  }

  // MARK: starts

  private func trial(starts: Int = 0) -> OverlayState {
    OverlayState(
      kept: Overlay(version: 6, geofences: "6"),
      trial: .init(overlay: Overlay(version: 7), bootID: "boot", began_ms: 1000, starts: starts))
  }

  @Test("the time of a trial goes on over a restart")
  func restart() {
    var state = trial()
    let saves = state.runBegan(bootID: "boot", at: 400_000)
    #expect(saves && state.trial?.began_ms == 1000 && state.trial?.starts == 1)
    var shell = Shell(state, at: 400_000)
    #expect(shell.inForce == 7 && shell.reports == 1)
    shell.wait(200)
    #expect(shell.inForce == 7)
    shell.wait(1)
    #expect(shell.inForce == 6)
  }

  @Test("a trial whose time is over when the process begins is rolled back at once")
  func late() {
    var state = trial()
    _ = state.runBegan(bootID: "boot", at: 700_000)
    let shell = Shell(state, at: 700_000)
    #expect(shell.inForce == 6 && shell.disk.trial == nil)
  }

  @Test("ends in order are no crashes: the trial goes on with the time that is left, over boots too")
  func orderly() {
    var shell = Shell()
    shell.offer(7)
    for boot in 1...5 {
      shell.wait(100)
      shell.perform(shell.machine.runEnded(at: shell.now_ms))
      var state = shell.disk
      let changes = state.runBegan(bootID: "boot \(boot)", at: 20_000)
      #expect(changes && state.trial?.starts == 0 && state.trial?.clock == .running)
      shell = Shell(state, boot: "boot \(boot)", at: 20_000)
      #expect(shell.inForce == 7 && shell.machine.trialEnds_ms == 20_000 + 600_000 - Int64(boot) * 100_000)
    }
    shell.wait(100)
    #expect(shell.inForce == nil)
    #expect(
      shell.disk.refused == .init(version: 7, reason: "trial failed: no sync succeeded within 600 s"))
  }

  @Test(
    "one with which the process ends in order at once, for ever, is rolled back too",
    arguments: [true, false])
  func orderlyForEver(waits: Bool) {
    var state = trial()
    var starts = 0
    while state.trial != nil, starts < 10_000 {
      starts += 1
      _ = state.runBegan(bootID: "boot", at: 5000)
      var shell = Shell(state, at: 5000)
      if waits { shell.perform(shell.machine.budget(isUsedUp: true, at: 5000)) }
      shell.perform(shell.machine.runEnded(at: 5000))
      state = shell.disk
    }
    #expect((590...601).contains(starts) && state.wanted?.version == 6)
  }

  @Test("a crash between ends in order still counts")
  func crashBetween() {
    var state = trial()
    for _ in 0..<2 {
      _ = state.runBegan(bootID: "boot", at: 2000)
      _ = state.runEnded(at: 3000)
      _ = state.runBegan(bootID: "boot", at: 4000)
      _ = state.runBegan(bootID: "boot", at: 5000)
    }
    #expect(state.trial == nil && state.kept?.version == 6)
  }

  @Test("after a power cut its time is counted from then on, and the third ends it")
  func powerCuts() {
    var state = trial()
    _ = state.runBegan(bootID: "second", at: 30_000)
    #expect(state.trial?.began_ms == 30_000)
    _ = state.runBegan(bootID: "third", at: 20_000)
    #expect(state.trial?.starts == 2)
    let saves = state.runBegan(bootID: "fourth", at: 20_000)
    #expect(saves && state.trial == nil && state.kept?.version == 6)
    #expect(
      state.refused
        == .init(
          version: 7,
          reason: "trial failed: the agent crashed, or the power was cut, 3 times before a sync succeeded"))
    let changes = state.runBegan(bootID: "fifth", at: 1)
    #expect(!changes)
  }

  @Test("a trial whose time is of a boot that nobody knows begins anew too", arguments: ["", "boot"])
  func unknownBoot(boot: String) {
    var state = trial()
    _ = state.runBegan(bootID: boot, at: 500)
    #expect(state.trial?.began_ms == 500)
  }
}
