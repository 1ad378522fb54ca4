import ScheduleOracle
import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// The schedule against a naive reading of the same rules, instant by instant, around every clock change of
/// several zones and in ordinary weeks.
struct ScheduleOracleTests {
  /// Rule sets for each period; a period is four days, with three before it as history.
  private static let setsPerPeriod = 8
  private static let history_s: Int64 = 3 * 86_400
  private static let period_s: Int64 = 4 * 86_400

  @Test("agrees with a naive reading around every clock change", arguments: Zones.all.indices)
  func agreesAroundChanges(zoneIndex: Int) throws {
    let zone = Zones.all[zoneIndex].zone
    var starts = zone.transitions.map { $0.at_s - 2 * 86_400 }
    var generator = SeededRandom(UInt64(zoneIndex + 1))
    for _ in 0..<2 { starts.append(utc(2026, 1, 1) + 60 * Int64.random(in: 0...525_600, using: &generator)) }
    for (index, start) in starts.enumerated() {
      try compare(zone, from: start, seed: UInt64(zoneIndex * 100 + index))
    }
  }

  private func compare(_ zone: TransitionZone, from from_s: Int64, seed: UInt64) throws {
    let to_s = from_s + Self.period_s
    let table = WallTable(from: from_s - Self.history_s, to: to_s) { zone.offset_s(at: $0) }
    var random = RandomRules(seed: seed, around: from_s + Self.period_s / 2)
    for _ in 0..<Self.setsPerPeriod {
      let rules = random.rules()
      let texts = rules.map(\.text)
      let expected = open(rules, in: table)
      let schedule = try Schedule(rules: texts)
      let firstIndex = Int(Self.history_s / WallTable.step_s)
      checkOpen(schedule, texts, table, expected, from: firstIndex, zone)
      checkChanges(schedule, texts, table, expected, from: firstIndex, zone)
    }
  }

  private func checkOpen(
    _ schedule: Schedule, _ texts: [String], _ table: WallTable, _ expected: [Bool], from firstIndex: Int,
    _ zone: TransitionZone
  ) {
    // Every fifth reading: the instants around each change are asked by `checkChanges`.
    for index in stride(from: firstIndex, to: expected.count, by: 5) {
      let unix_s = table.unix_s(of: index)
      if schedule.isOpen(at: unix_s, in: zone) != expected[index] {
        Issue.record("\(texts) at \(unix_s): expected \(expected[index] ? "open" : "closed")")
        return
      }
    }
  }

  /// From each change, and from the second before the next, to the next; a sample of them if there are many.
  private func checkChanges(
    _ schedule: Schedule, _ texts: [String], _ table: WallTable, _ expected: [Bool], from firstIndex: Int,
    _ zone: TransitionZone
  ) {
    var changes = ((firstIndex + 1)..<expected.count).filter { expected[$0] != expected[$0 - 1] }
      .map { table.unix_s(of: $0) }
    changes.insert(table.unix_s(of: firstIndex), at: 0)
    for index in stride(from: 1, to: changes.count, by: 1 + changes.count / 60) {
      for asked in [changes[index - 1], changes[index] - 1] {
        let answer = schedule.nextChange(after: asked, in: zone)
        if answer != changes[index] {
          Issue.record("\(texts): change after \(asked) expected at \(changes[index]), not \(answer ?? -1)")
          return
        }
      }
    }
    let asked = changes[changes.count - 1]
    if let answer = schedule.nextChange(after: asked, in: zone) {
      #expect(answer > table.unix_s(of: table.count - 1), "\(texts): change after \(asked)")
      #expect(schedule.isOpen(at: answer, in: zone) != schedule.isOpen(at: answer - 1, in: zone), "\(texts)")
    }
  }
}
