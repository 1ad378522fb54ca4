@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Where a vehicle truly is, second by second.
struct Drive {
  struct Sample {
    var east_m: Double
    var north_m: Double
    var speed_mps: Double
    var hasSky = true
  }

  /// One true trip, in seconds of the drive, with its true length.
  struct Trip {
    var start_s: Double
    var end_s: Double
    var distance_m: Double
  }

  private(set) var samples: [Sample] = []
  private(set) var trips: [Trip] = []
  private var east_m = 0.0
  private var north_m = 0.0
  private var speed_mps = 0.0
  /// Direction as a unit vector: no trigonometry here.
  private var heading = (east: 1.0, north: 0.0)
  private var open: Trip?

  var length_s: Int { samples.count }

  /// An hour at one place.
  static let parked: Drive = {
    var drive = Drive()
    drive.park(3600)
    return drive
  }()

  func sample(at s: Double) -> Sample { samples[min(max(Int(s), 0), samples.count - 1)] }

  /// Stands with the engine off: ends the trip.
  mutating func park(_ seconds: Int) {
    if var trip = open {
      trip.end_s = Double(samples.count)
      trips.append(trip)
      open = nil
    }
    stand(seconds)
  }

  /// Stands in traffic: the trip goes on.
  mutating func stand(_ seconds: Int) {
    for _ in 0..<seconds { samples.append(Sample(east_m: east_m, north_m: north_m, speed_mps: 0)) }
  }

  /// Speeds up at 2 m/s², drives, and brakes to a standstill; `turn` bends the way, in radians a second.
  mutating func go(_ seconds: Int, speed_mps top: Double, turn: Double = 0, hasSky: Bool = true) {
    if open == nil { open = Trip(start_s: Double(samples.count), end_s: 0, distance_m: 0) }
    for second in 0..<seconds {
      let braking = Double(seconds - 1 - second) * 2
      speed_mps = min(speed_mps + 2, top, braking)
      // A rotation by a small angle, brought back to length 1.
      let (e, n) = (heading.east - turn * heading.north, heading.north + turn * heading.east)
      let length = (e * e + n * n).squareRoot()
      heading = (e / length, n / length)
      east_m += heading.east * speed_mps
      north_m += heading.north * speed_mps
      open?.distance_m += speed_mps
      samples.append(Sample(east_m: east_m, north_m: north_m, speed_mps: speed_mps, hasSky: hasSky))
    }
  }

  /// Drives legs at town speeds with bends and stops in between.
  mutating func wander(legs: Int, random: inout SeededRandom) {
    for leg in 0..<legs {
      let seconds = Int.random(in: 30...120, using: &random)
      let top_mps = Double.random(in: 6...28, using: &random)
      go(seconds, speed_mps: top_mps, turn: Double.random(in: -0.03...0.03, using: &random))
      if leg < legs - 1 { stand(Int.random(in: 2...90, using: &random)) }
    }
  }
}

/// The drive as a receiver with a wandering error sees it.
struct Receiver {
  private var east: WanderingError
  private var north: WanderingError
  private var random: SeededRandom
  let accuracy_m: Double

  init(seed: UInt64 = 1, sigma_m: Double = 0, tau_s: Double = 60, accuracy_m: Double? = nil) {
    var random = SeededRandom(seed)
    east = WanderingError(sigma_m: sigma_m, tau_s: tau_s, random: &random)
    north = WanderingError(sigma_m: sigma_m, tau_s: tau_s, random: &random)
    self.random = random
    // 95 % on the plane is 2.45 deviations of one axis.
    self.accuracy_m = accuracy_m ?? max(3, 2.45 * sigma_m)
  }

  mutating func see(_ truth: Drive.Sample, at s: Double) -> Fix {
    let noise_mps = east.sigma_m > 0 ? abs(random.gaussian()) * 0.1 : 0
    return Fix.at(
      s, east_m: truth.east_m + east.next(&random), north_m: truth.north_m + north.next(&random),
      speed_mps: truth.speed_mps + noise_mps, accuracy_m: accuracy_m)
  }

  mutating func report(_ truth: Drive.Sample, at s: Double) -> GPSReport {
    let fix = see(truth, at: s)
    guard truth.hasSky else { return GPSReport(mode: 1, time_ms: fix.time_ms, satellites: 0) }
    return GPSReport(
      mode: 3, time_ms: fix.time_ms, latitude_deg: fix.position.latitude_deg,
      longitude_deg: fix.position.longitude_deg, speed_mps: fix.speed_mps, accuracy_m: accuracy_m,
      satellites: 9)
  }
}
