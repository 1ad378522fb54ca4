import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A day with an accelerometer")
struct AccelerometerDayTests {
  private func day(_ change: (inout Settings) -> Void = { _ in }) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(7300)
    drive.go(300, speed_mps: 12)
    drive.park(1200)
    let day = try TrackerTimeline(drive) {
      $0.accelerometer.name = "lis3dh"
      change(&$0)
    }
    day.accelerometer = { order, s in
      order == .read ? [.samples([Acceleration(0, s > 7300 && s < 7600 ? 2 : 0, 9.8)])] : []
    }
    return day
  }

  private func causes(_ day: TrackerTimeline) -> [MotionChange.Cause] {
    day.records(.motionChange).compactMap {
      if case .motion(let change) = $0.content { change.cause } else { nil }
    }
  }

  @Test("the drive is its own, begins within a few seconds, and is told to the chip")
  func told() throws {
    let day = try day()
    day.happen(.acceleration(.opened(hasEvent: true)))
    day.run(to: 7302)
    day.happen(.acceleration(.exceeded))
    day.run(to: 8900)
    #expect(causes(day) == [.foundParked, .acceleration, .stayed])
    let trip = try #require(day.trips.first)
    #expect(abs(trip.start_s - 7300) < 25 && abs(trip.distance_m - 3600) < 100, "\(trip)")
    let tells = day.accelerationOrders.filter { $0 != .read }
    #expect(tells == [.tell(above_mps2: 0.5), .tell(above_mps2: 24), .tell(above_mps2: 0.5)])
    #expect(day.tracker.status(at: day.now).lines?.accelerationSigns == 1)
  }

  @Test("without an event of its own a look finds it")
  func looked() throws {
    // No probe is due then.
    let day = try day { ($0.motion.probeWorth, $0.motion.probeShare) = (0, 1) }
    day.happen(.acceleration(.opened(hasEvent: false)))
    day.run(to: 8900)
    #expect(causes(day) == [.foundParked, .acceleration, .stayed])
    #expect(day.accelerationOrders.allSatisfy { $0 == .read })
  }

  @Test("one that is not there is told once, is a warning until it is back, and changes nothing else")
  func missing() throws {
    let day = try day()
    day.happen(.acceleration(.failed("there is no accelerometer \"lis3dh\"")))
    day.run(to: 4000)
    #expect(
      day.log.filter { $0.contains("accelerometer") } == [
        "0 accelerometer: there is no accelerometer \"lis3dh\""
      ])
    func warning() -> WarningStatus? {
      day.tracker.status(at: day.now).warnings.first { $0.name == "input_line" }
    }
    #expect(warning().map { $0.until_ms == nil } ?? false)
    day.happen(.acceleration(.opened(hasEvent: false)))
    day.run(to: 4200)
    #expect(warning().map { $0.until_ms != nil } ?? false)
    #expect(day.accelerationOrders.contains(.read))
  }

  @Test("a crash is a record, sent at once, and so is a tow, which is a warning too")
  func incidents() throws {
    let day = try day()
    day.happen(.acceleration(.opened(hasEvent: true)))
    day.accelerometer = { order, s in
      order == .read ? [.samples([s > 5000 ? Acceleration(2.5, 0, 9.5) : Acceleration(0, 0, 9.8)])] : []
    }
    day.run(to: 5200)
    #expect(day.records(.tow).map(\.content) == [.incident(.tow(tilt_deg: 14.7))])
    #expect(day.log.contains { $0.hasSuffix("the parked vehicle is tilted by 14.7°: is it being towed?") })
    day.run(to: 7310)
    day.happen(.acceleration(.exceeded))
    day.run(to: 7400)
    #expect(day.tracker.motionName == "moving")
    day.happen(.acceleration(.exceeded))
    #expect(day.records(.crash).map(\.content) == [.incident(.crash(over_mps2: 24))])
    day.run(to: 7405)
    #expect(day.received.values.contains { $0.kind == .crash }, "sent at once")
    #expect(day.log.contains("7400 the vehicle was hit by more than 24 m/s²"))
  }

  @Test("what is learned survives a restart and a reload")
  func restart() throws {
    let day = try day()
    day.happen(.acceleration(.opened(hasEvent: true)))
    day.run(to: 1000)
    day.happen(.acceleration(.exceeded))
    day.run(to: 2000)
    #expect(day.tracker.acceleration.noise.caution == 1.5)
    try day.reload { $0.sync.interval_s += 1 }
    #expect(day.tracker.acceleration.noise.caution == 1.5)
    #expect(day.tracker.saved(at: day.now).state["acceleration"]?["caution"] == 1.5)
  }
}

@Suite("Harsh braking by the speed of the fixes")
struct BrakingTests {
  /// Speeds each `step_s`, in m/s.
  private func incidents(_ speeds: [Double], step_s: Double = 1, limit_mps2: Double = 4) -> [Incident] {
    var watch = BrakingWatch(limit_mps2: limit_mps2)
    var found: [Incident] = []
    for (index, speed_mps) in speeds.enumerated() {
      if let braking = watch.add(.at(Double(index) * step_s, speed_mps: speed_mps)) {
        found.append(braking.incident)
      }
    }
    return found
  }

  @Test("an emergency stop is one event, with where from, where to, and how hard")
  func stop() {
    #expect(
      incidents([14, 14, 14, 8, 2, 0, 0, 0]) == [.harshBraking(from_mps: 14, to_mps: 0, peak_mps2: 6)])
    let fine = (0..<100).map { max(0, 14 - max(0, Double($0) / 10 - 3) * 6) }
    guard case .harshBraking(let from_mps, _, let peak_mps2)? = incidents(fine, step_s: 0.1).first else {
      Issue.record("at 10 Hz there is none")
      return
    }
    #expect(from_mps == 14 && abs(peak_mps2 - 6) < 0.2)
    #expect(incidents(fine, step_s: 0.1).count == 1)
  }

  @Test("a comfortable stop, a single garbled speed and a limit of 0 are none")
  func none() {
    #expect(incidents([14, 14, 11, 8, 5, 2, 0, 0, 0]).isEmpty)
    #expect(incidents([14, 14, 14, 9, 14, 14, 14]).isEmpty)
    #expect(incidents([14, 14, 14, 0, 0, 14, 14, 14]).isEmpty, "nor are two")
    #expect(incidents([14, 14, 14, 8, 2, 0, 0], limit_mps2: 0).isEmpty)
  }

  @Test("fixes that are far apart say nothing of braking")
  func gap() { #expect(incidents([20, 20, 0, 0, 0], step_s: 5).isEmpty) }

  @Test("in a trip it is a record where it began, with the trip")
  func trip() throws {
    var drive = Drive()
    drive.park(100)
    drive.go(200, speed_mps: 15)
    drive.park(600)
    let day = try TrackerTimeline(drive) { $0.track.harshBraking_mps2 = 1.8 }
    day.run(to: 900)
    let records = day.records(.harshBraking)
    #expect(records.count == 1, "the drive brakes at 2 m/s² once")
    #expect(records.first?.tripID == 1)
    let without = try TrackerTimeline(drive)
    without.run(to: 900)
    #expect(without.records(.harshBraking).isEmpty)
  }
}
