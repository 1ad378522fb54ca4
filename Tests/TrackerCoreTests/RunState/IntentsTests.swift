import Testing

@testable import TrackerCore

@Suite("What an operator wants, and its file")
struct IntentsTests {
  static let hour_ms: Int64 = 3_600_000
  static let wall_ms: Int64 = 1_750_000_000_000

  /// Asked at boot time 1 h in the boot "a", with the time trusted or not.
  private func saved(_ requests: [Intents.Request], trusted_ms: Int64? = wall_ms) -> String {
    var runState = RunState(bootID: "a", at: Self.hour_ms)
    for request in requests { runState.ask(request, trusted_ms: trusted_ms, at: Self.hour_ms) }
    return runState.text(trusted_ms: trusted_ms, at: Self.hour_ms)
  }

  private func left_ms(_ runState: RunState, at now_ms: Int64) -> Int64? {
    runState.intents[.pause]?.left_ms(at: now_ms)
  }

  @Test("a pause goes before a track, both before the schedule, and resume ends both")
  func order() {
    var runState = RunState()
    #expect(runState.override == nil)
    runState.ask(.track(length_ms: 1000), trusted_ms: nil, at: 0)
    #expect(runState.override == .tracking)
    runState.ask(.pause(length_ms: nil), trusted_ms: nil, at: 0)
    #expect(runState.override == .paused)
    runState.ask(.resume, trusted_ms: nil, at: 0)
    #expect(runState.override == nil)
  }

  @Test("a length ends when the boot clock says so, not a millisecond earlier")
  func end() {
    var runState = RunState()
    runState.ask(.pause(length_ms: 5000), trusted_ms: nil, at: 1000)
    #expect(runState.deadline_ms == 6000)
    #expect(runState.tick(at: 5999).isEmpty)
    #expect(runState.tick(at: 6000) == [.ended(.pause)])
    #expect(runState.override == nil && runState.deadline_ms == nil)
  }

  @Test("the file says what it means, and reads back as the same")
  func file() {
    let text = saved([.pause(length_ms: 7_200_000), .track(length_ms: 60_000)])
    #expect(
      text == """
        godwit standing 1
        boot a
        pause 10800000 7200000 1750007200000
        track 3660000 60000 1750000060000

        """)
    let again = RunState(text, bootID: "a", at: Self.hour_ms)
    #expect(!again.isUnreadable)
    #expect(again.text(trusted_ms: Self.wall_ms, at: Self.hour_ms) == text)
    #expect(again.text(trusted_ms: nil, at: Self.hour_ms) == text)
    #expect(saved([.pause(length_ms: nil)]) == "godwit standing 1\nboot a\npause\n")
  }

  @Test("a restart in the same boot goes by the boot clock, wherever the wall clock is now")
  func sameBoot() {
    let text = saved([.pause(length_ms: 2 * Self.hour_ms)])
    var runState = RunState(text, bootID: "a", at: 2 * Self.hour_ms)
    runState.settle(trusted_ms: Self.wall_ms + 86_400_000, at: 2 * Self.hour_ms)
    #expect(left_ms(runState, at: 2 * Self.hour_ms) == Self.hour_ms)
  }

  @Test("after a reboot with a trusted time its end counts, with the time that the board was off")
  func trustedReboot() {
    let text = saved([.pause(length_ms: 2 * Self.hour_ms)])
    var runState = RunState(text, bootID: "b", at: 0)
    runState.settle(trusted_ms: Self.wall_ms + 90 * 60_000, at: 0)
    #expect(left_ms(runState, at: 0) == Self.hour_ms / 2)
    var late = RunState(text, bootID: "b", at: 0)
    late.settle(trusted_ms: Self.wall_ms + 3 * Self.hour_ms, at: 0)
    #expect(late.tick(at: 0) == [.ended(.pause)])
  }

  @Test("after a reboot with an unknown time what was left counts, and the end once the time is known")
  func untrustedReboot() {
    let text = saved([.pause(length_ms: 2 * Self.hour_ms)])
    var runState = RunState(text, bootID: "b", at: 1000)
    #expect(left_ms(runState, at: 1000) == 2 * Self.hour_ms)
    // Saved meanwhile, also by a clock that nobody vouches for: the end is still the one that was asked for.
    #expect(runState.text(trusted_ms: nil, at: 1000).contains(" 1750007200000 unsettled\n"))
    #expect(runState.text(trusted_ms: 5, at: 1000).contains(" 1750007200000 unsettled\n"))
    runState.settle(trusted_ms: Self.wall_ms + Self.hour_ms, at: 61_000)
    #expect(left_ms(runState, at: 61_000) == Self.hour_ms)
  }

  @Test("the same where the process was restarted before the time became known")
  func restartedUntrusted() {
    let reboot = RunState(saved([.pause(length_ms: 2 * Self.hour_ms)]), bootID: "b", at: 1000)
    var runState = RunState(reboot.text(trusted_ms: nil, at: 31_000), bootID: "b", at: 31_000)
    #expect(left_ms(runState, at: 31_000) == 2 * Self.hour_ms - 30_000)
    runState.settle(trusted_ms: Self.wall_ms + 3 * Self.hour_ms, at: 61_000)
    #expect(runState.tick(at: 61_000) == [.ended(.pause)])
    #expect(!runState.isUnreadable)
  }

  @Test("a wall clock that is behind makes nothing longer")
  func clockBehind() {
    let text = saved([.pause(length_ms: 2 * Self.hour_ms)])
    var runState = RunState(text, bootID: "b", at: 0)
    runState.settle(trusted_ms: Self.wall_ms - 30 * 86_400_000, at: 0)
    #expect(left_ms(runState, at: 0) == 2 * Self.hour_ms)
  }

  @Test("asked for while the time was unknown: a reboot goes by what was left")
  func noEnd() {
    let text = saved([.pause(length_ms: 2 * Self.hour_ms)], trusted_ms: nil)
    #expect(text.hasSuffix("pause 10800000 7200000 -\n"))
    var runState = RunState(text, bootID: "b", at: 0)
    runState.settle(trusted_ms: Self.wall_ms, at: 0)
    #expect(left_ms(runState, at: 0) == 2 * Self.hour_ms)
  }

  @Test("what is left is saved every ten minutes, and after a failure every ten seconds")
  func saving() {
    var runState = RunState(bootID: "a", at: 0)
    runState.ask(.pause(length_ms: Self.hour_ms), trusted_ms: nil, at: 0)
    runState.saving(at: 0)
    #expect(runState.deadline_ms == 600_000)
    #expect(runState.tick(at: 600_000) == [.saveDue])
    runState.saving(at: 600_000)
    var isNew = runState.notSaved(at: 600_000)
    #expect(isNew)
    #expect(runState.deadline_ms == 610_000 && !runState.isDurable)
    runState.saving(at: 610_000)
    isNew = runState.notSaved(at: 610_000)
    #expect(!isNew)
    runState.ask(.resume, trusted_ms: nil, at: 615_000)
    runState.saving(at: 615_000)
    #expect(runState.deadline_ms == nil && runState.isDurable)
  }

  @Test(
    "a file that is none is reported, and what can be read of another one counts",
    arguments: [
      ("", false), ("rubbish\n", false), ("godwit standing 1\n", false),
      ("godwit standing 1\nboot a\npause\nwhat is this\n", true),
      ("godwit standing 1\nboot a\npause 1 2\npause\n", true),
      ("godwit standing 1\nboot a\ntrack 9223372036854775807 9223372036854775807 -\npause\n", true),
      ("godwit standing 1\nboot a\nsafe 1 x\npause\n", true),
    ])
  func malformed(text: String, isPaused: Bool) {
    let runState = RunState(text, bootID: "a", at: 1000)
    #expect(runState.isUnreadable)
    #expect((runState.override == .paused) == isPaused)
  }

  @Test("extreme numbers in the file do no harm")
  func extreme() {
    let most = "9223372036854775807"
    let text = "godwit standing 1\nboot a\npause \(most) 5 \(most)\nsafe -\(most) \(most)\nrunning\n"
    for boot in ["a", "b"] {
      var runState = RunState(text, bootID: boot, at: 1000)
      runState.settle(trusted_ms: Self.wall_ms, at: 1000)
      runState.runBegan(at: 1000)
      _ = runState.tick(at: 2000)
      #expect(!runState.text(trusted_ms: Self.wall_ms, at: 2000).isEmpty)
    }
  }
}
