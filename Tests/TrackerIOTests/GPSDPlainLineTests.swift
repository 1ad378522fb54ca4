import Testing

@testable import TrackerCore
@testable import TrackerIO

/// A blank after a comma makes a line one that only libgps reads.
@Suite("gpsd's lines, read by us and by libgps")
struct GPSDPlainLineTests {
  private static let satellites = (1...12).map {
    #"{"PRN":\#($0),"gnssid":0,"svid":\#($0),"az":\#($0 * 29).0,"el":\#($0 * 7).5,"ss":\#($0 * 4).0,"used":\#($0 % 3 == 0)}"#
  }.joined(separator: ",")

  static let lines = [
    #"{"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"2026-11-25T03:11:35.120Z","ept":0.005,"lat":46.498203637,"lon":-7.568074350,"altHAE":1327.6890,"altMSL":1280.5,"epx":15.319,"epy":17.054,"epv":124.484,"track":10.3797,"magtrack":11.1,"speed":0.091,"climb":-0.085,"eps":34.11,"epd":20.5,"eph":19.2}"#,
    #"{"class":"TPV","device":"/dev/ttyS0","mode":1}"#,
    #"{"class":"TPV","mode":2,"time":"2024-02-29T23:59:59Z","lat":-0.5,"lon":179.999999999}"#,
    #"{"class":"TPV","mode":3,"time":"1999-12-31T00:00:00.000000001Z","lat":1e1,"lon":8,"speed":-1}"#,
    #"{"class":"TPV","mode":3,"lat":12345678901234567890.5,"lon":nan}"#,
    #"{"class":"TPV","device":"/dev/ttyS0"}"#,
    #"{"class":"SKY","device":"/dev/ttyS0","xdop":0.8,"hdop":1.29,"pdop":2.0,"satellites":[\#(satellites)]}"#,
    #"{"class":"SKY","device":"/dev/ttyS0","hdop":99.99}"#,
    #"{"class":"SKY","nSat":0,"uSat":0,"satellites":[]}"#,
  ]

  @Test("both say the same", arguments: lines)
  func same(line: String) throws {
    #expect(try said(line) == said(line.split(separator: ",").joined(separator: ", ")))
  }

  @Test("what is cut off or has rubbish in it says nothing", arguments: lines)
  func cut(line: String) throws {
    let fix = #"{"class":"TPV","mode":1}"#
    #expect(try events(String(line.dropLast()), fix) == events(fix))
    #expect(try events(line + "}", fix).count <= 2)
  }

  /// With a report after it, which shows what a SKY has said.
  private func said(_ line: String) throws -> [GPSDEvent] {
    try events(line, #"{"class":"TPV","device":"/dev/ttyS0","mode":3,"lat":1.0,"lon":2.0}"#)
  }

  private func events(_ lines: String...) throws -> [GPSDEvent] {
    let decoder = try GPSDDecoder()
    return lines.compactMap { decoder.decode(Array($0.utf8)) }
  }
}
