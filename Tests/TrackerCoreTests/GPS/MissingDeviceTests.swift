import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Receivers that gpsd does not have")
struct MissingDeviceTests {
  @Test("while gpsd has no device, it is reported once, and nothing is switched: it would bring none")
  func none() {
    var timeline = SessionTimeline()
    timeline.session.windowOpened()
    timeline.want(true, at: 0)
    timeline.listed(missing: .every, at: 1)
    timeline.run(to: 100_000)
    #expect(timeline.log == ["0 on", "0.2 connect", "31 no device: every"])
    #expect(timeline.session.deadline_ms == nil)
    timeline.want(false, at: 100_001)
    #expect(timeline.log.suffix(2) == ["100001 disconnect", "100001 off"])
  }

  @Test(
    "one that comes late has its whole time to report and to find a fix, and its start counts for nothing")
  func late() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.listed(missing: .every, at: 1)
    timeline.listed(missing: nil, at: 1000)
    timeline.run(to: 1029)
    timeline.report(at: 1029.5)
    timeline.reports(1030, 1100)
    timeline.report(at: 1101, accuracy_m: 5)
    #expect(
      timeline.log == ["0 on", "0.2 connect", "31 no device: every", "1101 first fix after 1101.0, spoilt"])
    #expect(timeline.session.startTimes[.longer] == nil)
  }

  @Test("one that comes within the time to wait is not reported missing")
  func inTime() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.listed(missing: .every, at: 1)
    timeline.listed(missing: nil, at: 20)
    timeline.run(to: 49)
    #expect(timeline.log == ["0 on", "0.2 connect"])
    timeline.run(to: 51)
    #expect(timeline.log.last == "50 connect")
  }

  @Test(
    "one that was there and has gone may have hung itself up: its power is cycled once, then it is waited for"
  )
  func gone() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.listed(missing: nil, at: 0.5)
    timeline.reports(1, 10, accuracy_m: 5)
    timeline.run(to: 40)
    timeline.listed(missing: .every, at: 41)
    timeline.run(to: 80)
    timeline.listed(missing: .every, at: 81)
    timeline.run(to: 5000)
    #expect(
      timeline.log.dropFirst(3) == [
        "40 disconnect", "40 reopening", "40 connect",
        "70 disconnect", "70 off", "70 gps_silent pause 10",
        "80 on", "80.2 connect", "111 no device: every",
      ])
  }

  @Test("the preferred one that is missing is reported, and all else goes on as ever")
  func preferred() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.listed(missing: .preferred, at: 1)
    timeline.run(to: 61)
    #expect(
      timeline.log == [
        "0 on", "0.2 connect", "30.2 disconnect", "30.2 reopening", "30.2 connect",
        "60.2 disconnect", "60.2 off", "60.2 gps_silent pause 10",
      ])
    var other = SessionTimeline()
    other.want(true, at: 0)
    other.listed(missing: .preferred, at: 1)
    other.reports(2, 60, accuracy_m: 5)
    #expect(other.log == ["0 on", "0.2 connect", "2 first fix after 2.0", "31 no device: preferred"])
  }

  @Test("a gpsd that goes away meanwhile is what counts")
  func lost() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.listed(missing: .every, at: 1)
    timeline.lost(at: 10)
    timeline.run(to: 11)
    timeline.listed(missing: .every, at: 12)
    timeline.run(to: 100)
    #expect(
      timeline.log == ["0 on", "0.2 connect", "10 disconnect", "11 connect", "42 no device: every"])
  }

  @Test("a gpsd that is started anew after hours without a device does not have the module switched either")
  func restarted() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.listed(missing: .every, at: 1)
    timeline.lost(at: 20_000)
    timeline.run(to: 20_001)
    timeline.listed(missing: .every, at: 20_002)
    timeline.run(to: 30_000)
    #expect(
      timeline.log == [
        "0 on", "0.2 connect", "31 no device: every", "20000 disconnect", "20001 connect",
        "20032 no device: every",
      ])
  }

  // MARK: Through the tracker

  private func day(
    gpsd devices: [String], preferred: String = "", speaks: Bool = false
  ) throws -> TrackerTimeline {
    let day = try TrackerTimeline(.parked) { $0.gps.device = preferred }
    day.coldStart_s = 0
    day.onTheWay = { report, _ in speaks ? [report] : [] }
    day.run(to: 1)
    day.happen(.gpsDevices(devices, areAll: true))
    day.run(to: 1200)
    return day
  }

  private func said(_ day: TrackerTimeline, _ word: String) -> [String] {
    day.log.filter { $0.contains(word) }
  }

  @Test("the log says what to do, once; the warning lasts; the status has what gpsd has")
  func reported() throws {
    let day = try day(gpsd: [])
    #expect(
      said(day, "gpsd has no device") == [
        "31 gpsd has no device: give it one with sudo godwit-setup --gps-device DEVICE (or --hat NAME), or in DEVICES of /etc/default/gpsd; one that is named there was missing when gpsd opened it: systemctl restart gpsd once it is there"
      ])
    #expect(day.deeds.filter { $0.hasSuffix("power off") }.count == 0, "\(day.deeds)")
    #expect(day.tracker.status(at: day.now).gps.gpsdDevices == [])
    guard case .lasting? = day.tracker.warnings.entries[.gpsdDevice]?.course else {
      Issue.record("\(day.tracker.warnings.entries)")
      return
    }
    day.happen(.gpsDevices(["/dev/ttyUSB0"]))
    #expect(day.tracker.status(at: day.now).gps.gpsdDevices == ["/dev/ttyUSB0"])
    guard case .over? = day.tracker.warnings.entries[.gpsdDevice]?.course else {
      Issue.record("\(day.tracker.warnings.entries)")
      return
    }
  }

  @Test("what gps.device names and gpsd does not have is reported with what it has")
  func named() throws {
    let day = try day(gpsd: ["/dev/ttyUSB1"], preferred: "/dev/serial0", speaks: true)
    #expect(
      said(day, "gpsd does not have") == [
        "31 gps.device: gpsd does not have \"/dev/serial0\", but \"/dev/ttyUSB1\": write one of these, or give it to gpsd with sudo godwit-setup --gps-device"
      ])
  }

  @Test("a device that never speaks is named when its power is cycled, and nothing is said each time")
  func mute() throws {
    let day = try day(gpsd: ["/dev/ttyAMA0"])
    let lines = said(day, "the GPS is silent")
    #expect(
      lines.count == 1
        && lines[0].contains(
          "gpsd has \"/dev/ttyAMA0\", and next to nothing readable was ever heard there: is it the right device, powered and wired"
        ), "\(lines)")
    // The first time is before the failure that lasts.
    #expect(said(day, "no data from gpsd").count == 2)
    #expect((day.tracker.warnings.entries[.gpsSilent]?.count ?? 0) > 4)
  }
}
