import Testing

@testable import TrackerBase
@testable import TrackerReceiver

@Suite("A module that has the power to listen")
struct ListensOnTests {
  @Test("listens on where no fix comes, and learns no start from it", arguments: [true, false])
  func listensOn(isAlwaysOn: Bool) {
    var settings = GPSSettings()
    settings.power.mode = isAlwaysOn ? .level : .none
    settings.minOff_s = 0
    var session = GPSSession(settings: settings, isAlwaysOn: isAlwaysOn)
    _ = session.wantChanged(to: true, at: 0)
    var failures = 0
    for s in 0..<36_000 {
      let now_ms = Int64(s) * 1000
      failures += session.tick(at: now_ms).count { $0 == .listensOn }
      session.reportArrived(at: now_ms)
      #expect(session.isPowered)
    }
    // After 300 s, then two minutes after pauses of 10, 20, 40 s … up to ten minutes.
    #expect((40...60).contains(failures), "\(failures)")
    _ = session.fixArrived(.at(36_000), at: 36_000_000)
    #expect(session.startTimes == StartTimes() && session.isPowered)
  }
}
