import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

extension ZoneTests {
  private static func zurich() throws -> [UInt8] {
    try RecordingFile.bytes(of: "/usr/share/zoneinfo/Europe/Zurich")
  }

  /// A folder with one file, Here.
  private static func folder(_ bytes: [UInt8]) throws -> String {
    var template = Array("/tmp/godwit-zone-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    try DurableFile.write("\(directory)/Here", "")
    let file = open("\(directory)/Here", O_WRONLY | O_TRUNC)
    #expect(write(file, bytes, bytes.count) == bytes.count)
    close(file)
    return directory
  }

  private static func remove(_ directory: String) {
    unlink("\(directory)/Here")
    rmdir(directory)
  }

  @Test("every zone of the system is whole, and has libc's offsets from 2000 to 2069")
  func everyZoneIsWhole() throws {
    let names = everyZone()
    try #require(names.count > 300)
    let before = getenv("TZ").map { String(cString: $0) }
    defer {
      if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
      tzset()
    }
    for name in names {
      let zone = try SystemZone(name)
      setenv("TZ", ":" + name, 1)
      tzset()
      let changes = zone.transitions.changes.flatMap { [$0.at_s - 1, $0.at_s] }
      let days = stride(from: Int64(946_684_800), to: 3_155_760_000, by: 3 * 86_400)
      let wrong = (changes + days).first { zone.offset_s(at: $0) != libcOffset_s(at: $0) }
      #expect(wrong == nil, "\(name)")
    }
  }

  @Test(
    "a rule in TZ is read as libc reads it",
    arguments: [
      "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT", "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1",
      "IST-2IDT,M3.4.4/26,M10.5.0",
      "AAA-10:30BBB-11,J60/1:02:03,J300", "AAA3BBB,59/0,300/23:59:59", "<+0545>-5:45",
      "NZST-12NZDT,M9.5.0,M4.1.0/3", "AAA+4BBB5,M1.1.1,M11.5.6/167",
    ])
  func rules(text: String) throws {
    let before = getenv("TZ").map { String(cString: $0) }
    defer {
      if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
      tzset()
    }
    let zone = try SystemZone("", directory: "/usr/share/zoneinfo", system: text)
    setenv("TZ", text, 1)
    tzset()
    // From 2008 on: what stands under the name EST5EDT has the older rules too.
    let hours = stride(from: Int64(1_199_145_600), to: 1_450_000_000, by: 3600)
    let wrong = hours.first { zone.offset_s(at: $0) != libcOffset_s(at: $0) }
    #expect(wrong == nil)
  }

  @Test("summer time all year, as RFC 9636 writes it, never changes")
  func summerForEver() throws {
    let zone = try SystemZone("", directory: "/usr/share/zoneinfo", system: "XXX3EDT4,0/0,J365/23")
    #expect(zone.transitions.initial_s == -4 * 3600 && zone.transitions.changes.isEmpty)
  }

  @Test(
    "what is no rule is none",
    arguments: [
      "", "CET", "CE-1", "CET-25", "CET-1:60", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,M13.5.0", "<CET-1",
      "CET-1CEST,M3.5.0,M10.5.0/168", "CET-1CEST,M3.5.0,M10.5.0 ", "CET-1CEST,366,1", "CET-1CEST,J0,J1",
      "CET-0001",
    ])
  func noRules(text: String) { #expect(ZoneRule(text) == nil) }

  @Test("a zone's file that is cut, at whatever byte, is an error and never UTC")
  func cut() throws {
    let whole = try Self.zurich()
    let directory = try Self.folder([])
    defer { Self.remove(directory) }
    for length in 0..<whole.count {
      #expect(throws: TZif.ParseError.self, "\(length)") { try TZif(Array(whole.prefix(length))) }
    }
    #expect(throws: ZoneError.notZoneData(name: "Here", directory: directory, reason: "is empty")) {
      try SystemZone("Here", directory: directory, system: nil)
    }
  }

  @Test(
    "no byte of a zone's file can be changed so that a wrong offset goes unnoticed as UTC, and nothing traps")
  func flipped() throws {
    let whole = try Self.zurich()
    for index in whole.indices {
      var bytes = whole
      bytes[index] ^= 0xFF
      _ = try? TZif(bytes)
    }
  }

  @Test(
    "garbage, too much and what is no file are errors",
    arguments: [
      (Array("TZif2".utf8) + [UInt8](repeating: 0xA7, count: 200), "has counts that no zone has"),
      ([UInt8](repeating: 0, count: 60), "is not zone data"),
      ([UInt8](repeating: 65, count: 300_000), "is too large to be zone data"),
    ])
  func garbage(bytes: [UInt8], reason: String) throws {
    let directory = try Self.folder(bytes)
    defer { Self.remove(directory) }
    #expect(throws: ZoneError.notZoneData(name: "Here", directory: directory, reason: reason)) {
      try SystemZone("Here", directory: directory, system: nil)
    }
  }

  @Test("a FIFO in a zone's place holds nobody up")
  func pipe() throws {
    let directory = try Self.folder([])
    defer { Self.remove(directory) }
    try #require(unlink("\(directory)/Here") == 0 && mkfifo("\(directory)/Here", 0o644) == 0)
    #expect(throws: ZoneError.notAFile(.notAFile(path: "\(directory)/Here", kind: .pipe))) {
      try SystemZone("Here", directory: directory, system: nil)
    }
  }

  @Test("the last good zone comes back from its text, for its own setting alone, and not from a damaged one")
  func saved() throws {
    let zone = try SystemZone("Europe/Zurich")
    let text = SavedZone.text(zone, setting: "Europe/Zurich")
    #expect(SavedZone.zone(in: text, setting: "Europe/Zurich") == zone)
    #expect(SavedZone.zone(in: text, setting: "Europe/Bern") == nil)
    #expect(text.utf8.count < 8192)
    for length in 0..<text.utf8.count {
      #expect(SavedZone.zone(in: String(text.prefix(length)), setting: "Europe/Zurich") == nil)
    }
    #expect(SavedZone.zone(in: text.replacing("7200", with: "3600"), setting: "Europe/Zurich") == nil)
  }

  @Test("a system whose own zone cannot be read says what to do")
  func systemWording() {
    let missing = ZoneError.unreadable(name: "", directory: "", call: "open", code: ENOENT)
    #expect(
      missing.description
        == "the system's zone: open of /etc/localtime: No such file or directory (2): install tzdata, or set timezone"
    )
    let cut = ZoneError.notZoneData(name: "", directory: "", reason: "is cut")
    #expect(
      cut.description == "the system's zone: /etc/localtime is cut: install tzdata anew, or set timezone")
  }
}
