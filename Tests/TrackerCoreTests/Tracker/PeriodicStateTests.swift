import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Sums that grow all the time")
struct PeriodicStateTests {
  /// Half an hour of driving. The GPS is on all the time.
  private func day() throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(100)
    drive.go(3000, speed_mps: 14)
    drive.park(600)
    let day = try TrackerTimeline(drive) { settings in
      settings.energy.gps_ma = 3600
      settings.motion.gpsOffWhenParked = false
    }
    day.server = { batch, _ in .of(200, sent: batch.map(\.sequence), bytesUp: 1000) }
    return day
  }

  private func onToday_s(_ day: TrackerTimeline) -> Int64 { day.tracker.status(at: day.now).gps.onToday_s }
  private func charge_mah(_ day: TrackerTimeline) -> Double {
    day.tracker.status(at: day.now).energy?.today_mah[.gps] ?? 0
  }
  private func sent_bytes(_ day: TrackerTimeline) -> Int64 {
    day.tracker.status(at: day.now).traffic.todayUp_bytes.values.reduce(0, +)
  }

  @Test("a power cut costs what came after the last commit", arguments: [1150.0, 1700, 2600])
  func powerCut(s: Double) throws {
    let day = try day()
    day.run(to: s)
    let before = (onToday_s(day), charge_mah(day), sent_bytes(day))
    let trip = try #require(day.tracker.trip?.id)
    let commits = day.disk.commits
    day.reboot(after: 10, isSynchronised: true)
    #expect(commits > 60)
    let kept = (onToday_s(day), charge_mah(day), sent_bytes(day))
    #expect(before.0 > 1000 && kept.0 >= before.0 - 20 && kept.0 <= before.0 + 10)
    // One mAh a second.
    #expect(before.1 > 1000 && kept.1 >= before.1 - 20 && kept.1 <= before.1 + 10)
    #expect(before.2 > 0 && kept.2 > 0 && kept.2 <= before.2)
    #expect(day.tracker.trip?.id == trip)
  }

  @Test("an orderly stop saves all of it")
  func orderlyStop() throws {
    let day = try day()
    day.run(to: 1100)
    let before = (onToday_s(day), charge_mah(day), sent_bytes(day))
    day.happen(.stopping)
    day.kill(restartAfter: 0)
    #expect((onToday_s(day), charge_mah(day), sent_bytes(day)) == before)
  }

  @Test("without a current nothing of energy is saved, and nothing of a health of which nothing is known")
  func nothingToSay() throws {
    let day = try TrackerTimeline(.parked)
    day.run(to: 4000)
    #expect(day.disk.state["gps_day"] != nil)
    #expect(day.disk.state["energy"] == nil)
    var draft = Commit()
    Reception(zone: nil, saved: SavedState([:])).save(to: &draft)
    #expect(draft.state["gps_health"] == .null)
  }
}
