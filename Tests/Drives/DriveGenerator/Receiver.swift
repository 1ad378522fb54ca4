import Glibc

/// The simulated receiver: turns the truth of one second into what a GPS module would report.
struct Receiver {
  private let model: NoiseModel
  private var random: RandomSource
  private var north: CorrelatedNoise
  private var east: CorrelatedNoise
  private var up: CorrelatedNoise
  private var sky: CorrelatedNoise
  /// Seconds with open sky since the last time without; starts as if it had always been open.
  private var withSky_s = Receiver.reacquisition_s + Receiver.recovery_s

  /// A receiver that knows time and orbits finds its satellites again this fast after a tunnel.
  static let reacquisition_s = 3
  /// And needs this long until it uses all of them again.
  static let recovery_s = 4
  /// Horizontal dilution for 4...8 satellites used: typical of a sky that is free on all sides.
  private static let hdopBySatellites = [2.4, 1.7, 1.3, 1.1, 0.9]

  init(model: NoiseModel, seed: UInt64) {
    self.model = model
    random = RandomSource(seed: seed)
    north = CorrelatedNoise(sigma: model.sigma_m, tau_s: model.tau_s, random: &random)
    east = CorrelatedNoise(sigma: model.sigma_m, tau_s: model.tau_s, random: &random)
    up = CorrelatedNoise(sigma: 1.5 * model.sigma_m, tau_s: model.tau_s, random: &random)
    sky = CorrelatedNoise(sigma: 0.6, tau_s: 60, random: &random)
  }

  /// The epoch of one second.
  mutating func measure(_ vehicle: Vehicle, altitude_m: Double, time_ms: Int64, isDriving: Bool) -> DriveEpoch
  {
    withSky_s = vehicle.hasSky ? withSky_s + 1 : 0
    let satellites = satellitesUsed()
    let perDegree_m = Vehicle.metresPerDegree
    let north_m = north.step(&random) + model.white_m * random.gaussian()
    let east_m = east.step(&random) + model.white_m * random.gaussian()
    let speed_mps = abs(vehicle.speed_mps + model.speedSigma_mps * random.gaussian())
    let shrink = cos(vehicle.latitude_deg * Double.pi / 180)
    return DriveEpoch(
      time_ms: time_ms, trueLatitude_deg: vehicle.latitude_deg, trueLongitude_deg: vehicle.longitude_deg,
      trueSpeed_mps: vehicle.speed_mps,
      latitude_deg: vehicle.latitude_deg + north_m / perDegree_m,
      longitude_deg: vehicle.longitude_deg + east_m / (perDegree_m * shrink),
      altitude_m: altitude_m + up.step(&random), speed_mps: speed_mps, course_deg: course_deg(of: vehicle),
      hdop: satellites == 0 ? 99.9 : Self.hdopBySatellites[satellites - 4], satellites: satellites,
      hasFix: satellites > 0, isDriving: isDriving)
  }

  // Receivers derive the course from the Doppler velocity, so it is noisier the slower they go, and hold it
  // while they stand.
  private mutating func course_deg(of vehicle: Vehicle) -> Double {
    let across_mps = model.speedSigma_mps * random.gaussian()
    if vehicle.speed_mps < 1 { return vehicle.course_deg }
    return wrapped(vehicle.course_deg + atan2(across_mps, vehicle.speed_mps) * 180 / Double.pi)
  }

  /// 0 without a fix, else 4...8.
  private mutating func satellitesUsed() -> Int {
    let usual = 7.4 + sky.step(&random)
    let tracked_s = withSky_s - Self.reacquisition_s
    if tracked_s <= 0 { return 0 }
    return min(max(6, Int(usual.rounded())), 8, 3 + tracked_s)
  }
}
