import Testing
import TrackerLab

private func format(_ text: String) throws -> TrackFormat {
  try TrackFormat(head: Array(text.utf8), file: "drive")
}

private func problem(_ head: [UInt8]) -> String {
  do {
    return "no error, but \(try TrackFormat(head: head, file: "drive"))"
  } catch {
    return "\(error)"
  }
}

@Suite("Which format a track has")
struct TrackFormatTests {
  @Test("is recognised by its content")
  func content() throws {
    #expect(try format("\u{FEFF}lat,lon,time_unix_ms\r\n") == .csv)
    #expect(try format("\u{FEFF}\n <?xml version=\"1.0\"?><gpx>") == .gpx)
    #expect(try format("{\"class\":\"VERSION\",\"release\":\"3.22\"}\n") == .gpsdJSON)
    #expect(try format("iso_time,unix_ms,lat,lon\n") == .csv)
    #expect(try format("time,lat,lon\n1,2,3\n") == .csv)
    #expect(try format("Time;Latitude;Longitude\n") == .csv)
    #expect(try format("{\"class\": \"TPV\", \"mode\": 1}\n") == .gpsdJSON)
    #expect(try format("{\"device\":\"/dev/ttyS0\",\"class\":\"SKY\"}\n") == .gpsdJSON)
    #expect(try format("2026-03-02 07:00:00.123456: {\"class\":\"TPV\",\"mode\":1}\n") == .gpsdJSON)
    #expect(try format("\"lat\":4\n{\"class\":\"TPV\",\"mode\":1}\n") == .gpsdJSON)
    #expect(try format("$GPRMC,235959,A\r\n") == .receiver)
    #expect(try format("# Chipset: x\n*** started\n07$$GNGSA,A,3\n") == .receiver)
    #expect(try TrackFormat(head: [0x24, 0xB5, 0x62, 0x01, 0x07], file: "drive") == .receiver)
  }

  @Test("NMEA after gpsd's greeting, as gpspipe -r writes it, is what the receiver sent")
  func gpspipeRaw() throws {
    #expect(try format("{\"class\":\"VERSION\"}\n{\"class\":\"WATCH\"}\n$GPRMC,235959,A\r\n") == .receiver)
    #expect(try format("{\"class\":\"TPV\",\"mode\":1}\n$GPRMC,235959,A\r\n") == .gpsdJSON)
  }

  @Test("nothing, what is packed and everything else say what to do")
  func errors() {
    #expect(problem([]) == "drive: is empty")
    #expect(problem(Array("\r\n \n".utf8)) == "drive: is empty")
    #expect(problem([0x1F, 0x8B, 8, 0]) == "drive: is packed by gzip, twice; unpack it first (gunzip -k)")
    #expect(
      problem([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00, 1]) == "drive: is packed by xz; unpack it first (unxz -k)")
    #expect(problem(Array("PK\u{3}\u{4}".utf8)) == "drive: is packed by zip; unpack it first (unzip)")
    #expect(
      problem([0xFF, 0xFE, 0x74, 0x00, 0x69, 0x00]) == """
        drive: is text in UTF-16, as PowerShell's > writes it; convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW
        """)
    let unknown = """
      drive: is no track in a format that is understood. Understood are CSV (a first line with \
      time_unix_ms,lat,lon), GPX, gpsd's JSON (gpspipe -w), and NMEA or UBX as a receiver sent it. \
      docs/simulate.md says more.
      """
    for text in ["hello", "time,place\n1,2\n", "[{\"$uuid\": 1}]", "It costs $5, or $GP.\n", "\u{FEFF}"] {
      #expect(problem(Array(text.utf8)) == unknown)
    }
  }
}
