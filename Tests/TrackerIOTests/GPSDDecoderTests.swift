import Testing

@testable import TrackerBase
@testable import TrackerIO

@Suite("gpsd's messages")
struct GPSDDecoderTests {
  private static let sky =
    #"{"class":"SKY","hdop":0.9,"nSat":2,"uSat":1,"satellites":[{"PRN":3,"el":65.0,"az":120.0,"ss":42.0,"#
    + #""used":true,"gnssid":0,"svid":3,"health":1},{"PRN":7,"el":5.0,"az":20.0,"ss":12.0,"used":false,"#
    + #""gnssid":0,"svid":7,"health":1}]}"#

  private func events(_ lines: String...) throws -> [GPSDEvent] {
    let decoder = try GPSDDecoder()
    return lines.compactMap { decoder.decode(Array($0.utf8)) }
  }

  @Test("a whole report with everything in it")
  func wholeReport() throws {
    let line =
      #"{"class":"TPV","device":"/dev/x","mode":3,"time":"2026-11-21T06:00:00.250Z","lat":47.5,"lon":8.5,"#
      + #""altHAE":457.0,"altMSL":410.0,"epx":3.0,"epy":4.0,"eph":5.5,"epv":9.0,"track":360.0,"speed":2.0,"#
      + #""eps":0.5,"epd":20.0}"#
    #expect(
      try events(Self.sky, line + "\r") == [
        .report(
          GPSReport(
            mode: 3, time_ms: 1_795_240_800_250, latitude_deg: 47.5, longitude_deg: 8.5, altitude_m: 410,
            speed_mps: 2, course_deg: 0, accuracy_m: 5.5, altitudeAccuracy_m: 9, speedAccuracy_mps: 0.5,
            courseAccuracy_deg: 20, hdop: 0.9, satellites: 1,
            sky: SkyView(heard: 2), device: "/dev/x"))
      ])
  }

  @Test("a SKY after a fix is not the fix once more")
  func skyIsNoReport() throws {
    let report = try events(#"{"class":"TPV","mode":2,"lat":47.5,"lon":8.5}"#, Self.sky, Self.sky)
    #expect(report == [.report(GPSReport(mode: 2, latitude_deg: 47.5, longitude_deg: 8.5))])
  }

  @Test("the accuracy comes from eph, else from the larger of epx and epy, else it is absent")
  func accuracy() throws {
    #expect(try accuracy_m(of: #""eph":5.5,"epx":3.0,"epy":4.0"#) == 5.5)
    #expect(try accuracy_m(of: #""epx":3.0,"epy":4.0"#) == 4)
    #expect(try accuracy_m(of: #""epx":3.0"#) == nil)
    #expect(try accuracy_m(of: #""eph":-1.0"#) == nil)
  }

  private func accuracy_m(of fields: String) throws -> Double? {
    try events(#"{"class":"TPV","mode":3,"lat":47.5,"lon":8.5,\#(fields)}"#).reports[0].accuracy_m
  }

  @Test("infinite, huge and negative numbers are absent")
  func absurdNumbers() throws {
    let line =
      #"{"class":"TPV","mode":3,"lat":1e999,"lon":1e300,"altMSL":-1e12,"speed":-3.0,"track":-90.0,"eph":1e999,"#
      + #""epv":1e20,"time":"99999-13-45T99:99:99Z"}"#
    let report = try #require(try events(line).reports.first)
    var expected = GPSReport(mode: 3)
    expected.time_ms = report.time_ms
    #expect(report == expected)
    if let time_ms = report.time_ms { #expect((0..<253_402_300_800_000).contains(time_ms)) }
  }

  @Test(
    "a literal nan, null or inf is no number, and the reports around it are whole",
    arguments: ["nan", "NaN", "-nan", "null", "inf", "Infinity", #""nan""#])
  func literals(word: String) throws {
    let good = #"{"class":"TPV","mode":3,"time":"2026-11-21T06:00:00.000Z","lat":47.5,"lon":8.5,"eph":5.0}"#
    let line =
      #"{"class":"TPV","mode":3,"time":"2026-11-21T06:00:01.000Z","lat":\#(word),"lon":8.5,"eph":\#(word),"#
      + #""speed":\#(word)}"#
    let reports = try events(good, line, good).reports
    #expect(reports.count == 3 && reports[0] == reports[2] && reports[0].latitude_deg == 47.5)
    #expect(reports[1].latitude_deg == nil && reports[1].accuracy_m == nil && reports[1].speed_mps == nil)
  }

  @Test("a mode that does not exist is no fix")
  func unknownMode() throws {
    #expect(
      try events(#"{"class":"TPV","mode":99999999999,"lat":47.5,"lon":8.5}"#) == [.report(GPSReport(mode: 1))]
    )
  }

  @Test("a report without a mode is none")
  func noMode() throws {
    #expect(try events(#"{"class":"TPV","lat":47.5,"lon":8.5}"#, #"{"class":"TPV","mode":0}"#) == [])
  }

  @Test("99.99 is no HDOP, and a phase without fix forgets the last one")
  func hdop() throws {
    let fix = #"{"class":"TPV","mode":3,"lat":47.5,"lon":8.5}"#
    let noFix = #"{"class":"TPV","mode":1}"#
    let reports = try events(#"{"class":"SKY","hdop":99.99}"#, fix, Self.sky, fix, noFix, fix).reports
    #expect(reports.map(\.hdop) == [nil, 0.9, nil, nil])
  }

  @Test("HDOP and satellites are of the receiver that reported them")
  func severalReceivers() throws {
    func sky(_ device: String, hdop: Double) -> String {
      #"{"class":"SKY","device":"\#(device)",\#(Self.sky.dropFirst(15))"#
        .replacing("0.9", with: "\(hdop)")
    }
    let fix = #""mode":3,"lat":47.5,"lon":8.5}"#
    let reports = try events(
      sky("/dev/a", hdop: 0.8), sky("/dev/b", hdop: 7.5), #"{"class":"TPV","device":"/dev/a",\#(fix)"#,
      #"{"class":"TPV","device":"/dev/b",\#(fix)"#, #"{"class":"TPV","device":"/dev/c",\#(fix)"#
    ).reports
    #expect(reports.map(\.device) == ["/dev/a", "/dev/b", "/dev/c"])
    #expect(reports.map(\.hdop) == [0.8, 7.5, nil])
    #expect(reports.map(\.satellites) == [1, 1, nil])
  }

  private func sky(_ satellites: (prn: Int, signal: String)...) -> String {
    let list = satellites.map { #"{"PRN":\#($0.prn),"el":45.0,"az":9.0,\#($0.signal)"used":true}"# }
    return #"{"class":"SKY","nSat":9,"uSat":1,"satellites":[\#(list.joined(separator: ","))]}"#
  }

  @Test("C/N0 is the mean of the best four satellites, each counted once with its best signal")
  func signals() throws {
    let fix = #"{"class":"TPV","mode":3,"lat":47.5,"lon":8.5}"#
    let reports = try events(
      sky(
        (1, #""ss":30.0,"#), (2, #""ss":45.0,"#), (1, #""ss":41.0,"#), (3, #""ss":20.0,"#),
        (4, #""ss":40.0,"#),
        (2, #""ss":38.0,"#), (5, #""ss":42.0,"#), (6, ""), (7, #""ss":0.0,"#), (8, #""ss":-1.0,"#),
        (9, #""ss":254.0,"#)),
      fix, fix, sky((1, #""ss":30.0,"#), (2, #""ss":31.0,"#), (3, #""ss":32.0,"#)), fix, sky((1, "")), fix
    ).reports
    #expect(
      reports.map(\.sky) == [
        SkyView(heard: 5, cn0_dBHz: 42), nil, SkyView(heard: 3), SkyView(heard: 0),
      ])
  }

  @Test("what newer gpsds pass on of the antenna, whatever libgps knows of it")
  func antenna() throws {
    func report(_ antenna: String) -> String { #"{"class":"TPV","mode":1\#(antenna)}"# }
    let reports = try events(
      report(""), report(#","ant":1"#), report(#","ant":2"#), report(#","ant":3,"jam":12"#),
      report(#","ant":9"#)
    ).reports
    #expect(reports.map(\.antennaFault) == [nil, nil, .open, .short, nil])
  }

  @Test("a SKY with the HDOP alone leaves the satellites")
  func splitSky() throws {
    let reports = try events(
      Self.sky, #"{"class":"SKY","hdop":1.5}"#, #"{"class":"TPV","mode":3,"lat":47.5,"lon":8.5}"#
    ).reports
    #expect(reports.map(\.hdop) == [1.5])
    #expect(reports.map(\.satellites) == [1])
  }

  @Test("devices with what gpsd takes them for, open and closed")
  func device() throws {
    func device(_ path: String, _ driver: String?, isOpen: Bool) -> GPSDDevice {
      GPSDDevice(path: path, driver: driver, isOpen: isOpen)
    }
    #expect(
      try events(
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/x","driver":"u-blox","#
          + #""activated":"2026-11-21T06:00:00.000Z"},{"class":"DEVICE","path":"/dev/y"}]}"#,
        #"{"class":"DEVICE","path":"/dev/x","activated":0}"#,
        #"{"class":"DEVICE","path":"/dev/x","driver":"NMEA0183","activated":"2026-11-21T06:00:00.000Z"}"#
          + "\r",
        #"{"class":"DEVICES","devices":[]}"#, #"{"class":"DEVICE","path":1}"#, #"{"class":"DEVICE","#
      )
        == [
          .devices(
            [device("/dev/x", "u-blox", isOpen: true), device("/dev/y", nil, isOpen: false)], areAll: true),
          .devices([device("/dev/x", nil, isOpen: false)], areAll: false),
          .devices([device("/dev/x", "NMEA0183", isOpen: true)], areAll: false),
          .devices([], areAll: true), .devices([], areAll: false),
        ])
  }

  @Test("frames of a receiver's own protocol come as bytes, what is no such line as nothing")
  func frames() throws {
    #expect(
      try events("b5620501", "b56205018G", "b562050", "b562A0ff\r", "$GPGGA,*00")
        == [.frame([0xB5, 0x62, 5, 1]), .frame([0xB5, 0x62, 0xA0, 0xFF])])
  }

  @Test(
    "what gpsd complains of is reported by its kind, and never in its words: they may hold a position",
    arguments: [
      ("Unrecognized request '?WACH={lat:47.1}'", .request), ("Invalid WATCH: 47.1,8.5", .request),
      ("Can't open /dev/ttyAMA0.", .device), ("No such device /dev/x", .device), ("47.1,8.5", .other),
    ] as [(String, GPSDComplaint)])
  func error(_ message: String, _ expected: GPSDComplaint) throws {
    #expect(
      try events("{\"class\":\"ERROR\",\"message\":\"\(message)\"}") == [.error(expected)])
    #expect(GPSDComplaint.allCases.allSatisfy { !$0.rawValue.contains("47.1") })
  }

  @Test("seeded garbage around real messages never traps")
  func mutations() throws {
    var random = UInt64(42)
    let decoder = try GPSDDecoder()
    let lines = [
      Self.sky, #"{"class":"TPV","mode":3,"time":"2026-11-21T06:00:00.250Z","lat":47.5,"lon":8.5}"#,
      #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/x","activated":"2026"}]}"#,
      #"{"class":"ERROR","message":"Unrecognized request"}"#,
    ]
    for round in 0..<4000 {
      var bytes = Array(lines[round % lines.count].utf8)
      for _ in 0..<(1 + round % 5) {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes[Int(random >> 33) % bytes.count] = UInt8(truncatingIfNeeded: random >> 17)
      }
      if case .report(let report) = decoder.decode(bytes) { #expect((1...3).contains(report.mode)) }
    }
  }

  @Test(
    "lines come out whole, wherever the pieces end",
    arguments: [1, 2, 3, 7, 100])
  func lines(pieceSize: Int) {
    let bytes = Array("one\n\ntwo\r\nthree".utf8)
    var buffer = LineBuffer()
    var lines: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
      lines += buffer.take(bytes[start..<min(start + pieceSize, bytes.count)])
    }
    #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["one", "", "two\r"])
  }
}
