/// A position with what a track says about it.
public struct TrackPosition: Equatable, Sendable {
  public var latitude_deg: Double
  public var longitude_deg: Double
  public var altitude_m: Double?
  public var speed_mps: Double?
  public var course_deg: Double?

  init(
    latitude_deg: Double, longitude_deg: Double, altitude_m: Double? = nil, speed_mps: Double? = nil,
    course_deg: Double? = nil
  ) {
    self.latitude_deg = latitude_deg
    self.longitude_deg = longitude_deg
    self.altitude_m = altitude_m
    self.speed_mps = speed_mps
    self.course_deg = course_deg
  }
}

/// One epoch as the simulated module plays it: made by the generator, or recorded by somebody's receiver.
public struct PlayedEpoch: Equatable, Sendable {
  /// Unix milliseconds of GPS time; nil where a recording has not given a date yet.
  public var time_ms: Int64?
  /// Nil without a fix.
  public var fix: TrackPosition?
  /// The recorded sentences with their line ends; nil where the module makes its own.
  var recorded: [UInt8]?
  private var made: DriveEpoch?

  /// An epoch of a generated drive or of an interpolated track.
  public init(_ epoch: DriveEpoch) {
    time_ms = epoch.time_ms
    made = epoch
    if epoch.hasFix {
      fix = TrackPosition(
        latitude_deg: epoch.latitude_deg, longitude_deg: epoch.longitude_deg, altitude_m: epoch.altitude_m,
        speed_mps: epoch.speed_mps, course_deg: epoch.course_deg)
    }
  }

  init(time_ms: Int64?, fix: TrackPosition?, recorded: [UInt8]) {
    self.time_ms = time_ms
    self.fix = fix
    self.recorded = recorded
  }

  /// What the module writes.
  ///
  /// - Parameters:
  ///   - withFix: false while the module still searches: its own sentences without a position, whatever was
  ///     recorded; nothing if the time is not known.
  ///   - shift_ms: is added to every time. With 0, recorded sentences go out byte for byte.
  public func bytes(withFix: Bool, shift_ms: Int64 = 0) -> [UInt8] {
    if !withFix {
      return time_ms.map { Array(NMEA.sentencesWithoutFix(time_ms: $0 + shift_ms).utf8) } ?? []
    }
    if let recorded {
      return shift_ms == 0 ? recorded : Retiming.shifted(recorded, by: shift_ms)
    }
    guard var epoch = made else { return [] }
    epoch.time_ms += shift_ms
    return Array(NMEA.sentences(for: epoch).utf8)
  }

  /// The vehicle parked where this epoch has its fix, at another time. Nil without a fix.
  public func parked(at time_ms: Int64) -> PlayedEpoch? {
    guard let fix else { return nil }
    return PlayedEpoch(DriveEpoch(at: fix, speed_mps: 0, time_ms: time_ms))
  }
}

extension DriveEpoch {
  /// An epoch with the open sky of a track that says nothing of satellites; what it measured counts as true.
  init(at position: TrackPosition, speed_mps: Double, time_ms: Int64) {
    self.init(
      time_ms: time_ms, trueLatitude_deg: position.latitude_deg, trueLongitude_deg: position.longitude_deg,
      trueSpeed_mps: speed_mps, latitude_deg: position.latitude_deg, longitude_deg: position.longitude_deg,
      altitude_m: position.altitude_m ?? 0, speed_mps: speed_mps, course_deg: position.course_deg ?? 0,
      hdop: 0.9, satellites: 8, hasFix: true, isDriving: speed_mps >= 0.5)
  }
}
