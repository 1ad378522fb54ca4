import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// A receiver, or a second one, that for a while reports another place: nothing follows it there.
@Suite("Another place")
struct OtherPlaceTests {
  /// When the receiver is wrong, and what the agent does then.
  enum Situation: String, CaseIterable {
    case driving, halted, parked, probe, restartInTrip, restartParked
  }

  static let distances_km = [0.5, 1, 5, 20, 100, 1000]
  static let lengths_s = [1.0, 3, 10, 30, 60, 300]

  /// Parked 1000 s, 450 s of road, a halt of 150 s, 450 s of road, parked.
  static let drive: Drive = {
    var drive = Drive()
    drive.park(1000)
    drive.go(450, speed_mps: 15)
    drive.stand(150)
    drive.go(450, speed_mps: 15)
    drive.park(550)
    return drive
  }()

  static func moved(_ report: GPSReport, north_km: Double) -> GPSReport {
    report.with { $0.latitude_deg = $0.latitude_deg.map { $0 + north_km / 111.195 } }
  }

  /// A day on which reports are wrong for `length_s` from the first one after the situation has come.
  static func day(
    _ situation: Situation, north_km: Double = 0, length_s: Double = 0, isAlternating: Bool = false
  ) throws -> TrackerTimeline {
    let fences = [
      try Geofence.circle("home", radius_m: 300),
      try Geofence.circle("other", north_m: min(north_km, 10) * 1000, radius_m: 200),
    ]
    let day = try TrackerTimeline(drive, geofences: north_km < 0.6 ? [fences[0]] : fences) {
      $0.motion.gpsOffWhenParked = [.probe, .restartParked].contains(situation)
    }
    let from_s: Double
    switch situation {
    case .driving: from_s = 1080
    case .halted: from_s = 1470
    case .parked, .probe, .restartParked: from_s = 450
    case .restartInTrip: from_s = 1100
    }
    var begun_s: Double?
    day.onTheWay = { report, s in
      guard s >= from_s, length_s > 0 else { return [report] }
      begun_s = begun_s ?? s
      guard s < begun_s! + length_s, !isAlternating || Int(s - begun_s!) % 2 == 0 else { return [report] }
      return [moved(report, north_km: north_km)]
    }
    if [.restartInTrip, .restartParked].contains(situation) {
      day.run(to: from_s - 20)
      day.kill(restartAfter: 5)
    }
    day.run(to: Double(drive.length_s))
    return day
  }

  /// Of the kept fixes without a flag, trip by trip.
  static func line_m(_ day: TrackerTimeline) -> Double {
    let kept = day.records(.position).filter { $0.content == .position() }
    return Dictionary(grouping: kept, by: \.tripID).values.reduce(0) { sum, records in
      let positions = records.map { $0.fix!.position }
      return sum + zip(positions, positions.dropFirst()).reduce(0) { $0 + $1.0.distance_m(to: $1.1) }
    }
  }

  @Test(
    "no metre, no trip and no geofence event comes of it, and none is lost", arguments: Situation.allCases,
    oneIn(2, of: distances_km))
  func matrix(situation: Situation, north_km: Double) throws {
    // What is in reach when a process goes on with a trip cannot be distinguished from a way that nobody saw.
    if situation == .restartInTrip, north_km < 20 { return }
    let truth = try OtherPlaceTests.day(situation)
    for length_s in oneIn(2, of: OtherPlaceTests.lengths_s) {
      for isAlternating in [10, 300].contains(length_s) ? [false, true] : [false] {
        let day = try OtherPlaceTests.day(
          situation, north_km: north_km, length_s: length_s, isAlternating: isAlternating)
        let name = Comment(
          "\(north_km) km for \(length_s) s, alternating \(isAlternating): \(day.trips) \(truth.trips)")
        try #require(day.trips.count == truth.trips.count, name)
        for (found, trip) in zip(day.trips, truth.trips) {
          // With probes the departure is found at the next one, and those come at other times.
          let startSlack_s = situation == .probe || situation == .restartParked ? 125.0 : 1
          #expect(
            abs(found.start_s - trip.start_s) <= startSlack_s && abs(found.end_s - trip.end_s) <= 1, name)
          #expect(abs(found.distance_m - trip.distance_m) <= 20, name)
        }
        #expect(abs(day.tracker.journey.odometer_m - truth.tracker.journey.odometer_m) <= 20, name)
        #expect(OtherPlaceTests.line_m(day) <= OtherPlaceTests.drive.trips[0].distance_m + 20, name)
        let reported = { (day: TrackerTimeline) in
          day.geofenceEvents.map { $0.split(separator: " ").prefix(2) }
        }
        #expect(reported(day) == reported(truth), name)
        // Two probes in which the places alternate are two episodes.
        let episodes = isAlternating && [.probe, .restartParked].contains(situation) ? 2 : 1
        #expect(
          day.records(.position).count { $0.content == .position(isJump: true) } <= episodes, name)
        #expect(day.nothingIsLost())
      }
    }
  }

  @Test("settings that are exchanged meanwhile change nothing of that", arguments: distances_km, [8.0, 300])
  func exchanged(north_km: Double, from_s: Double) throws {
    var drive = Drive()
    drive.go(600, speed_mps: 15)
    drive.park(600)
    var days: [TrackerTimeline] = []
    for isWrong in [false, true] {
      let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
      day.onTheWay = { report, s in
        guard isWrong, (from_s..<from_s + 6).contains(s) else { return [report] }
        return [OtherPlaceTests.moved(report, north_km: north_km)]
      }
      for s in [from_s + 2, from_s + 4] {
        day.run(to: s)
        try day.reload { $0.track.maxError_m += s }
      }
      day.run(to: Double(drive.length_s))
      days.append(day)
    }
    let (truth, day) = (days[0], days[1])
    #expect(abs(day.tracker.journey.odometer_m - truth.tracker.journey.odometer_m) <= 20)
    #expect(day.trips.count == 1 && abs(day.trips[0].distance_m - truth.trips[0].distance_m) <= 20)
    #expect(OtherPlaceTests.line_m(day) <= drive.trips[0].distance_m + 20)
  }

  @Test("out of reach it is reported once an episode, and each such fix is counted")
  func reported() throws {
    let day = try OtherPlaceTests.day(.driving, north_km: 100, length_s: 30)
    #expect(day.records(.position).count { $0.content == .position(isJump: true) } == 1)
    #expect(day.log.filter { $0.contains("too far away to be reached") }.count == 1)
    #expect(day.tracker.status(at: day.now).gps.rejected == [.elsewhere: 30])
  }

  @Test(
    "two receivers in one daemon, far apart and each second: the first is followed", arguments: distances_km)
  func secondReceiver(north_km: Double) throws {
    for isSameEpoch in [true, false] {
      let day = try TrackerTimeline(OtherPlaceTests.drive) { $0.motion.gpsOffWhenParked = false }
      day.onTheWay = { report, s in
        let other = OtherPlaceTests.moved(report, north_km: north_km).with {
          if !isSameEpoch { $0.time_ms! += 400 }
        }
        return [report, other]
      }
      day.run(to: Double(OtherPlaceTests.drive.length_s))
      let truth = try OtherPlaceTests.day(.driving)
      #expect(day.trips.map(\.start_s) == truth.trips.map(\.start_s))
      #expect(abs(day.tracker.journey.odometer_m - truth.tracker.journey.odometer_m) <= 20, "\(day.trips)")
    }
  }

  @Test(
    "the very first place was the wrong one: given up within as long again, and no way between is counted",
    arguments: distances_km, [true, false])
  func firstIsWrong(north_km: Double, isDriving: Bool) throws {
    var drive = Drive()
    if isDriving { drive.go(1500, speed_mps: 15) }
    drive.park(1200)
    for length_s in oneIn(2, of: OtherPlaceTests.lengths_s) {
      let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
      day.coldStart_s = 0
      day.onTheWay = { report, s in
        [s < length_s ? OtherPlaceTests.moved(report, north_km: north_km) : report]
      }
      let right_s = length_s + min(max(length_s, 10), 330) + 2
      day.run(to: right_s)
      let name = Comment("\(north_km) km for \(length_s) s: \(day.trips)")
      let truth = drive.sample(at: right_s)
      let seen =
        day.tracker.journey.lastFix?.position.distance_m(to: .at(east_m: truth.east_m, north_m: 0))
        ?? .infinity
      #expect(seen < 100, name)
      day.run(to: Double(drive.length_s))
      #expect(day.tracker.journey.odometer_m <= 15 * 1500 + 20, name)
      #expect(OtherPlaceTests.line_m(day) <= 15 * 1500 + 20, name)
      #expect(day.trips.isEmpty == !isDriving, name)
      #expect(day.tracker.status(at: day.now).motion.state == .stationary, name)
    }
  }

  @Test(
    "carried off with the agent off, farther than time allows: the new place is found, no trip and no metre")
  func carried() throws {
    let day = try TrackerTimeline(Drive.parked) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 600)
    day.onTheWay = { report, _ in [OtherPlaceTests.moved(report, north_km: -5000)] }
    day.kill(restartAfter: 1200)
    day.run(to: 1800 + 30 + 330 + 70)
    #expect(day.trips.isEmpty && day.tracker.journey.odometer_m == 0)
    #expect(day.records(.motionChange).last?.content == .motion(MotionChange(cause: .foundParked)))
    #expect(day.records(.motionChange).last!.fix!.position.latitude_deg < 10)
  }

  @Test("driven off with the agent off, within reach: the unseen trip is reported, as ever")
  func drivenUnseen() throws {
    let day = try TrackerTimeline(Drive.parked) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 600)
    day.onTheWay = { report, _ in [OtherPlaceTests.moved(report, north_km: 5)] }
    day.kill(restartAfter: 1200)
    day.run(to: 1800 + 30 + 330 + 60)
    #expect(day.trips.count == 1 && abs(day.trips[0].distance_m - 5000) < 20, "\(day.trips)")
  }

  @Test("speeds of 900 m/s for a while are not used, and their fixes are", arguments: [900.0, 100])
  func absurdSpeed(speed_mps: Double) throws {
    let day = try TrackerTimeline(OtherPlaceTests.drive) {
      $0.motion.gpsOffWhenParked = false
      $0.track.speedLimit_mps = 40
    }
    day.onTheWay = { report, s in [report.with { if (1100..<1160).contains(s) { $0.speed_mps = speed_mps } }]
    }
    day.run(to: Double(OtherPlaceTests.drive.length_s))
    let truth = try OtherPlaceTests.day(.driving)
    #expect(
      day.trips.map(\.start_s) == truth.trips.map(\.start_s)
        && day.trips.map(\.end_s) == truth.trips.map(\.end_s))
    #expect(abs(day.trips[0].distance_m - truth.trips[0].distance_m) < 5)
    #expect(day.summaries[0].topSpeed_mps == 15)
    #expect(day.records(.speed).isEmpty)
    #expect(day.tracker.status(at: day.now).gps.speedsRefused == 60)
  }
}
