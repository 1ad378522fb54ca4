import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A track from several receivers")
struct SeveralReceiversTests {
  /// 30 minutes straight east, with an outage of one receiver, of two minutes. The modem sees everything 40 m further north.
  ///
  /// - Parameter devices: what gpsd reports that it has.
  private func driven(
    preferred: String, outage: Range<Double> = 900..<1020, devices: [String] = []
  ) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(300)
    drive.go(1800, speed_mps: 12)
    drive.park(2000)
    let day = try TrackerTimeline(drive) {
      $0.gps.device = preferred
      $0.track.sampling = .all
    }
    day.coldStart_s = 5
    day.onTheWay = { report, s in
      let own = report.with {
        $0.device = "/dev/ttyAMA0"
        if outage.contains(s) { $0.mode = 1 }
      }
      let modem = report.with {
        $0.device = "/dev/ttyUSB1"
        $0.latitude_deg? += 40 / 111_195
        $0.time_ms? += 200
      }
      return [modem, own]
    }
    day.run(to: 800)
    if !devices.isEmpty { day.happen(.gpsDevices(devices)) }
    day.run(to: 4000)
    return day
  }

  private func isModem(_ record: Record) -> Bool {
    (record.fix?.position.latitude_deg ?? 0) > Position.origin.latitude_deg + 20 / 111_195
  }

  @Test("the track goes from one to the other and back once, is reported so, and is one trip of its length")
  func outage() throws {
    let day = try driven(preferred: "/dev/ttyAMA0")
    let track = day.records(.position).filter { $0.isMoving }
    let changes = zip(track, track.dropFirst()).filter { isModem($0) != isModem($1) }.map { $1.fix!.at_s }
    #expect(changes.count == 2 && abs(changes[0] - 919) <= 2 && abs(changes[1] - 1040) <= 2, "\(changes)")
    #expect(day.trips.count == 1)
    let driven_m = day.drive.trips[0].distance_m
    #expect(abs(day.trips[0].distance_m - driven_m) < 50, "\(day.trips[0].distance_m) of \(driven_m) m")
    let reported = day.log.filter { $0.contains("/dev/") }.map { $0.drop { $0 != " " }.dropFirst() }
    #expect(
      reported == [
        "no usable fix from the receiver /dev/ttyAMA0: /dev/ttyUSB1 is used",
        "the receiver /dev/ttyAMA0 has fixes, and is used again",
      ])
    let status = day.tracker.status(at: day.now).gps
    #expect(status.receiver == "/dev/ttyAMA0" && status.receiverChanges == 2 && status.reportsOfOthers > 1800)
    #expect(day.tracker.warnings.entries[.otherReceiver] == nil)
  }

  @Test("an outage that lasts is a warning that says which receiver, and what to look at")
  func lasting() throws {
    let day = try driven(preferred: "/dev/ttyAMA0", outage: 900..<1500)
    #expect(
      day.log.contains(
        "1199 gps.device: no usable fix from /dev/ttyAMA0 for 5 minutes, while /dev/ttyUSB1 has some and is used: look at its antenna and its wiring"
      ))
    #expect(day.tracker.warnings.entries[.otherReceiver]?.count == 1)
  }

  @Test(
    "where gpsd has no device of that name, the warning says so and names those that it has",
    arguments: [
      (["/dev/ttyUSB1", "/dev/ttyAMA0"], "look at its antenna and its wiring"),
      (
        ["/dev/ttyUSB1", "/dev/serial0"],
        "gpsd has no device of that name, but \"/dev/serial0\", \"/dev/ttyUSB1\": write one of these, or give it to gpsd"
      ),
    ])
  func wrongName(devices: [String], advice: String) throws {
    let day = try driven(preferred: "/dev/ttyAMA0", outage: 900..<1500, devices: devices)
    let reported = day.log.filter { $0.contains("gps.device: ") }
    #expect(reported.count == 1 && reported[0].hasSuffix("has some and is used: \(advice)"), "\(reported)")
  }

  @Test("the power stays on for the preferred one while another is used")
  func power() throws {
    let day = try driven(preferred: "/dev/ttyAMA0")
    let during = day.deeds.filter { $0.hasSuffix("power off") }.compactMap { Int($0.prefix { $0 != " " }) }
    #expect(!during.contains { (850...1200).contains($0) }, "\(during)")
  }

  @Test("without a preference the one that was there first is followed, and no metre is between the two")
  func noPreference() throws {
    let day = try driven(preferred: "")
    #expect(day.records(.position).filter { $0.isMoving }.allSatisfy { isModem($0) })
    #expect(abs(day.trips[0].distance_m - day.drive.trips[0].distance_m) < 10)
  }
}
