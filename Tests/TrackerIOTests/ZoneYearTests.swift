import Glibc
import ScheduleOracle
import Testing
import TrackerBase

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
    let begun_ms = HostClock.now().boot_ms
    for (index, name) in names.enumerated() {
      let zone = try SystemZone(name)
      // The sample takes one year of each zone.
      for (turn, year) in Self.years.enumerated() where all || turn == index % Self.years.count {
        try compare(zone, year, seed: first * 100_000 + UInt64(index * 10 + turn), &counts)
      }
      if index % 10 == 9 || index == names.count - 1 {
        let passed_s = (HostClock.now().boot_ms - begun_ms) / 1000
        print("schedule oracle: \(index + 1) of \(names.count) zones, \(counts), \(passed_s) s")
        fflush(nil)
      }
    }
    #expect(counts.minutes > names.count * 500_000)
  }

  private func compare(_ zone: SystemZone, _ year: Int, seed: UInt64, _ counts: inout YearCounts) throws {
    let from = CivilTime(date: CivilDate(year: year, month: 1, day: 1)).seconds
    let to = CivilTime(date: CivilDate(year: year + 1, month: 1, day: 1)).seconds
    // Three days of history, for windows that began before.
    let table = wall(zone.name, from: from - 3 * 86_400, to: to)
    // Dates are drawn around a change of the clock, where the zone has one.
    let change = zone.nextTransition(after: from).flatMap { $0 < to ? $0 : nil }
    var random = RandomRules(seed: seed, around: change ?? from + 180 * 86_400)
    let rules = random.rules()
    let texts = rules.map(\.text)
    let expected = open(rules, in: table)
    let wrong = try YearCheck(
      schedule: Schedule(rules: texts), zone: zone, table: table, expected: expected, first: 3 * 2880
    ).wrongInstant(&counts)
    guard let wrong else { return }
    counts.wrong += 1
    Issue.record("\(zone.name) \(year) seed \(seed), \(texts): wrong at \(wrong)")
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
    // libc takes a microsecond for an answer. No two changes are so close that a quarter of an hour would hide both.
    let quarter_s: Int64 = 900
    var (known, until_s) = (0, from)
    return WallTable(from: from, to: to) { unix_s in
      if unix_s < until_s { return known }
      known = libcOffset_s(at: unix_s)
      if libcOffset_s(at: unix_s + quarter_s) == known { until_s = unix_s + quarter_s }
      return known
    }
  }

  func libcOffset_s(at unix_s: Int64) -> Int {
    var seconds = time_t(unix_s)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return parts.tm_gmtoff
  }

  /// Every name that the system's tz database has, links too, without its copies with leap seconds.
  func everyZone() -> [String] {
    let root = "/usr/share/zoneinfo"
    var names: [String] = []
    var folders = [""]
    while let folder = folders.popLast() {
      for name in fileNames(in: "\(root)/\(folder)") {
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
  /// Zone-years with a disagreement.
  var wrong = 0

  var description: String {
    "\(zoneYears) zone-years, \(minutes) minutes, \(changes) changes, next change asked \(asked) times, \(wrong) wrong"
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
      let unix_s = table.unix_s(of: index)
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
      let (last_s, next_s) = (table.unix_s(of: stops[turn - 1]), table.unix_s(of: stops[turn]))
      for asked_s in [last_s, (last_s + next_s) / 2, next_s - 1] {
        counts.asked += 1
        if schedule.nextChange(after: asked_s, in: zone) != next_s { return asked_s }
      }
    }
    // After the last change of the year nothing happens in it.
    counts.asked += 1
    let next_s = schedule.nextChange(after: table.unix_s(of: stops[stops.count - 1]), in: zone) ?? .max
    return next_s > table.unix_s(of: table.count - 1) ? nil : next_s
  }
}
