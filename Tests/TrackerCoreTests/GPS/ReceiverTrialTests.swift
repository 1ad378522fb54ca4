import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("What the doctor takes for a fix")
struct ReceiverTrialTests {
  private func trial(
    trusted: Bool = true, lag_s: Double = 0, rate: Int = 1, seconds: Int = 20,
    _ change: (inout GPSReport) -> Void = { _ in }
  ) -> (taken: Int, trial: ReceiverTrial) {
    var trial = ReceiverTrial(GPSSettings())
    let taken = (0..<(seconds * rate)).filter { tick in
      let s = Double(tick) / Double(rate)
      let now_ms = epoch_ms + milliseconds(s)
      return trial.takes(
        GPSReport.at(s - lag_s).with(change), trusted_ms: trusted ? now_ms : nil, at: milliseconds(s))
    }
    return (taken.count, trial)
  }

  @Test("what the agent takes, without a remark")
  func good() {
    let (taken, trial) = trial()
    #expect(taken == 20 && trial.remark == "" && trial.refusal == nil && trial.hasPosition)
  }

  @Test("without an accuracy it is taken, and the assumption named")
  func noAccuracy() {
    let (taken, trial) = trial { $0.accuracy_m = nil }
    #expect(taken == 20)
    #expect(
      trial.remark
        == "; the receiver gives no accuracy: its fixes count as good to 15 m (gps.unknown_accuracy_m)")
  }

  @Test("what the agent refuses is no fix, and its reason is named")
  func refused() throws {
    let (taken, trial) = trial { $0.accuracy_m = 1900 }
    let refusal = try #require(trial.refusal)
    #expect(taken == 0 && trial.hasPosition)
    #expect(refusal.reason == "fixes come, but less accurate than gps.max_accuracy_m (100 m)")
    #expect(refusal.advice == "the antenna and its view of the sky")
  }

  @Test("without a time the clock dates it, if that is right; at 10 Hz the line may be too slow")
  func noTime() throws {
    let (taken, dated) = trial(rate: 10) { $0.time_ms = nil }
    #expect(
      taken > 50
        && dated.remark.contains("gives no time: the system's clock dates it; 10 a second may be too many"))
    let (none, undated) = trial(trusted: false) { $0.time_ms = nil }
    #expect(none == 0 && undated.refusal?.reason == "positions come, but without a time")
  }

  @Test("a fix that comes late is taken, and how late is said")
  func late() {
    let (taken, trial) = trial(lag_s: 16)
    #expect(taken == 20 && trial.remark == "; it came 16 s after its own time: something holds fixes back")
  }

  @Test("nothing but reports without a position: there is nothing to refuse")
  func nothing() {
    let (taken, trial) = trial { $0 = GPSReport(mode: 1) }
    #expect(taken == 0 && trial.refusal == nil && !trial.hasPosition)
  }
}
