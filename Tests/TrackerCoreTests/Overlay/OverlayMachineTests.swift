import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Offered, checked, saved, in force, kept or rolled back.
@Suite("Overlays on trial")
struct OverlayMachineTests {
  @Test("one that fits is saved before it is used, reported at once, and kept by the next sync that succeeds")
  func kept() {
    var shell = OverlayShell()
    shell.offer(7)
    #expect(shell.disk.trial?.overlay.version == 7 && shell.disk.kept == nil)
    #expect(shell.inForce == 7 && shell.reports == 1)
    #expect(shell.machine.deadline_ms == 600_000)
    shell.wait(599)
    shell.deliver()
    #expect(shell.disk == OverlayState(kept: Overlay(version: 7, geofences: "7"), looks_ms: [epoch_ms]))
    #expect(shell.machine.deadline_ms == nil && shell.uses == [7])
    #expect(
      shell.logged == [
        "version 7 of the server's settings is on trial",
        "version 7 of the server's settings is kept: a sync has succeeded with it",
      ])
  }

  @Test("without a sync in time the one before it is back, and it is never tried again")
  func rolledBack() {
    var shell = OverlayShell()
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
    #expect(shell.inForce == 9 && shell.disk.kept == Overlay(version: 9, geofences: "9"))
    #expect(shell.disk.trial == nil && shell.disk.refused == nil)
  }

  @Test("the first one rolled back leaves the file's settings")
  func rolledBackToNone() {
    var shell = OverlayShell()
    shell.offer(7)
    shell.wait(600)
    #expect(shell.uses == [7, nil] && shell.inForce == nil)
    #expect(shell.logged.last?.contains("is rolled back to the file's settings") == true)
  }

  @Test("what does not fit is refused for good, and never used")
  func refused() {
    var shell = OverlayShell()
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
    var shell = OverlayShell()
    shell.offer(7)
    shell.deliver()
    for version: Int64 in [1, 6, 7, 7] { shell.offer(version) }
    #expect(shell.machine.ignored == 2 && shell.uses == [7] && shell.saves == 3)
  }

  @Test("after the last version comes 1 again: no version locks the box")
  func goesRound() {
    var shell = OverlayShell()
    let last = Overlay.versions.upperBound
    shell.offer(last)
    shell.deliver()
    shell.offer(last - 1)
    #expect(shell.inForce == last && shell.machine.ignored == 1)
    shell.offer(1)
    shell.deliver()
    shell.offer(last)
    #expect(shell.inForce == 1 && shell.disk.newest == 1 && shell.machine.ignored == 1)
    shell.offer(2)
    #expect(shell.inForce == 2)
  }

  @Test("one that was refused is the newest, though the one in force is nearer to what comes")
  func newestIsRemembered() {
    var shell = OverlayShell(OverlayState(kept: Overlay(version: 5)))
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
    var shell = OverlayShell()
    shell.offer(7)
    shell.deliver()
    for _ in 0..<9 { shell.offer(Overlay.versions.upperBound) }
    #expect(shell.inForce == 7 && shell.disk.newest == 7 && shell.machine.ignored == 8)
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
    var shell = OverlayShell()
    shell.offer(7)
    shell.deliver()
    shell.perform(shell.machine.offered(.overlay(Overlay(version: 8)), time_ms: 0, at: 0))
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
    var shell = OverlayShell()
    shell.offer(7)
    shell.offer(8)
    #expect(shell.inForce == 7 && shell.machine.ignored == 0)
    shell.deliver()
    shell.offer(8)
    #expect(shell.inForce == 8)
  }

  @Test("a version that grows with each reply is looked at six times an hour")
  func manyVersions() {
    var shell = OverlayShell()
    for version in 1...Int64(720) {
      shell.offer(version)
      shell.deliver()
      shell.wait(10)
    }
    #expect(shell.uses.count == 12 && shell.saves == 36)
  }

  @Test("six looks an hour, also over crashes and boots, and in a check that the process does not survive")
  func manyStarts() {
    var state = OverlayState()
    var looks = 0
    for start in 0..<60 {
      let now_ms = Int64(start) * 60_000
      // Each second one in another boot, which has another clock.
      let boot_ms = start % 2 == 0 ? now_ms : 1000
      var machine = OverlayMachine(
        state, bootID: "b", trial_s: 600, time_ms: epoch_ms + now_ms, at: boot_ms)
      let offer: ConfigOffer =
        start % 3 == 0
        ? .malformed("is \(start)", version: nil)
        : .overlay(Overlay(version: Int64(start), geofences: ""))
      for case .perform(.saveOverlay(let saved)) in machine.offered(
        offer, time_ms: epoch_ms + now_ms, at: boot_ms)
      {
        looks += 1
        state = saved
      }
    }
    #expect(looks == 6 && state.looks_ms.count == 6)
  }

  @Test("looks that a file has from after now count as new, and any number is no trap")
  func strangeLooks() {
    let state = OverlayState(looks_ms: [.max, .min, 0, epoch_ms + 1, epoch_ms - 3_600_000])
    var machine = OverlayMachine(state, bootID: "b", trial_s: 600, time_ms: epoch_ms, at: 5)
    var looked = 0
    for number in 0..<9 {
      let wants = machine.offered(.malformed("is \(number)", version: nil), time_ms: epoch_ms, at: 6)
      for case .perform(.saveOverlay) in wants { looked += 1 }
    }
    #expect(looked == 4)
  }

  @Test("what cannot be saved is not used, and may come again")
  func unsaved() {
    var shell = OverlayShell()
    shell.storageFails = true
    shell.offer(7)
    #expect(shell.uses == [] && shell.machine.state == OverlayState(looks_ms: [epoch_ms]))
    #expect(shell.logged == [Self.unsavedWords + "disk full"])
    shell.storageFails = false
    shell.offer(7)
    #expect(shell.inForce == 7)
  }

  private static let unsavedWords = "what the server sets cannot be saved, and no new version is taken: "

  @Test("storage that takes nothing is said once, again when the reason changes, and when it is over")
  func unsavedForHours() {
    var shell = OverlayShell()
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
    var shell = OverlayShell()
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
    var shell = OverlayShell()
    shell.refusesToUse = "no descriptor"
    shell.offer(7)
    #expect(shell.disk.refused == .init(version: 7, reason: "trial failed: no descriptor"))
    #expect(shell.inForce == nil && shell.disk.trial == nil)
  }

  @Test("a roll-back that cannot be put in force is tried again")
  func rollBackNotUsed() {
    var shell = OverlayShell()
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
    var shell = OverlayShell()
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

  @Test("switched off in the file, nothing is wrong: each start logs a line, and no warning stands")
  func switchedOff() {
    var kept = OverlayState()
    kept.begin(.init(overlay: Overlay(version: 7), bootID: "boot", began_ms: 0))
    kept.keep()
    var machine = OverlayMachine(kept, use: .switchedOff, bootID: "boot", trial_s: 600)
    let words = "version 7 of the server's settings does not count: sync.config is false"
    let first = machine.started(at: 0)
    guard first.count == 2, case .log(.notice, words) = first[0],
      case .tell(.statusWanted(atOnce: true)) = first[1]
    else { return #expect(Bool(false), "\(first)") }
    #expect(machine.started(at: 1).isEmpty)
    #expect(machine.isOff && !machine.isTroubled)
    machine.settingsHold(OverlayUse(problem: "motion.x: is outside"))
    #expect(machine.isTroubled)
  }

  @Test("a file that one on trial no longer fits ends the trial")
  func misfitOnTrial() {
    var shell = OverlayShell()
    shell.offer(7)
    shell.misfit = "motion.x: is outside"
    shell.reload()
    #expect(shell.disk.refused == .init(version: 7, reason: "trial failed: motion.x: is outside"))
    #expect(shell.disk.trial == nil)
  }
}
