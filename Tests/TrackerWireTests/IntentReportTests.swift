import Testing
import TrackerWire

@testable import TrackerBase
@testable import TrackerRemote

@Suite("What pause, resume and track answer")
struct IntentReportTests {
  /// 2026-03-02 08:51:27 UTC, a Monday.
  static let now_ms: Int64 = 1_772_441_487_000
  private let zone = FixedZone(offset_s: 3600)

  private func json(_ change: (inout TrackerStatus) -> Void) -> String {
    var status = TrackerStatus()
    (status.time_ms, status.clock) = (Self.now_ms, .gps)
    change(&status)
    let identity = StatusDocument.Identity(device: "van", version: "1", settingsHash: "0f", bootID: "b")
    return StatusDocument.json(status, identity: identity)
  }

  private func text(_ change: (inout TrackerStatus) -> Void) -> String? {
    IntentReport.text(json(change), zone: zone)
  }

  private func intent(_ kind: IntentKind, left_s: Int64?) -> WishStatus {
    WishStatus(kind: kind, left_s: left_s, until_ms: left_s.map { Self.now_ms + $0 * 1000 })
  }

  @Test("a pause says until when, in local time, and how long that is")
  func pause() {
    #expect(
      text { $0.intent = IntentStatus([intent(.pause, left_s: 7200)], isSaved: true) }
        == "paused until 11:51 local, 2 h 00 min left\n")
    #expect(
      text { $0.intent = IntentStatus([intent(.pause, left_s: 86_400)], isSaved: true) }
        == "paused until Tue 2026-03-03 09:51 local, 24 h 00 min left\n")
    #expect(
      text { $0.intent = IntentStatus([intent(.pause, left_s: nil)], isSaved: true) }
        == "paused until godwit resume\n")
    #expect(
      text { $0.intent = IntentStatus([WishStatus(kind: .pause, left_s: 90, until_ms: nil)], isSaved: true) }
        == "paused, 2 min left\n")
  }

  @Test("a track behind a pause, and what could not be saved, are reported")
  func more() {
    let words = text {
      $0.intent = IntentStatus([intent(.pause, left_s: 60), intent(.track, left_s: 7200)], isSaved: false)
    }
    #expect(
      words == """
        paused until 09:52 local, 1 min left
        the pause goes first; track until 11:51 local, 2 h 00 min left counts when it ends before that
        it could not be saved and lasts only as long as the agent runs: see godwit status

        """)
    #expect(
      text { $0.intent = IntentStatus([intent(.track, left_s: 45)], isSaved: true) }
        == "tracking until 09:52 local, 45 s left\n")
  }

  @Test("resume says what the schedule says")
  func resume() {
    #expect(
      text { $0.window.nextChange_ms = Self.now_ms + 3 * 86_400_000 }
        == "resumed: the schedule says closed until Thu 2026-03-05 09:51 local\n")
    #expect(
      text { $0.clock = .untrusted } == "resumed: closed as long as the time is unknown\n")
    #expect(text { $0.window.isOpen = true } == "resumed: the schedule says open\n")
    #expect(
      text { $0.noTrackCause = .learningTime }
        == "resumed: the time is unknown, and the GPS is on to learn it\n")
    #expect(
      text { $0.safeMode = .init(crashes: 5, left_s: 1800) }
        == "safe mode after crashes keeps the GPS off for another 30 min\n")
    #expect(
      text {
        $0.window.isOpen = true
        $0.intent = IntentStatus([], isSaved: false)
      } == """
        resumed: the schedule says open
        it could not be saved and lasts only as long as the agent runs: see godwit status

        """)
  }

  @Test("what is saved without an agent")
  func saved() {
    var runState = RunState()
    let clock = (trusted_ms: Self.now_ms as Int64?, at: 5000 as Int64)
    func words(_ trusted_ms: Int64?) -> String {
      IntentReport.text(runState.intents.wishes(at: clock.at), trusted_ms: trusted_ms, zone: zone)
    }
    #expect(words(clock.trusted_ms) == "resumed: the schedule rules when the agent starts\n")
    runState.ask(.track(length_ms: 3_600_000), trusted_ms: nil, at: clock.at)
    #expect(words(nil) == "tracking, 1 h 00 min left\n")
    runState.ask(.pause(length_ms: nil), trusted_ms: nil, at: clock.at)
    #expect(
      words(clock.trusted_ms)
        == "paused until godwit resume; after that tracking until 10:51 local, 1 h 00 min left\n")
    // The track has come to its end, and no agent was there to end it.
    let later = IntentReport.text(runState.intents.wishes(at: 3_605_000), trusted_ms: nil, zone: zone)
    #expect(later == "paused until godwit resume\n")
  }

  @Test("the status shows it to a person too, and anything else than a status is none")
  func status() {
    let shown = StatusReport.text(
      json {
        $0.intent = IntentStatus([intent(.pause, left_s: 60), intent(.track, left_s: 7200)], isSaved: false)
        $0.safeMode = .init(crashes: 5, left_s: 1800)
      })
    #expect(
      shown.contains(
        """
        operator     pause, 1 min 0 s left, until 2026-03-02T08:52:27.000Z, NOT SAVED: a restart forgets it
          then       track, 2 h 0 min left, until 2026-03-02T10:51:27.000Z
        safe mode    GPS off after 5 crashes, 30 min 0 s left
        """))
    #expect(StatusReport.text(json { _ in }).contains("operator") == false)
    #expect(IntentReport.text("{}", zone: zone) == nil)
  }
}
