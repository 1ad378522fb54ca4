import DriveGenerator
import Testing

@Suite("NMEA sentences")
struct NMEATests {
  static let drive = Drive(plan: .short, seed: 3, start_ms: 1_772_434_800_000)

  static func lines(_ epoch: DriveEpoch, withFix: Bool = true) -> [Substring] {
    NMEA.sentences(for: epoch, withFix: withFix).split(separator: "\r\n")
  }

  @Test("checksums are the exclusive or of the body, in two hexadecimal digits")
  func checksums() {
    // The example of the NMEA 0183 manual's RMC.
    let body = "GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W"
    #expect(NMEA.sentence(body) == "$\(body)*6A\r\n")
    #expect(NMEA.sentence("A") == "$A*41\r\n")
    #expect(NMEA.sentence("AD") == "$AD*05\r\n")
  }

  @Test("an epoch is GGA, GSA, two GSV and RMC, of at most 82 characters but for the longer minutes")
  func order() {
    for epoch in Self.drive.epochs {
      let lines = Self.lines(epoch)
      #expect(lines.map { $0.prefix(6) } == ["$GPGGA", "$GPGSA", "$GPGSV", "$GPGSV", "$GPRMC"])
      #expect(lines.allSatisfy { $0.utf8.count <= 90 })
    }
  }

  @Test("with a fix: quality 1, mode 3, status A; without: quality 0, mode 1, status V, time and date")
  func fixAndNoFix() throws {
    let epoch = Self.drive.epochs[0]
    let fix = Self.lines(epoch).map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(fix[0][6] == "1" && fix[1][2] == "3" && fix[4][2] == "A")
    let none = Self.lines(epoch, withFix: false).map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(none[0][6] == "0" && none[1][2] == "1" && none[4][2] == "V")
    #expect(none[0][2].isEmpty && none[4][3].isEmpty && none[4][5].isEmpty)
    #expect(none[4][1] == "070000.00" && none[4][9] == "020326")
    let tunnel = try #require(Self.drive.epochs.first { !$0.hasFix })
    #expect(Self.lines(tunnel)[4].contains(",V,"))
  }

  @Test("what is written comes back within 2 cm, in all four quarters of the earth")
  func roundTrip() throws {
    for (latitude_deg, longitude_deg) in [(47.0, 8.0), (-33.9, 151.2), (40.7, -74.0), (-0.00001, -179.99999)]
    {
      var plan = DrivePlan.short
      (plan.startLatitude_deg, plan.startLongitude_deg) = (latitude_deg, longitude_deg)
      let epochs = Drive(plan: plan, seed: 3, start_ms: 1_772_434_800_000).epochs
        .filter { abs($0.longitude_deg) <= 180 }
      let text = epochs.map { NMEA.sentences(for: $0) }.joined()
      let back = try TrackReader.parse(Array(text.utf8), file: "own")
      try #require(back.count == epochs.count)
      for (epoch, read) in zip(epochs, back) {
        #expect(read.time_ms == epoch.time_ms)
        #expect((read.fix != nil) == epoch.hasFix)
        guard let fix = read.fix else { continue }
        let error_m = distance_m(epoch.latitude_deg, epoch.longitude_deg, fix.latitude_deg, fix.longitude_deg)
        #expect(error_m < 0.02)
        let (speed_mps, altitude_m) = (try #require(fix.speed_mps), try #require(fix.altitude_m))
        #expect(abs(speed_mps - epoch.speed_mps) < 0.01)
        #expect(abs(altitude_m - epoch.altitude_m) <= 0.051)
      }
    }
  }

  @Test("minutes that round to 60 carry into the degrees, and a course never reads 360")
  func rounding() {
    var epoch = Self.drive.epochs[0]
    epoch.latitude_deg = 46.999_999_999_99
    epoch.course_deg = 359.999
    let lines = Self.lines(epoch)
    #expect(lines[0].contains(",4700.0000000,N,"))
    #expect(lines[4].contains(",0.00,020326,"))
  }

  @Test(
    "times are read in every form that GPX files use",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-03-02T07:00:00Z", 1_772_434_800_000),
      ("2026-03-02T07:00:00.25Z", 1_772_434_800_250), ("2026-03-02T08:00:00+01:00", 1_772_434_800_000),
      ("2026-03-02 07:00:00", 1_772_434_800_000), ("2000-02-29T23:59:59Z", 951_868_799_000),
      ("1969-12-31T23:59:59.5Z", -500),
    ] as [(String, Int64)])
  func times(text: String, unix_ms: Int64) throws {
    let time = try #require(UTCTime(iso8601: text))
    #expect(time.unix_ms == unix_ms)
  }

  @Test(
    "anything else is not a time",
    arguments: [
      "", "now", "2026-03-02", "2026-02-29T07:00:00Z", "2026-13-01T07:00:00Z", "2026-03-02T25:00:00Z",
      "2026-03-02T07:00:00X", "2026-03-02T07:00:00.Z", "2026-03-02T07:00:00+1", "+026-03-02T07:00:00Z",
    ])
  func notTimes(text: String) {
    #expect(UTCTime(iso8601: text) == nil)
  }
}
