import Glibc
import ScheduleOracle
import Testing
import TrackerCore

@testable import TrackerIO

/// Whole years, minute by minute: random rules of all forms, against the naive reading of what libc shows on the
/// wall. `Tests/run --all-zones` takes every zone of the system.
extension ZoneTests {
  private static let sample = [
    "Europe/Zurich", "America/Santiago", "Australia/Lord_Howe", "Africa/Casablanca",
  ]
  /// With Samoa's lost day, the present, the last of the 32-bit years and one beyond the zone files' own lists.
  private static let years = [2011, 2026, 2037, 2040]

  @Test("open and next change agree with libc in every minute of the year (all zones: Tests/run --all-zones)")
  func wholeYear() throws {
    let all = getenv("GODWIT_EVERY_ZONE") != nil
    let names = all ? everyZone() : Self.sample
    let first = getenv("GODWIT_ZONE_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
    try #require(names.count >= Self.sample.count)
    var counts = YearCounts()
    for (index, name) in names.enumerated() {
      // The sample takes one year of each zone.
      for (turn, year) in Self.years.enumerated() where all || turn == index % Self.years.count {
        try compare(name, year, seed: first * 100_000 + UInt64(index * 10 + turn), &counts)
      }
    }
    print("schedule oracle: \(counts)")
    #expect(counts.minutes > names.count * 500_000)
  }

  private func compare(_ name: String, _ year: Int, seed: UInt64, _ counts: inout YearCounts) throws {
    let zone = try SystemZone(name)
    let from = CivilTime(date: CivilDate(year: year, month: 1, day: 1)).seconds
    let to = CivilTime(date: CivilDate(year: year + 1, month: 1, day: 1)).seconds
    // Three days of history, for windows that began before.
    let table = wall(name, from: from - 3 * 86_400, to: to)
    // Dates are drawn around a change of the clock, where the zone has one.
    let change = zone.nextTransition(after: from).flatMap { $0 < to ? $0 : nil }
    var random = RandomRules(seed: seed, around: change ?? from + 180 * 86_400)
    let rules = random.rules()
    let texts = rules.map(\.text)
    let expected = open(rules, in: table)
    let wrong = try YearCheck(
      schedule: Schedule(rules: texts), zone: zone, table: table, expected: expected, first: 3 * 2880
    ).wrongInstant(&counts)
    if let wrong { Issue.record("\(name) \(year) seed \(seed), \(texts): wrong at \(wrong)") }
  }

  /// What libc shows in the zone.
  private func wall(_ name: String, from: Int64, to: Int64) -> WallTable {
    let before = getenv("TZ").map { String(cString: $0) }
    setenv("TZ", name, 1)
    tzset()
    defer {
      if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
      tzset()
    }
    return WallTable(from: from, to: to) { unix_s in
      var seconds = time_t(unix_s)
      var parts = tm()
      localtime_r(&seconds, &parts)
      return parts.tm_gmtoff
    }
  }

  /// Every name that the system's tz database has, links too, without its copies with leap seconds.
  private func everyZone() -> [String] {
    let root = "/usr/share/zoneinfo"
    var names: [String] = []
    var folders = [""]
    while let folder = folders.popLast() {
      guard let entries = opendir("\(root)/\(folder)") else { continue }
      defer { closedir(entries) }
      while let entry = readdir(entries) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        var status = stat()
        guard !name.hasPrefix("."), stat("\(root)/\(folder)\(name)", &status) == 0 else { continue }
        if status.st_mode & S_IFMT != S_IFDIR {
          if (try? SystemZone(folder + name)) != nil { names.append(folder + name) }
        } else if !["posix", "right"].contains(name) {
          folders.append("\(folder)\(name)/")
        }
      }
    }
    return names.sorted()
  }
}

private struct YearCounts: CustomStringConvertible {
  var zoneYears = 0
  var minutes = 0
  var changes = 0
  var asked = 0

  var description: String {
    "\(zoneYears) zone-years, \(minutes) minutes, \(changes) changes, next change asked \(asked) times"
  }
}

/// One schedule in one zone and year.
private struct YearCheck {
  /// So many changes of a year are asked for at most: a rule of every minute has half a million.
  private static let mostChanges = 400

  var schedule: Schedule
  var zone: SystemZone
  var table: WallTable
  var expected: [Bool]
  /// Index of the year's first reading.
  var first: Int

  /// The first instant found at which the schedule is not what is expected.
  func wrongInstant(_ counts: inout YearCounts) -> Int64? {
    counts.zoneYears += 1
    for index in stride(from: first, to: expected.count, by: 2) {
      counts.minutes += 1
      let unix_s = table.readings[index].unix_s
      if schedule.isOpen(at: unix_s, in: zone) != expected[index] { return unix_s }
    }
    let changes = ((first + 1)..<expected.count).filter { expected[$0] != expected[$0 - 1] }
    counts.changes += changes.count
    return wrongChange(changes, &counts)
  }

  /// Asked at each change, or a sample of them, half-way to the next, and in the second before it.
  private func wrongChange(_ changes: [Int], _ counts: inout YearCounts) -> Int64? {
    let stops = [first] + changes
    for turn in stride(from: 1, to: stops.count, by: 1 + stops.count / Self.mostChanges) {
      let (last_s, next_s) = (table.readings[stops[turn - 1]].unix_s, table.readings[stops[turn]].unix_s)
      for asked_s in [last_s, (last_s + next_s) / 2, next_s - 1] {
        counts.asked += 1
        if schedule.nextChange(after: asked_s, in: zone) != next_s { return asked_s }
      }
    }
    // After the last change of the year nothing happens in it.
    guard let end = table.readings.last, let last = stops.last else { return nil }
    counts.asked += 1
    let next_s = schedule.nextChange(after: table.readings[last].unix_s, in: zone) ?? .max
    return next_s > end.unix_s ? nil : next_s
  }
}
