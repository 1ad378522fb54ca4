import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A certificate that the wrong clock refuses")
struct TLSClockTests {
  @Test("is tried again soon after the time is known, and named until then", arguments: [true, false])
  func timeBecomesKnown(isClockAtFault: Bool) throws {
    var tracker = Tracker(
      Configuration(
        settings: .with {
          $0.sync.url = "https://server.example/"
          $0.sync.retryBase_s = 300
        }, schedule: try Schedule(rules: []), zone: FixedZone.utc), restored: .init(),
      notBefore_ms: epoch_ms - 86_400_000, isSynchronised: false, at: .at(0))
    _ = tracker.handle(.started, at: .at(0), chance: 0)
    #expect(tracker.trustedTime_ms(at: .at(1)) == nil)
    #expect(uploads(&tracker, at: 61))
    let failure: UploadReply.NoReply = isClockAtFault ? .tlsClock : .tls
    let reply = UploadReply(status: 0, failure: failure, message: "not yet valid", sent: [])
    _ = tracker.handle(.uploadFinished(reply), at: .at(62), chance: 0.9)
    #expect(tracker.status(at: .at(62)).sync.lastReply == (isClockAtFault ? "tls_clock" : "tls"))

    #expect(!uploads(&tracker, at: 80))
    _ = tracker.handle(.clockStepped(isSynchronised: true), at: .at(90), chance: 0)
    #expect(tracker.trustedTime_ms(at: .at(90)) == Moment.at(90).wall_ms)
    #expect(uploads(&tracker, at: 92) == isClockAtFault)
  }

  private func uploads(_ tracker: inout Tracker, at s: Double) -> Bool {
    tracker.handle(.timer, at: .at(s), chance: 0.5).contains {
      if case .upload = $0 { true } else { false }
    }
  }
}
