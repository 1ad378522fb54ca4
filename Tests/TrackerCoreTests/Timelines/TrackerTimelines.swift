import Testing

@testable import TrackerCore

@Suite("The tracker, as timelines")
struct TrackerTimelines {
  /// Parked until 600, a drive of ten minutes with a light, parked from 1200 on.
  private func day(_ second: Int) -> GPSReport? {
    switch second {
    case ..<600: return On.report(second)
    case 600..<850: return On.report(second, east_m: Double(second - 600) * 15, speed_mps: 15)
    case 850..<900: return On.report(second, east_m: 3750)
    case 900..<1200: return On.report(second, east_m: 3750, north_m: Double(second - 900) * 15, speed_mps: 15)
    default: return On.report(second, east_m: 3750, north_m: 4500)
    }
  }

  @Test(
    "park, drive, park: one trip with its distance, the GPS off while parked, every record delivered in order"
  )
  func wholeDay() throws {
    var vehicle = try VirtualVehicle()
    vehicle.run(3600, day)
    #expect(vehicle.status.motion == "stationary")
    #expect(vehicle.trips.count == 1)
    // The probe that found it gone came some minutes into the drive, the rest is measured.
    #expect(vehicle.status.odometer_m > 5000 && vehicle.status.odometer_m < 8300)
    #expect(vehicle.powerSeconds < 1300)
    #expect(!vehicle.isPowered || vehicle.status.probes > 0)
    #expect(vehicle.records.map(\.sequence) == Array(1...Int64(vehicle.records.count)))
    vehicle.server.isUp = true
    vehicle.handle(.syncAsked)
    vehicle.run(400, day)
    #expect(vehicle.stored.isEmpty)
  }

  @Test("with the GPS always on the trip is exact, and begins with the last fix at rest")
  func exact() throws {
    var vehicle = try VirtualVehicle { $0.motion.gpsOffWhenParked = false }
    vehicle.run(3600, day)
    let trip = try #require(vehicle.trips.first)
    #expect(vehicle.trips.count == 1)
    #expect(
      trip.extras.contains("\"start_ms\":\(On.start_ms + 600_000)")
        || trip.extras.contains("\"start_ms\":\(On.start_ms + 599_000)"))
    #expect(abs(vehicle.status.odometer_m - 8235) < 80, "\(vehicle.status.odometer_m)")
    let parkedNoise = vehicle.records.filter { $0.kind == .position && $0.time_ms > On.start_ms + 1_201_000 }
    #expect(parkedNoise.isEmpty)
  }

  @Test(
    "kill -9 at any moment: trip and odometer go on, committed records stay, sequences never repeat",
    arguments: 1...40)
  func killed(seed: Int) throws {
    var numbers = SeededNumbers(seed: UInt64(seed))
    var vehicle = try VirtualVehicle { $0.motion.gpsOffWhenParked = false }
    var seen: [Int64: Record] = [:]
    for _ in 0..<8 {
      vehicle.run(1 + Int(numbers.next() % 400), day)
      for record in vehicle.records { seen[record.sequence] = record }
      let odometer_m = vehicle.state["odometer_m"].flatMap { Double($0) } ?? 0
      vehicle.kill()
      #expect(vehicle.status.odometer_m >= odometer_m, "seed \(seed)")
    }
    vehicle.run(3600, day)
    let final = Dictionary(vehicle.records.map { ($0.sequence, $0) }, uniquingKeysWith: { a, _ in a })
    for (sequence, record) in seen { #expect(final[sequence] == record, "seed \(seed), record \(sequence)") }
    #expect(vehicle.trips.count == 1, "seed \(seed)")
    #expect(abs(vehicle.status.odometer_m - 8235) < 400, "seed \(seed): \(vehicle.status.odometer_m)")
  }

  @Test("killed in mid-trip, at most ten seconds of the track are lost")
  func lostTrack() throws {
    var vehicle = try VirtualVehicle { $0.motion.gpsOffWhenParked = false }
    vehicle.run(760, day)
    vehicle.kill()
    vehicle.run(30, day)
    let newest = vehicle.records.filter { $0.kind == .position && $0.time_ms <= On.start_ms + 760_000 }.map(
      \.time_ms
    ).max()
    #expect(try #require(newest) >= On.start_ms + 750_000)
  }

  @Test("the server is away for an hour: sampling goes on, few requests, then everything arrives")
  func outage() throws {
    var vehicle = try VirtualVehicle { $0.motion.gpsOffWhenParked = false }
    vehicle.server.isUp = false
    vehicle.run(3600, day)
    #expect(vehicle.server.requests < 60)
    #expect(vehicle.stored.count > 10)
    vehicle.server.isUp = true
    vehicle.run(700, day)
    #expect(vehicle.stored.isEmpty)
    #expect(vehicle.status.warnings.contains { $0.name == "sync_failed" })
  }

  @Test("storage fails for ten minutes: sampling goes on in memory, nothing is lost when it heals")
  func storageFails() throws {
    var vehicle = try VirtualVehicle { $0.motion.gpsOffWhenParked = false }
    vehicle.run(650, day)
    vehicle.storageFails = true
    vehicle.run(600, day)
    #expect(vehicle.status.storageFailed && vehicle.status.pending > 0)
    vehicle.storageFails = false
    vehicle.run(600, day)
    #expect(vehicle.status.pending == 0 && !vehicle.status.storageFailed)
    #expect(vehicle.trips.count == 1)
    #expect(vehicle.records.map(\.sequence) == Array(1...Int64(vehicle.records.count)))
    #expect(vehicle.status.warnings.contains { $0.name == "storage_failed" })
  }

  @Test("outside its window the GPS is off, and a trip that the window cuts ends with its last fix")
  func window() throws {
    // On.start_ms is 2027-01-15T08:00:00Z.
    var vehicle = try VirtualVehicle(rules: ["2027-01-15 08:05-08:15"]) { $0.motion.gpsOffWhenParked = false }
    vehicle.run(299, day)
    #expect(!vehicle.isPowered && vehicle.powerSeconds == 0)
    vehicle.run(2, day)
    #expect(vehicle.isPowered)
    vehicle.run(598, day)
    #expect(vehicle.isPowered)
    vehicle.run(2, day)
    #expect(!vehicle.isPowered)
    #expect(vehicle.status.noTrackCause == .windowClosed)
    #expect(vehicle.trips.count == 1)
    #expect(vehicle.trips[0].extras.contains("\"end_cause\":\"window\""))
  }

  @Test("SIGTERM: the track is flushed, the power is off, and the trip goes on at the next start")
  func stopping() throws {
    var vehicle = try VirtualVehicle { $0.motion.gpsOffWhenParked = false }
    vehicle.run(760, day)
    vehicle.handle(.stopping)
    #expect(!vehicle.isPowered)
    #expect(vehicle.records.last?.time_ms == On.start_ms + 760_000)
    #expect(vehicle.state["trip"]?.hasPrefix("1 ") == true)
  }

  @Test("a power line that refuses to go off is tried again every 4 s")
  func powerRetry() throws {
    var vehicle = try VirtualVehicle(rules: ["2027-01-15 08:00-08:05"])
    vehicle.run(301, day)
    #expect(!vehicle.isPowered)
    vehicle.handle(.powerFailed("it is stuck"))
    vehicle.isPowered = true
    vehicle.run(3, day)
    #expect(vehicle.isPowered)
    vehicle.run(2, day)
    #expect(!vehicle.isPowered)
    #expect(vehicle.status.warnings.contains { $0.name == "gps_power_line" })
  }

  @Test("no coordinate in any log line")
  func privacy() throws {
    var vehicle = try VirtualVehicle { $0.run.logLevel = .debug }
    vehicle.run(3600, day)
    #expect(vehicle.log.count > 5)
    #expect(!vehicle.log.contains { $0.contains("47.") || $0.contains("8.0") })
  }

  @Test("a garage for a whole window: growing pauses, the cause in the status, off at the end")
  func garage() throws {
    var vehicle = try VirtualVehicle(rules: ["2027-01-15 08:00-10:00"])
    vehicle.run(7190) { _ in nil }
    #expect(vehicle.status.noTrackCause == .noSky)
    #expect(vehicle.powerSeconds < 4000)
    vehicle.run(20) { _ in nil }
    #expect(!vehicle.isPowered)
  }
}
