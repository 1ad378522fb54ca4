import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("What an operator wants, and how it is saved")
struct IntentsTests {
  static let hour_ms: Int64 = 3_600_000
  static let wall_ms: Int64 = 1_750_000_000_000

  /// Asked at boot time 1 h in the boot "a", with the time trusted or not.
  private func saved(_ requests: [IntentWish], trusted_ms: Int64? = wall_ms) -> JSONValue {
    var runState = RunState(bootID: "a", at: Self.hour_ms)
    for request in requests { runState.ask(request, trusted_ms: trusted_ms, at: Self.hour_ms) }
    return runState.saved(trusted_ms: trusted_ms, at: Self.hour_ms)
  }

  private func wish(
    until_ms: Int64, left_ms: Int64, end_ms: Int64?, isUnsettled: Bool = false
  ) -> JSONValue {
    var members = [
      JSONMember(key: "until_ms", value: .integer(until_ms)),
      JSONMember(key: "left_ms", value: .integer(left_ms)),
    ]
    if let end_ms { members.append(JSONMember(key: "end_ms", value: .integer(end_ms))) }
    if isUnsettled { members.append(JSONMember(key: "unsettled", value: .bool(true))) }
    return .object(members)
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
    let saved = saved([.pause(length_ms: 7_200_000), .track(length_ms: 60_000)])
    let wishes: JSONValue = .object([
      JSONMember(key: "boot", value: .string("a")),
      JSONMember(
        key: "pause", value: wish(until_ms: 10_800_000, left_ms: 7_200_000, end_ms: 1_750_007_200_000)),
      JSONMember(key: "track", value: wish(until_ms: 3_660_000, left_ms: 60_000, end_ms: 1_750_000_060_000)),
    ])
    #expect(saved == wishes)
    let again = RunState(saved, bootID: "a", at: Self.hour_ms)
    #expect(!again.isUnreadable)
    #expect(again.saved(trusted_ms: Self.wall_ms, at: Self.hour_ms) == saved)
    #expect(again.saved(trusted_ms: nil, at: Self.hour_ms) == saved)
    #expect(self.saved([.pause(length_ms: nil)])["pause"] == .object([]))
  }

  @Test("a restart in the same boot goes by the boot clock, wherever the wall clock is now")
  func sameBoot() {
    let saved = saved([.pause(length_ms: 2 * Self.hour_ms)])
    var runState = RunState(saved, bootID: "a", at: 2 * Self.hour_ms)
    runState.settle(trusted_ms: Self.wall_ms + 86_400_000, at: 2 * Self.hour_ms)
    #expect(left_ms(runState, at: 2 * Self.hour_ms) == Self.hour_ms)
  }

  @Test("after a reboot with a trusted time its end counts, with the time that the board was off")
  func trustedReboot() {
    let saved = saved([.pause(length_ms: 2 * Self.hour_ms)])
    var runState = RunState(saved, bootID: "b", at: 0)
    runState.settle(trusted_ms: Self.wall_ms + 90 * 60_000, at: 0)
    #expect(left_ms(runState, at: 0) == Self.hour_ms / 2)
    var late = RunState(saved, bootID: "b", at: 0)
    late.settle(trusted_ms: Self.wall_ms + 3 * Self.hour_ms, at: 0)
    #expect(late.tick(at: 0) == [.ended(.pause)])
  }

  @Test("after a reboot with an unknown time what was left counts, and the end once the time is known")
  func untrustedReboot() {
    let saved = saved([.pause(length_ms: 2 * Self.hour_ms)])
    var runState = RunState(saved, bootID: "b", at: 1000)
    #expect(left_ms(runState, at: 1000) == 2 * Self.hour_ms)
    // Saved meanwhile, also by a clock that nobody vouches for: the end is still the one that was asked for.
    for trusted_ms: Int64? in [nil, 5] {
      let again = runState.saved(trusted_ms: trusted_ms, at: 1000)
      #expect(
        again["pause"]
          == wish(until_ms: 7_201_000, left_ms: 7_200_000, end_ms: 1_750_007_200_000, isUnsettled: true))
    }
    runState.settle(trusted_ms: Self.wall_ms + Self.hour_ms, at: 61_000)
    #expect(left_ms(runState, at: 61_000) == Self.hour_ms)
  }

  @Test("the same where the process was restarted before the time became known")
  func restartedUntrusted() {
    let reboot = RunState(saved([.pause(length_ms: 2 * Self.hour_ms)]), bootID: "b", at: 1000)
    var runState = RunState(reboot.saved(trusted_ms: nil, at: 31_000), bootID: "b", at: 31_000)
    #expect(left_ms(runState, at: 31_000) == 2 * Self.hour_ms - 30_000)
    runState.settle(trusted_ms: Self.wall_ms + 3 * Self.hour_ms, at: 61_000)
    #expect(runState.tick(at: 61_000) == [.ended(.pause)])
    #expect(!runState.isUnreadable)
  }

  @Test("a wall clock that is behind makes nothing longer")
  func clockBehind() {
    let saved = saved([.pause(length_ms: 2 * Self.hour_ms)])
    var runState = RunState(saved, bootID: "b", at: 0)
    runState.settle(trusted_ms: Self.wall_ms - 30 * 86_400_000, at: 0)
    #expect(left_ms(runState, at: 0) == 2 * Self.hour_ms)
  }

  @Test("asked for while the time was unknown: a reboot goes by what was left")
  func noEnd() {
    let saved = saved([.pause(length_ms: 2 * Self.hour_ms)], trusted_ms: nil)
    #expect(saved["pause"] == wish(until_ms: 10_800_000, left_ms: 7_200_000, end_ms: nil))
    var runState = RunState(saved, bootID: "b", at: 0)
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

  @Test("what makes no sense is reported, and the rest counts")
  func malformed() {
    let paused = JSONMember(key: "pause", value: .object([]))
    func runState(_ members: JSONMember...) -> RunState {
      let boot = JSONMember(key: "boot", value: .string("a"))
      return RunState(.object([boot] + members), bootID: "a", at: 1000)
    }
    let odd = [
      JSONMember(key: "what", value: .string("is this")),
      JSONMember(key: "track", value: .object([])),
      JSONMember(key: "track", value: wish(until_ms: 5, left_ms: IntentWish.longest_ms + 1, end_ms: nil)),
      JSONMember(key: "track", value: wish(until_ms: .max, left_ms: 1, end_ms: nil)),
      JSONMember(key: "safe", value: .string("x")), JSONMember(key: "crashes_ms", value: .array([.null])),
      JSONMember(
        key: "crashes_ms", value: .array([JSONValue](repeating: .integer(1), count: 65))),
      JSONMember(key: "starts", value: .object([JSONMember(key: "boots", value: .integer(-2))])),
    ]
    for member in odd {
      let found = runState(member, paused)
      #expect(found.isUnreadable && found.override == .paused, "\(member)")
    }
    #expect(!runState(paused).isUnreadable)
    for value: JSONValue in [.null, .array([]), .string("")] {
      let found = RunState(value, bootID: "a", at: 1000)
      #expect(found.isUnreadable && found.override == nil)
    }
  }

  @Test("extreme numbers do no harm")
  func extreme() {
    let most: Int64 = 1_000_000_000_000_000
    let saved: JSONValue = .object([
      JSONMember(key: "boot", value: .string("a")), JSONMember(key: "running", value: .bool(true)),
      JSONMember(key: "pause", value: wish(until_ms: most, left_ms: 5, end_ms: most)),
      JSONMember(
        key: "safe",
        value: .object([
          JSONMember(key: "since_ms", value: .integer(most)),
          JSONMember(key: "crashes", value: .integer(1_000_000)),
        ])),
    ])
    for boot in ["a", "b"] {
      var runState = RunState(saved, bootID: boot, at: 1000)
      #expect(!runState.isUnreadable && runState.override == .paused)
      runState.settle(trusted_ms: Self.wall_ms, at: 1000)
      runState.runBegan(at: 1000)
      _ = runState.tick(at: 2000)
      #expect(
        !RunState(runState.saved(trusted_ms: Self.wall_ms, at: 2000), bootID: boot, at: 2000).isUnreadable)
    }
  }
}
