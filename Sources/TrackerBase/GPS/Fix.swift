/// What the GPS daemon reported for one epoch, before anyone has judged it.
///
/// Every field that the receiver did not give is nil; no field is ever NaN.
public struct GPSReport: Equatable, Sendable {
  /// What some receivers say of their antenna themselves, and gpsd 3.26 and later passes on.
  public enum AntennaFault: String, Sendable {
    case open, short
  }

  /// 0 or 1: no fix, 2: latitude and longitude only, 3: with altitude.
  public var mode: Int
  /// Unix milliseconds of GPS time.
  public var time_ms: Int64?
  public var latitude_deg: Double?
  public var longitude_deg: Double?
  /// Above mean sea level.
  public var altitude_m: Double?
  public var speed_mps: Double?
  /// Clockwise from true north, 0 up to 360.
  public var course_deg: Double?
  /// Estimated horizontal, vertical, speed and course errors at about 95 %, as gpsd gives them.
  public var accuracy_m: Double?
  public var altitudeAccuracy_m: Double?
  public var speedAccuracy_mps: Double?
  public var courseAccuracy_deg: Double?
  public var hdop: Double?
  public var satellites: Int?
  /// What the receiver has heard since its last report; nil: it has said nothing of it.
  public var sky: SkyView?
  public var antennaFault: AntennaFault?
  /// The receiver, by the path that gpsd has for it.
  public var device: String?

  public init(
    mode: Int, time_ms: Int64? = nil, latitude_deg: Double? = nil, longitude_deg: Double? = nil,
    altitude_m: Double? = nil, speed_mps: Double? = nil, course_deg: Double? = nil,
    accuracy_m: Double? = nil, altitudeAccuracy_m: Double? = nil, speedAccuracy_mps: Double? = nil,
    courseAccuracy_deg: Double? = nil, hdop: Double? = nil, satellites: Int? = nil,
    sky: SkyView? = nil, antennaFault: AntennaFault? = nil, device: String? = nil
  ) {
    self.mode = mode
    self.time_ms = time_ms
    self.latitude_deg = latitude_deg
    self.longitude_deg = longitude_deg
    self.altitude_m = altitude_m
    self.speed_mps = speed_mps
    self.course_deg = course_deg
    self.accuracy_m = accuracy_m
    self.altitudeAccuracy_m = altitudeAccuracy_m
    self.speedAccuracy_mps = speedAccuracy_mps
    self.courseAccuracy_deg = courseAccuracy_deg
    self.hdop = hdop
    self.satellites = satellites
    (self.sky, self.antennaFault) = (sky, antennaFault)
    self.device = device
  }

  /// Metres at 95 % for one unit of HDOP, where the receiver gives no accuracy of its own: twice a user range
  /// error of 5 m (GPS SPS Performance Standard, 5th edition, table B.2-1, single frequency, rounded up).
  static let metresPerHDOP = 10.0

  /// By the receiver's own figure, else from HDOP; nil where it gives neither, for which a 0 stands too.
  package var givenAccuracy_m: Double? {
    if let accuracy_m, accuracy_m > 0 { return accuracy_m }
    return hdop.flatMap { $0 > 0 ? $0 * GPSReport.metresPerHDOP : nil }
  }
}

/// One GPS solution that passed the filter.
public struct Fix: Equatable, Sendable {
  /// Unix milliseconds of GPS time.
  public var time_ms: Int64
  public var position: Position
  public var altitude_m: Double?
  public var speed_mps: Double?
  public var course_deg: Double?
  /// Horizontal, at about 95 %.
  public var accuracy_m: Double
  public var altitudeAccuracy_m: Double?
  public var speedAccuracy_mps: Double?
  public var courseAccuracy_deg: Double?
  public var satellites: Int?
  public var hdop: Double?

  /// The whole second that it lies in: a fast receiver gives several in one.
  package var second: Int64 { time_ms / 1000 }

  public init(
    time_ms: Int64, position: Position, altitude_m: Double? = nil, speed_mps: Double? = nil,
    course_deg: Double? = nil, accuracy_m: Double, altitudeAccuracy_m: Double? = nil,
    speedAccuracy_mps: Double? = nil, courseAccuracy_deg: Double? = nil, satellites: Int? = nil,
    hdop: Double? = nil
  ) {
    self.time_ms = time_ms
    self.position = position
    self.altitude_m = altitude_m
    self.speed_mps = speed_mps
    self.course_deg = course_deg
    self.accuracy_m = accuracy_m
    self.altitudeAccuracy_m = altitudeAccuracy_m
    self.speedAccuracy_mps = speedAccuracy_mps
    self.courseAccuracy_deg = courseAccuracy_deg
    self.satellites = satellites
    self.hdop = hdop
  }
}

/// The speed of a fix that has one.
package struct ReportedSpeed: Equatable, Sendable {
  package var time_ms: Int64
  package var speed_mps: Double

  /// - Returns: nil if the fix has no speed.
  package init?(of fix: Fix) {
    guard let speed_mps = fix.speed_mps else { return nil }
    (time_ms, self.speed_mps) = (fix.time_ms, speed_mps)
  }
}

extension Fix {
  /// Below this a vehicle stands; a receiver at rest reports up to about half of it.
  package static let standing_mps = 1.0
  /// From this on it drives: indoors, receivers seldom report so much twice in a row.
  package static let driving_mps = 2.5
  /// So much of a reported speed is noise.
  package static let speedNoise_mps = 1.0
  /// After longer the positions say nothing of the speed now.
  package static let longestStep_ms: Int64 = 5000

  /// A believed place that has just been found is given up after so long …
  package static let leastProof_ms: Int64 = 10_000
  /// … and one that is well known only after more than the five minutes that reflections and jammers last.
  package static let mostProof_ms: Int64 = 330_000
  /// So far no recorded receiver has wandered (the farthest: 197 m): what lies nearer is never another place, only a
  /// step that was too quick.
  package static let wander_m = 250.0
  package var isStanding: Bool { (speed_mps ?? 0) < Fix.standing_mps }
  package var isDriving: Bool { (speed_mps ?? 0) >= Fix.driving_mps }

  /// The receiver has frozen: it repeats a place through which the vehicle was driving. That says nothing new.
  package func repeats(_ earlier: Fix) -> Bool { position == earlier.position && earlier.isDriving }

  /// No vehicle stops like this: by more than 4 m/s² and the noise. The receiver says 0 where it knows no speed.
  package func isImpossibleStop(after before: ReportedSpeed) -> Bool {
    guard let now_mps = speed_mps, now_mps < Fix.standing_mps, before.time_ms < time_ms else { return false }
    return before.speed_mps - now_mps > 4 * Double(time_ms - before.time_ms) / 1000 + Fix.speedNoise_mps
  }

  /// A reported speed is off by little more for long, even if the receiver cuts it to whole km/h (by 0.14 m/s on the
  /// mean).
  static let speedError_mps = 0.15

  /// The most that the vehicle can have driven since an earlier fix, by the speeds of both: with their error, and as it
  /// may have sped up and slowed down again by 1 m/s² between them. nil: they do not say, or are too far apart.
  package func reach_m(since earlier: Fix) -> Double? {
    let gap_ms = time_ms - earlier.time_ms
    guard let from_mps = earlier.speed_mps, let to_mps = speed_mps,
      (0...Fix.longestStep_ms).contains(gap_ms)
    else { return nil }
    let gap_s = Double(gap_ms) / 1000
    let error_mps = min(speedAccuracy_mps ?? Fix.speedError_mps, Fix.speedError_mps)
    return gap_s * ((from_mps + to_mps) / 2 + max(error_mps, (gap_s - 1) / 4))
  }
}
