import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// What is not taken: the operator learns which, why, and whether it may come again.
@Suite("Settings that are not taken")
struct OverlayOfferTests {
  @Test("what is no config is refused without a version, once")
  func malformed() {
    var shell = OverlayShell()
    for _ in 0..<3 { shell.offer(malformed: "has no version", version: nil) }
    #expect(shell.logged == ["what the server sent as settings is refused: config has no version"])
    #expect(shell.saves == 1)
  }

  @Test("the version before it has nothing to do with it")
  func malformedAfterRefused() {
    var shell = OverlayShell()
    shell.problem = "motion.x: unknown setting"
    shell.offer(7)
    shell.offer(malformed: "has no version", version: nil)
    let status = shell.status
    #expect(status?.refused == nil && status?.refusedBecause == "config has no version")
    #expect(status?.desired == 7)
  }

  @Test("one with a version is refused for good under that version, and so need not come again")
  func malformedVersion() {
    var shell = OverlayShell()
    shell.offer(1)
    shell.deliver()
    for _ in 0..<3 { shell.offer(malformed: "sets a twice", version: 2) }
    #expect(shell.logged.last == "version 2 of the server's settings is refused: it sets a twice")
    #expect(shell.disk.refused == .init(version: 2, reason: "it sets a twice"))
    #expect(shell.status?.desired == 2 && shell.status?.refused == 2 && shell.inForce == 1)
    #expect(shell.machine.ignored == 0 && shell.reports == 2)
    shell.offer(malformed: "sets a twice", version: 1)
    #expect(shell.machine.ignored == 1)
    shell.offer(3)
    shell.deliver()
    #expect(shell.inForce == 3 && shell.status?.refused == nil)
  }

  @Test("one during a trial is left for later, whole or not")
  func malformedOnTrial() {
    var shell = OverlayShell()
    shell.offer(7)
    shell.offer(malformed: "sets a twice", version: 8)
    #expect(shell.inForce == 7 && shell.disk.refused == nil)
  }

  @Test(
    "what is no config in ever other ways makes six reports an hour, and says then when the next is looked at"
  )
  func malformedInTurn() {
    var shell = OverlayShell()
    for number in 0..<100 { shell.offer(malformed: "is \(number % 2)", version: nil) }
    #expect(shell.logged.count == 7 && shell.machine.ignored == 94)
    #expect(
      shell.logged.last
        == "what the server sent as settings waits for 60 minutes, since 6 were looked at within an hour")
  }

  @Test("the seventh within an hour waits, says until when, once, and is looked at then")
  func waits() {
    var shell = OverlayShell()
    for version in 1...Int64(6) {
      shell.offer(version)
      shell.deliver()
      shell.wait(60)
    }
    for _ in 0..<5 { shell.offer(7) }
    let words =
      "version 7 of the server's settings waits for 54 minutes, since 6 were looked at within an hour"
    #expect(shell.logged.filter { $0.contains("waits") } == [words])
    #expect(shell.status?.waits == 7 && shell.status?.waitsUntil_ms == 3_600_000)
    #expect(shell.inForce == 6 && shell.status?.desired == 6 && shell.machine.ignored == 5)
    shell.wait(54 * 60)
    #expect(shell.status?.waits == nil)
    shell.offer(7)
    #expect(shell.inForce == 7 && shell.machine.waiting == nil)
  }

  @Test("one that takes all back need not wait for six that were wrong, and is bounded too")
  func takesBack() {
    var shell = OverlayShell()
    for version in 1...Int64(6) {
      shell.offer(version)
      shell.deliver()
    }
    shell.offer(Overlay(version: 7))
    #expect(shell.machine.state.trial?.overlay.isEmpty == true)
    shell.deliver()
    #expect(shell.inForce == 7)
    for version in 8...Int64(99) {
      shell.offer(Overlay(version: version))
      shell.deliver()
    }
    #expect(shell.inForce == 12 && shell.disk.looks_ms.count == 12)
    // What sets something has had its turn.
    shell.offer(100)
    #expect(shell.inForce == 12)
  }

  @Test("what is not the server's for certain is counted, and the reason said when it is another one")
  func passedOver() {
    var shell = OverlayShell()
    for reason in ["a", "a", "b"] { shell.perform(shell.machine.passedOver(because: reason)) }
    #expect(shell.machine.ignored == 3)
    #expect(
      shell.logged == [
        "what the server sent as settings is passed over: a",
        "what the server sent as settings is passed over: b",
      ])
  }
}
