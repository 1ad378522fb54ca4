import Foundation
import Testing
import TrackerBase

@testable import TrackerIO

/// Serialized: reading a zone sets `TZ` for a moment.
@Suite(.serialized)
struct ZoneTests {
  private static let summer_s: Int64 = 1_782_864_000  // 2026-07-01 00:00 UTC
  private static let winter_s: Int64 = 1_767_225_600  // 2026-01-01 00:00 UTC

  @Test(
    "knows the offsets of 2026",
    arguments: [
      ("Europe/Zurich", 3600, 7200), ("America/New_York", -18_000, -14_400),
      ("Australia/Lord_Howe", 39_600, 37_800), ("Asia/Kathmandu", 20_700, 20_700),
      ("Pacific/Apia", 46_800, 46_800), ("America/St_Johns", -12_600, -9000), ("Etc/UTC", 0, 0),
    ])
  func offsets(name: String, winter_s: Int, summer_s: Int) throws {
    let zone = try SystemZone(name)
    #expect(zone.name == name)
    #expect(zone.offset_s(at: Self.winter_s) == winter_s)
    #expect(zone.offset_s(at: Self.summer_s) == summer_s)
  }

  @Test("finds the second at which clocks change")
  func changes() throws {
    let zurich = try SystemZone("Europe/Zurich")
    let march = try #require(zurich.nextTransition(after: Self.winter_s))
    #expect(march == 1_774_746_000)  // 2026-03-29 01:00 UTC
    #expect(zurich.nextTransition(after: march) == 1_792_890_000)  // 2026-10-25 01:00 UTC
    #expect(zurich.nextTransition(after: march - 1) == march)
    #expect(zurich.offset_s(at: march - 1) == 3600)
    #expect(zurich.offset_s(at: march) == 7200)
  }

  @Test("finds both changes around a month of Ramadan")
  func ramadan() throws {
    let zone = try SystemZone("Africa/Casablanca")
    let back = try #require(zone.nextTransition(after: Self.winter_s))
    #expect(back == 1_771_120_800)  // 2026-02-15 02:00 UTC
    #expect(zone.nextTransition(after: back) == 1_774_144_800)  // 2026-03-22 02:00 UTC
  }

  @Test("has no change where clocks never change")
  func never() throws {
    #expect(try SystemZone("Asia/Kathmandu").nextTransition(after: Self.winter_s) == nil)
  }

  @Test("knows the rule of years that the zone file does not list")
  func farFuture() throws {
    // 2060-07-01 and 2060-12-01.
    let zone = try SystemZone("Europe/Zurich")
    #expect(zone.offset_s(at: 2_855_779_200) == 7200)
    #expect(zone.offset_s(at: 2_868_998_400) == 3600)
  }

  @Test("agrees with libc at any time of these years")
  func agreesWithLibc() throws {
    let zone = try SystemZone("America/Santiago")
    let before = getenv("TZ").map { String(cString: $0) }
    setenv("TZ", "America/Santiago", 1)
    tzset()
    var disagreements = 0
    // Every 7919 s for two years.
    for instant in stride(from: Self.winter_s, to: Self.winter_s + 2 * 365 * 86_400, by: 7919) {
      var seconds = time_t(instant)
      var parts = tm()
      localtime_r(&seconds, &parts)
      if parts.tm_gmtoff != zone.offset_s(at: instant) { disagreements += 1 }
    }
    if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
    tzset()
    #expect(disagreements == 0)
  }

  @Test("opens nothing but the zone's own file: a FIFO that TZ names holds nobody up")
  func opensNothingElse() async throws {
    let folder = QueueFolder()
    let fifo = folder.path + "/fifo"
    try #require(mkfifo(fifo, 0o644) == 0)
    let before = getenv("TZ").map { String(cString: $0) }
    setenv("TZ", ":" + fifo, 1)
    defer { if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") } }
    // Whoever waits in open(2) for a writer gets one, and is noticed.
    let watch = Task.detached {
      while !Task.isCancelled {
        let file = open(fifo, O_WRONLY | O_NONBLOCK)
        if file >= 0 {
          close(file)
          return true
        }
        usleep(1000)
      }
      return false
    }
    let zone = try SystemZone("Europe/Zurich")
    #expect(zone.offset_s(at: Self.summer_s) == 7200)
    #expect(throws: ZoneError.notAFile(.notAFile(path: fifo, kind: .pipe))) { try SystemZone() }
    watch.cancel()
    #expect(await watch.value == false)
    #expect(getenv("TZ").map { String(cString: $0) } == ":" + fifo)
  }

  @Test("an unknown name is an error that says what to write")
  func unknown() {
    do throws(ZoneError) {
      _ = try SystemZone("Nowhere/Bananas", directory: "/usr/share/zoneinfo", system: nil)
      Issue.record("accepted")
    } catch {
      #expect(
        error.description
          == "timezone \"Nowhere/Bananas\" is not in /usr/share/zoneinfo: write an IANA name such as "
          + "\"Europe/Zurich\" (timedatectl list-timezones); an old name such as \"US/Mountain\" needs tzdata-legacy"
      )
    }
  }

  @Test(
    "and that names the zone of the city that was meant",
    arguments: [
      ("Denver", "America/Denver"), ("America/Dever", "America/Denver"), ("Europe/Zuerich", "Europe/Zurich"),
      ("europe/berlin", "Europe/Berlin"), ("Asia/Kathmandou", "Asia/Kathmandu"), ("GMT+2", nil),
    ] as [(String, String?)])
  func meant(name: String, meant: String?) {
    let directory = "/usr/share/zoneinfo"
    let error = #expect(throws: ZoneError.self) { try SystemZone(name, directory: directory, system: nil) }
    #expect(error == .unknown(name: name, directory: directory, meant: meant))
    guard let meant else { return }
    #expect(error?.description == "timezone \"\(name)\" is not in \(directory); did you mean \"\(meant)\"?")
  }

  /// A tz database without the old names, as Debian's tzdata is since trixie.
  private func newNames(links: String) throws -> QueueFolder {
    let folder = QueueFolder()
    for name in ["America", "Europe", "Asia"] {
      try #require(symlink("/usr/share/zoneinfo/\(name)", "\(folder.path)/\(name)") == 0)
    }
    try links.write(toFile: folder.path + "/tzdata.zi", atomically: true, encoding: .utf8)
    return folder
  }

  @Test(
    "an old name that only tzdata-legacy has is found by the database's links",
    arguments: [("US/Mountain", -21_600), ("Japan", 32_400), ("Here/Kiev", 10_800)])
  func oldNames(name: String, summer_s: Int) throws {
    let folder = try newNames(
      links: "# version 2025b\nL America/Denver US/Mountain\nL Asia/Tokyo Japan\nL Europe/Kyiv Here/Kiev\n")
    let zone = try SystemZone(name, directory: folder.path, system: nil)
    #expect(zone.name == name && zone.offset_s(at: Self.summer_s) == summer_s)
    #expect(try SystemZone("", directory: folder.path, system: name).offset_s(at: Self.summer_s) == summer_s)
  }

  @Test(
    "a link to nowhere, out of the database, or to itself is no zone",
    arguments: ["Gone", "Out", "Self", "Not"])
  func badLinks(name: String) throws {
    let folder = try newNames(
      links: "L Nowhere/City Gone\nL ../../../etc/localtime Out\nL Self Self\nR Not 1 2 - Ja 1 0 0 -\n")
    #expect(throws: ZoneError.self) { try SystemZone(name, directory: folder.path, system: nil) }
  }

  @Test(
    "no way out of the directory",
    arguments: [
      "../zoneinfo/UTC", "/usr/share/zoneinfo/UTC", "Europe/../UTC", "Europe//Zurich", "Europe/", "./UTC",
      "Europe/Zürich", "UTC\n", ":UTC", " ", "right/Europe/Zurich",
    ])
  func tricks(name: String) {
    #expect(throws: ZoneError.malformedName(name)) { try SystemZone(name) }
  }

  @Test("a file that is no zone, and a directory, are errors", arguments: ["tzdata.zi", "Europe"])
  func notZones(name: String) {
    #expect(throws: ZoneError.self) { try SystemZone(name) }
  }

  @Test("the system's zone is the one that TZ names, or an error")
  func systemZone() throws {
    let directory = "/usr/share/zoneinfo"
    let tokyo = try SystemZone("", directory: directory, system: ":Asia/Tokyo")
    #expect(tokyo.name == "Asia/Tokyo" && tokyo.offset_s(at: Self.winter_s) == 32_400)
    let byPath = try SystemZone("", directory: directory, system: "/usr/share/zoneinfo/Asia/Tokyo")
    #expect(byPath.offset_s(at: Self.winter_s) == 32_400)
    let rule = try SystemZone("", directory: directory, system: "CET-1CEST,M3.5.0,M10.5.0/3")
    #expect(rule.offset_s(at: Self.summer_s) == 7200)
    #expect(try SystemZone("", directory: directory, system: "").offset_s(at: Self.summer_s) == 0)
    #expect(throws: ZoneError.self) { try SystemZone("", directory: directory, system: "Nowhere/City") }
    #expect(throws: ZoneError.self) { try SystemZone("", directory: directory, system: "Nowhere") }
    _ = try SystemZone("", directory: directory, system: nil)
  }

  @Test("sees zone data that was replaced")
  func replaced() throws {
    var template = Array("/tmp/godwit-zone-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    let file = "\(directory)/Here"
    defer {
      unlink(file)
      rmdir(directory)
    }
    try #require(symlink("/usr/share/zoneinfo/Europe/Zurich", file) == 0)
    let before = try SystemZone("Here", directory: directory, system: nil)
    try #require(unlink(file) == 0 && symlink("/usr/share/zoneinfo/Asia/Tokyo", file) == 0)
    let after = try SystemZone("Here", directory: directory, system: nil)
    #expect(before.offset_s(at: Self.winter_s) == 3600)
    #expect(after.offset_s(at: Self.winter_s) == 32_400)
  }
}
