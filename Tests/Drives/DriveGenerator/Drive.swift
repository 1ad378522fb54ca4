import Glibc

/// A drive at one epoch a second, with its truth. The same plan, seed and start give the same drive.
public struct Drive: Equatable, Sendable {
  public let seed: UInt64
  /// One a second; the first at the start.
  public private(set) var epochs: [DriveEpoch] = []
  /// The true trips, in order.
  public private(set) var trips: [DriveTrip] = []
  /// The true parking stops, in order.
  public private(set) var stops: [DriveStop] = []

  /// Drives `plan`.
  ///
  /// - Parameters:
  ///   - seed: decides the receiver's noise and the driver's whims; the road is the plan's.
  ///   - start_ms: Unix milliseconds of the first epoch.
  public init(plan: DrivePlan, seed: UInt64, start_ms: Int64) {
    self.seed = seed
    var maker = DriveMaker(plan: plan, seed: seed, start_ms: start_ms)
    for section in plan.sections {
      switch section {
      case .parked(let duration_s): stops.append(maker.park(duration_s: duration_s))
      case .parkedUntil(let second):
        stops.append(maker.park(duration_s: max(60, second - maker.epochs.count)))
      case .trip(let pieces): trips.append(maker.drive(along: pieces))
      }
    }
    epochs = maker.epochs
  }

  /// A vehicle that never arrives: to the end of the first trip, and from there to and fro.
  ///
  /// - Parameter second: since the first epoch.
  public func toAndFro(_ second: Int) -> DriveEpoch {
    let begin = Int((trips[0].start_ms - epochs[0].time_ms) / 1000)
    let length = Int((trips[0].end_ms - trips[0].start_ms + 999) / 1000)
    let (way, driven) = max(0, second - begin).quotientAndRemainder(dividingBy: length)
    let isBack = way % 2 == 1
    var epoch = epochs[isBack ? begin + length - 1 - driven : min(second, begin + driven)]
    epoch.time_ms = epochs[0].time_ms + Int64(second) * 1000
    if isBack { epoch.course_deg = (epoch.course_deg + 180).truncatingRemainder(dividingBy: 360) }
    return epoch
  }

  /// Along the road, over all trips.
  public var distance_m: Double { trips.reduce(0) { $0 + $1.distance_m } }
}

/// A plan cut into parking and trips.
enum DriveSection {
  case parked(duration_s: Int)
  case parkedUntil(second: Int)
  case trip([RoadPiece])
}

extension DrivePlan {
  var sections: [DriveSection] {
    var sections: [DriveSection] = []
    var road: [RoadPiece] = []
    func closeTrip() {
      guard !road.isEmpty else { return }
      road[road.count - 1].halt_s = 0
      sections.append(.trip(road))
      road = []
    }
    for leg in legs {
      switch leg {
      case .park(let duration_s):
        closeTrip()
        sections.append(.parked(duration_s: duration_s))
      case .parkUntil(let second):
        closeTrip()
        sections.append(.parkedUntil(second: second))
      case .light(let halt_s):
        if !road.isEmpty { road[road.count - 1].halt_s = Double(halt_s) }
      case .straight, .bend, .tunnel:
        if let piece = RoadPiece(leg) { road.append(piece) }
      }
    }
    closeTrip()
    return sections
  }
}

/// The drive under way.
private struct DriveMaker {
  private(set) var epochs: [DriveEpoch] = []
  private let start_ms: Int64
  private let startAltitude_m: Double
  private var vehicle: Vehicle
  private var receiver: Receiver
  private var whims: RandomSource
  private var mood: CorrelatedNoise

  init(plan: DrivePlan, seed: UInt64, start_ms: Int64) {
    self.start_ms = start_ms
    startAltitude_m = plan.startAltitude_m
    vehicle = Vehicle(plan: plan)
    receiver = Receiver(model: plan.noise, seed: seed)
    // Streams of their own: other noise must not make another drive.
    whims = RandomSource(seed: seed ^ 0xD1B5_4A32_D192_ED03)
    mood = CorrelatedNoise(sigma: 0.025, tau_s: 12, random: &whims)
  }

  private var now_ms: Int64 { start_ms + Int64(epochs.count) * 1000 }

  mutating func park(duration_s: Int) -> DriveStop {
    let begin_ms = now_ms
    for _ in 0..<max(duration_s, 0) { record(isDriving: false) }
    return DriveStop(
      start_ms: begin_ms, end_ms: now_ms, latitude_deg: vehicle.latitude_deg,
      longitude_deg: vehicle.longitude_deg)
  }

  /// The vehicle leaves at the present second; the epochs of its way are recorded up to the arrival.
  mutating func drive(along pieces: [RoadPiece]) -> DriveTrip {
    let begin_ms = now_ms
    let (before_m, before) = (vehicle.distance_m, vehicle.halts)
    var steps = 0
    vehicle.depart(along: pieces)
    while !vehicle.hasArrived {
      if steps % 10 == 0 { record(isDriving: true) }
      vehicle.step(eagerness: 0.94 + min(max(mood.value, -0.06), 0.06))
      if steps % 10 == 9 { _ = mood.step(&whims) }
      steps += 1
    }
    return DriveTrip(
      start_ms: begin_ms, end_ms: begin_ms + Int64(steps) * Int64(1000 * Vehicle.step_s),
      distance_m: vehicle.distance_m - before_m, halts: vehicle.halts - before)
  }

  private mutating func record(isDriving: Bool) {
    // Hills: 15 m up and down every 2.5 km.
    let hill_m = 15 * sin(vehicle.distance_m / 2_500 * 2 * Double.pi)
    epochs.append(
      receiver.measure(
        vehicle, altitude_m: startAltitude_m + hill_m, time_ms: now_ms, isDriving: isDriving))
  }
}
