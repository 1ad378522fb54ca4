import Glibc
import Testing
import TrackerCore

@testable import TrackerIO

/// Whole years, minute by minute, against what libc shows on the wall.
extension ZoneTests {
  private static let rules = [
    "mon-fri 22:30-03:15", "sun 01:30-02:45", "sat 00:00-00:00", "cron 15 0-3 * * * for 50m",
  ]

  @Test("a schedule agrees with libc in every minute of 2026 (all zones with GODWIT_EVERY_ZONE=1)")
  func wholeYear() throws {
    var names = ["Europe/Zurich", "America/Santiago", "Australia/Lord_Howe"]
    if getenv("GODWIT_EVERY_ZONE") != nil { names = everyZone() }
    try #require(names.count >= 3)
    for name in names { #expect(try disagreements(in: name) == 0, "\(name)") }
  }

  /// Minutes of the year in which the schedule and the naive reading differ.
  private func disagreements(in name: String) throws -> Int {
    let from: Int64 = 1_767_225_600
    let to = from + 365 * 86_400
    let zone = try SystemZone(name)
    let windows = try Schedule(rules: Self.rules).windows(from: from, to: to, in: zone)
    let before = getenv("TZ").map { String(cString: $0) }
    setenv("TZ", name, 1)
    tzset()
    defer {
      if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
      tzset()
    }
    var wall = NaiveWall()
    // A day of history, for the cron starts.
    for instant in stride(from: from - 86_400, to: from, by: 60) { _ = wall.isOpen(at: instant) }
    var index = 0
    var wrong = 0
    for instant in stride(from: from, to: to, by: 60) {
      while index < windows.count, windows[index].end_s <= instant { index += 1 }
      let isOpen = index < windows.count && windows[index].start_s <= instant
      if isOpen != wall.isOpen(at: instant) { wrong += 1 }
    }
    return wrong
  }

  /// The names of the tz database's own list.
  private func everyZone() -> [String] {
    guard let file = fopen("/usr/share/zoneinfo/zone.tab", "r") else { return [] }
    defer { fclose(file) }
    var names: [String] = []
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, 512, file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let columns = text.split(separator: "\t")
      if !text.hasPrefix("#"), columns.count >= 3 { names.append(String(columns[2])) }
    }
    return names
  }
}

/// The rules of the test, read off the wall clock one minute at a time.
private struct NaiveWall {
  private var furthestMinute = Int64.min
  private var cronUntil = Int64.min

  mutating func isOpen(at instant: Int64) -> Bool {
    var seconds = time_t(instant)
    var parts = tm()
    localtime_r(&seconds, &parts)
    let shown = (instant + Int64(parts.tm_gmtoff)) / 60
    if furthestMinute == .min { furthestMinute = shown - 1 }
    while furthestMinute < shown {
      furthestMinute += 1
      let minute = furthestMinute % 1440
      if minute < 240, minute % 60 == 15 { cronUntil = instant + 3000 }
    }
    let minute = Int(parts.tm_hour * 60 + parts.tm_min)
    let weekday = Int(parts.tm_wday)
    let night = (1...5).contains(weekday) && minute >= 1350 || (2...6).contains(weekday) && minute < 195
    let sunday = weekday == 0 && minute >= 90 && minute < 165
    return night || sunday || weekday == 6 || instant < cronUntil
  }
}
