import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// The time of a trial: over starts and ends of the process, and while no sync is allowed.
@Suite("The time of a trial")
struct OverlayTrialTests {
  // MARK: the byte budget

  @Test("while the byte budget is used up the time of a trial waits, and goes on from where it stood")
  func waits() {
    var shell = OverlayShell()
    shell.offer(7)
    shell.wait(100)
    for _ in 0..<3 { shell.perform(shell.machine.budget(isUsedUp: true, at: shell.now_ms)) }
    #expect(shell.machine.trialEnds_ms == nil && shell.machine.deadline_ms == nil && shell.saves == 3)
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
    var shell = OverlayShell()
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
    var shell = OverlayShell(state, at: 400_000)
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
    let shell = OverlayShell(state, at: 700_000)
    #expect(shell.inForce == 6 && shell.disk.trial == nil)
  }

  @Test("ends in order are no crashes: the trial goes on with the time that is left, over boots too")
  func orderly() {
    var shell = OverlayShell()
    shell.offer(7)
    for boot in 1...5 {
      shell.wait(100)
      shell.perform(shell.machine.runEnded(at: shell.now_ms))
      var state = shell.disk
      let changes = state.runBegan(bootID: "boot \(boot)", at: 20_000)
      #expect(changes && state.trial?.starts == 0 && state.trial?.clock == .running)
      shell = OverlayShell(state, boot: "boot \(boot)", at: 20_000)
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
      var shell = OverlayShell(state, at: 5000)
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
