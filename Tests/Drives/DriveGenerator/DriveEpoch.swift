/// One second of a drive: what is true, and what the receiver measured.
public struct DriveEpoch: Equatable, Sendable {
  /// Unix milliseconds of GPS time.
  public var time_ms: Int64
  /// Where the vehicle truly is.
  public var trueLatitude_deg: Double
  public var trueLongitude_deg: Double
  public var trueSpeed_mps: Double
  /// What the receiver says. Without a fix these are what it would say, and no sentence carries them.
  public var latitude_deg: Double
  public var longitude_deg: Double
  /// Above mean sea level.
  public var altitude_m: Double
  public var speed_mps: Double
  /// Clockwise from true north, 0 up to 360; the last one driven while the vehicle stands.
  public var course_deg: Double
  public var hdop: Double
  /// Satellites used, 0 without a fix.
  public var satellites: Int
  public var hasFix: Bool
  /// Inside a trip; a halt at a light is inside.
  public var isDriving: Bool

  public init(
    time_ms: Int64, trueLatitude_deg: Double, trueLongitude_deg: Double, trueSpeed_mps: Double,
    latitude_deg: Double, longitude_deg: Double, altitude_m: Double, speed_mps: Double, course_deg: Double,
    hdop: Double, satellites: Int, hasFix: Bool, isDriving: Bool
  ) {
    self.time_ms = time_ms
    self.trueLatitude_deg = trueLatitude_deg
    self.trueLongitude_deg = trueLongitude_deg
    self.trueSpeed_mps = trueSpeed_mps
    self.latitude_deg = latitude_deg
    self.longitude_deg = longitude_deg
    self.altitude_m = altitude_m
    self.speed_mps = speed_mps
    self.course_deg = course_deg
    self.hdop = hdop
    self.satellites = satellites
    self.hasFix = hasFix
    self.isDriving = isDriving
  }
}

/// One true trip: from the last instant of standing to the next.
public struct DriveTrip: Equatable, Sendable {
  public var start_ms: Int64
  public var end_ms: Int64
  /// Along the road.
  public var distance_m: Double
  /// Halts at red lights.
  public var halts: Int
}

/// One true parking stop.
public struct DriveStop: Equatable, Sendable {
  public var start_ms: Int64
  public var end_ms: Int64
  public var latitude_deg: Double
  public var longitude_deg: Double
}
