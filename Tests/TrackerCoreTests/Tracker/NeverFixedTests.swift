import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A box that never has a fix")
struct NeverFixedTests {
  @Test("asks the server no more often than its status is due, and once a day for the warning")
  func requests() throws {
    var drive = Drive()
    drive.park(172_800)
    let day = try TrackerTimeline(drive) { $0.sync.statusInterval_s = 86_400 }
    day.coldStart_s = .infinity
    day.run(to: 172_800)
    #expect(day.tracker.status(at: day.now).warnings.contains { $0.name == "gps_no_sky" && $0.count > 50 })
    #expect(day.requests.count <= 8, "\(day.requests.count)")
  }
}
