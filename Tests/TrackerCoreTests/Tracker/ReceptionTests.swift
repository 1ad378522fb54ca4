import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("What the tracker says of its receiver")
struct ReceptionTests {
  /// Stands for two minutes in a trip, among minutes of driving.
  private func drive() -> Drive {
    var drive = Drive()
    drive.park(300)
    drive.go(600, speed_mps: 14)
    drive.stand(200)
    drive.go(600, speed_mps: 14)
    drive.park(1200)
    return drive
  }

  /// - Parameter sky: by the second of the timeline.
  private func day(_ sky: @escaping (Double) -> SkyView) throws -> TrackerTimeline {
    let day = try TrackerTimeline(drive())
    day.onTheWay = { report, s in [report.with { $0.sky = sky(s) }] }
    return day
  }

  private func contents(_ day: TrackerTimeline) -> [Record.Content] {
    (day.records(.warning) + day.records(.status)).sorted { $0.sequence < $1.sequence }.map(\.content)
  }

  @Test("jamming is a warning that lasts, a record, and one of its end")
  func jamming() throws {
    let day = try day { s in
      let isJammed = (1000..<1060).contains(s)
      return SkyView(heard: 10, cn0_dBHz: isJammed ? 28 : 44)
    }
    day.run(to: 1030)
    let status = day.tracker.status(at: day.now)
    #expect(status.gps.heard == 10 && status.gps.cn0_dBHz == 28)
    let warning = try #require(status.warnings.first { $0.name == "gps_jamming" })
    #expect(warning.count == 1 && warning.since_ms != nil && warning.until_ms == nil)
    day.run(to: 1200)
    #expect(
      day.tracker.status(at: day.now).warnings.first { $0.name == "gps_jamming" }?.until_ms != nil)
    #expect(
      contents(day) == [.warning(.gpsJamming(fall_dB: 16)), .status(.jammingOver(lasted_s: 63))])
    #expect(
      day.log.contains {
        $0.hasSuffix("all satellites are heard 16 dB less than a moment ago: something near jams the GPS")
      })
  }

  @Test("an antenna that is gone is a warning and a record, each once, and so is its return")
  func antenna() throws {
    let day = try day { s in
      let isGone = (960..<1080).contains(s)
      return isGone ? SkyView(heard: 0) : SkyView(heard: 10, cn0_dBHz: 44)
    }
    day.run(to: 1060)
    #expect(
      day.tracker.status(at: day.now).warnings.contains { $0.name == "gps_antenna" && $0.until_ms == nil })
    day.run(to: 1200)
    #expect(contents(day) == [.warning(.gpsAntenna(cause: .silent)), .status(.antennaBack)])
  }

  @Test("the day's figures outlive a kill but for ten minutes, and begin anew at midnight; the last fix ages")
  func today() throws {
    let day = try day { _ in SkyView(heard: 10, cn0_dBHz: 44) }
    day.run(to: 1000)
    var gps = day.tracker.status(at: day.now).gps
    let before_s = gps.onToday_s
    #expect(before_s == gps.on_s && gps.sessionsToday == gps.sessions && before_s > 500)
    #expect(gps.lastFixAgo_s == 0)
    day.kill()
    day.run(to: 1100)
    gps = day.tracker.status(at: day.now).gps
    #expect(gps.on_s <= 100 && gps.onToday_s > before_s - 600 && gps.sessionsToday > gps.sessions)
    // 06:00 UTC is second 0.
    day.run(to: 18 * 3600 + 30)
    gps = day.tracker.status(at: day.now).gps
    #expect(gps.onToday_s <= 30 && gps.sessionsToday <= 1)
    #expect((gps.lastFixAgo_s ?? 0) >= 0)
  }

  @Test("a receiver that gets worse over weeks is reported once, over restarts, and a healthy one never")
  func weeks() throws {
    for (perDay_dB, expected) in [(0.0, 0), (0.5, 1)] {
      var reception = Reception(zone: FixedZone.utc, saved: SavedState([:]))
      var wants: [Want] = []
      for day in 0..<60 {
        let level_dBHz = 44 - max(0, Double(day - 20)) * perDay_dB
        for s in 0..<600 {
          var report = GPSReport(mode: 3, speed_mps: 15)
          report.sky = SkyView(heard: 9, cn0_dBHz: level_dBHz)
          wants += reception.reportArrived(
            report, isOther: false, ignitionIsOn: nil, at: Int64(s) * 1000)
        }
        let noon_ms = epoch_ms + Int64(day) * 86_400_000
        wants += reception.count(isOn: false, hotStart_ms: 3000, trusted_ms: noon_ms, at: 600_000)
        var draft = Commit()
        reception.save(to: &draft)
        reception = Reception(zone: FixedZone.utc, saved: SavedState(draft.state))
      }
      let reported = wants.count { if case .warn(.weak, _, _, _) = $0 { true } else { false } }
      #expect(reported == expected)
      #expect(reception.isFailing == (expected == 1))
    }
  }

  @Test("a saved state that makes no sense is named, and not used")
  func unreadable() throws {
    let state = SavedState(["gps_health": "nonsense", "gps_day": ["day": "x"]])
    #expect(try state.unreadable(Tracker.savedKinds) == ["gps_day", "gps_health"])
    var gps = GPSStatus()
    Reception(zone: nil, saved: state).describe(&gps, isOn: false, trusted_ms: nil, at: 0)
    #expect(gps.health == nil && gps.onToday_s == 0)
  }
}
