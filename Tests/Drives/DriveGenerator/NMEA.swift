/// Writes the sentences of a GPS module (NMEA 0183, talker GP): GGA, GSA, two GSV, RMC for each epoch.
public enum NMEA {
  /// Eight satellites that are always in view: number, elevation, azimuth in degrees, signal in dB-Hz.
  /// The first few stand well apart too, as the dilution that the sentences state has it.
  private static let sky: [(id: Int, elevation_deg: Int, azimuth_deg: Int, signal_dBHz: Int)] = [
    (5, 72, 300, 44), (13, 22, 40, 36), (15, 28, 130, 38), (18, 25, 222, 37),
    (20, 20, 310, 34), (24, 55, 90, 42), (29, 30, 175, 38), (30, 24, 355, 35),
  ]

  /// Knots in one metre a second.
  static let knotsPerMps = 3600.0 / 1852.0

  /// The sentences of `epoch`, each with its checksum and CR LF: with the measured position, or, if the epoch
  /// or the caller says so, alive without a fix (quality 0, mode 1, status V; the time is known).
  public static func sentences(for epoch: DriveEpoch, withFix: Bool = true) -> String {
    guard withFix && epoch.hasFix else { return sentencesWithoutFix(time_ms: epoch.time_ms) }
    let time = UTCTime(unix_ms: epoch.time_ms)
    let clock = time.clock(secondDecimals: 2)
    let place = coordinates(latitude_deg: epoch.latitude_deg, longitude_deg: epoch.longitude_deg)
    let hdop = fixed(epoch.hdop, decimals: 1)
    let used = min(epoch.satellites, sky.count)
    let altitude = fixed(epoch.altitude_m, decimals: 1)
    let knots = fixed(epoch.speed_mps * knotsPerMps, decimals: 3)
    // Course 359.996 would round to 360.00, which receivers never say.
    let course = fixed(wrapped((epoch.course_deg * 100).rounded() / 100), decimals: 2)
    return sentence("GPGGA,\(clock),\(place),1,\(padded(used, 2)),\(hdop),\(altitude),M,47.0,M,,")
      + activeSatellites(used: used, hdop: epoch.hdop) + satellitesInView(used: used)
      + sentence("GPRMC,\(clock),A,\(place),\(knots),\(course),\(time.ddmmyy),,,A")
  }

  /// What a module says while it searches.
  public static func sentencesWithoutFix(time_ms: Int64) -> String {
    let time = UTCTime(unix_ms: time_ms)
    let clock = time.clock(secondDecimals: 2)
    return sentence("GPGGA,\(clock),,,,,0,00,99.9,,,,,,") + sentence("GPGSA,A,1,,,,,,,,,,,,,99.9,99.9,99.9")
      + satellitesInView(used: 0) + sentence("GPRMC,\(clock),V,,,,,,,\(time.ddmmyy),,,N")
  }

  /// `body` between `$` and its checksum, CR LF at the end.
  public static func sentence(_ body: String) -> String {
    let sum = String(checksum(body.utf8), radix: 16, uppercase: true)
    return "$\(body)*\(sum.count == 1 ? "0" : "")\(sum)\r\n"
  }

  /// The exclusive or of all bytes between `$` and `*`.
  public static func checksum(_ body: some Sequence<UInt8>) -> UInt8 { body.reduce(0, ^) }

  /// `ddmm.mmmmmmm,N,dddmm.mmmmmmm,E`: seven decimals of a minute are 0.2 mm.
  private static func coordinates(latitude_deg: Double, longitude_deg: Double) -> String {
    "\(degreesMinutes(latitude_deg, width: 2)),\(latitude_deg < 0 ? "S" : "N"),"
      + "\(degreesMinutes(longitude_deg, width: 3)),\(longitude_deg < 0 ? "W" : "E")"
  }

  private static func degreesMinutes(_ angle_deg: Double, width: Int) -> String {
    // In whole ten-millionths of a minute, so that 59.99999999 carries into the degrees.
    let perDegree: Int64 = 600_000_000
    let units = Int64((abs(angle_deg) * Double(perDegree)).rounded())
    let minutes = units % perDegree
    return padded(units / perDegree, width) + padded(minutes / 10_000_000, 2) + "."
      + padded(minutes % 10_000_000, 7)
  }

  private static func activeSatellites(used: Int, hdop: Double) -> String {
    let ids = (0..<12).map { $0 < used ? padded(sky[$0].id, 2) : "" }.joined(separator: ",")
    let vdop = hdop * 1.5
    let pdop = (hdop * hdop + vdop * vdop).squareRoot()
    let dops = [pdop, hdop, vdop].map { fixed($0, decimals: 1) }.joined(separator: ",")
    return sentence("GPGSA,A,3,\(ids),\(dops)")
  }

  private static func satellitesInView(used: Int) -> String {
    (0..<2).map { half in
      let satellites = (half * 4..<half * 4 + 4).map { index in
        let satellite = sky[index]
        let signal = index < used ? padded(satellite.signal_dBHz, 2) : ""
        return "\(padded(satellite.id, 2)),\(padded(satellite.elevation_deg, 2)),"
          + "\(padded(satellite.azimuth_deg, 3)),\(signal)"
      }
      return sentence("GPGSV,2,\(half + 1),\(padded(sky.count, 2)),\(satellites.joined(separator: ","))")
    }.joined()
  }
}
