import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// A board with a battery of its own, and the line that says whether the vehicle's is connected.
@Suite("External power by its line")
struct ExternalPowerTests {
  private func day(_ change: (inout Settings) -> Void = { _ in }) throws -> TrackerTimeline {
    let day = try TrackerTimeline(.parked) {
      $0.externalPower.chip = "c"
      $0.externalPower.line = "23"
      change(&$0)
    }
    day.run(to: 400)
    return day
  }

  private func news(_ day: TrackerTimeline) -> [Record.Content] {
    (day.records(.warning) + day.records(.status)).sorted { $0.sequence < $1.sequence }.map(\.content)
  }

  private func course(_ day: TrackerTimeline) -> (count: Int, isOver: Bool)? {
    let warning = day.tracker.status(at: day.now).warnings.first { $0.name == "power_lost" }
    return warning.map { ($0.count, $0.until_ms != nil) }
  }

  private func isThere(_ day: TrackerTimeline) -> Bool? {
    day.tracker.status(at: day.now).isExternalPowerThere
  }

  @Test("lost and back count after debounce_ms, are events, and are written at once")
  func lostAndBack() throws {
    let day = try day()
    #expect(isThere(day) == nil)
    day.happen(.externalPowerEdge(level: true))
    day.run(to: 401)
    #expect(isThere(day) == true && news(day).isEmpty)
    day.happen(.externalPowerEdge(level: false))
    day.run(to: 401.4)
    #expect(isThere(day) == true, "not yet quiet for 500 ms")
    let commits = day.disk.commits
    day.run(to: 401.5)
    #expect(day.disk.commits == commits + 1)
    #expect(day.disk.committed.last?.content == .warning(.powerLost(volts: nil)))
    #expect(isThere(day) == false)
    #expect(course(day).map { $0 == (1, false) } ?? false)
    day.happen(.externalPowerEdge(level: true))
    day.run(to: 450)
    #expect(isThere(day) == true)
    #expect(course(day).map { $0 == (1, true) } ?? false)
    #expect(news(day) == [.warning(.powerLost(volts: nil)), .status(.powerBack(volts: nil))])
    let lost = "401 the vehicle's supply is lost, by its line: is the cable cut, or the battery disconnected?"
    #expect(day.log.contains(lost))
    #expect(day.log.contains { $0.hasSuffix(" the vehicle's supply is back, by its line") })
  }

  @Test("a contact that bounces is one loss, and a storm is none but a warning")
  func bounces() throws {
    let day = try day()
    for edge in 0..<120 {
      day.happen(.externalPowerEdge(level: edge % 2 == 0))
      day.run(to: 400 + Double(edge + 1) * 0.1)
    }
    #expect(isThere(day) == nil && news(day).isEmpty)
    let status = day.tracker.status(at: day.now)
    #expect(status.warnings.first { $0.name == "line_bounces" }?.count == 1)
    #expect(status.lines?.bounces == 119 && status.lines?.storms == 1)
    day.run(to: 420)
    #expect(news(day) == [.warning(.powerLost(volts: nil))], "it has come to rest at the last level")
  }

  @Test("with both the line wins; the voltage decides once the line cannot be read, and until it can again")
  func both() throws {
    let day = try day {
      $0.battery.voltageFile = "/v"
      $0.battery.lostBelow_v = 4
    }
    day.happen(.batteryRead(volts: 0))
    #expect(isThere(day) == nil, "the line has not said anything yet")
    day.happen(.externalPowerEdge(level: true))
    day.run(to: 410)
    day.happen(.batteryRead(volts: 0))
    #expect(isThere(day) == true && news(day).isEmpty)
    day.happen(.lineFailed(.externalPower, "the chip is gone"))
    #expect(isThere(day) == false && news(day) == [.warning(.powerLost(volts: 0))])
    let warnings = day.tracker.status(at: day.now).warnings
    #expect(warnings.contains { $0.name == "input_line" && $0.until_ms == nil })
    #expect(day.log.contains("410 external power line: the chip is gone"))
    day.happen(.batteryRead(volts: 12))
    #expect(isThere(day) == true)
    day.happen(.batteryRead(volts: 0))
    day.happen(.externalPowerEdge(level: true))
    day.run(to: 420)
    #expect(isThere(day) == true)
    #expect(
      news(day) == [
        .warning(.powerLost(volts: 0)), .status(.powerBack(volts: 12)), .warning(.powerLost(volts: 0)),
        .status(.powerBack(volts: nil)),
      ])
  }

  @Test("without voltage a line that cannot be read is no lost supply, and a loss is not reported twice")
  func unknown() throws {
    let day = try day()
    day.happen(.externalPowerEdge(level: false))
    day.run(to: 402)
    day.happen(.lineFailed(.externalPower, "the chip is gone"))
    #expect(isThere(day) == nil)
    #expect(course(day).map { $0 == (1, true) } ?? false)
    day.happen(.externalPowerEdge(level: false))
    day.run(to: 404)
    #expect(course(day).map { $0 == (2, false) } ?? false)
    #expect(news(day) == [.warning(.powerLost(volts: nil))])
  }

  @Test("a restart or a reload in between keeps the return an event, and makes no second one of the loss")
  func restart() throws {
    let day = try day()
    day.happen(.externalPowerEdge(level: false))
    day.run(to: 402)
    try day.reload { $0.battery.settle_s = 300 }
    #expect(isThere(day) == false)
    day.kill()
    #expect(isThere(day) == nil)
    day.happen(.externalPowerEdge(level: false))
    day.run(to: 410)
    #expect(course(day).map { $0 == (1, false) } ?? false)
    day.kill()
    day.happen(.externalPowerEdge(level: true))
    day.run(to: 420)
    #expect(news(day) == [.warning(.powerLost(volts: nil)), .status(.powerBack(volts: nil))])
    day.kill()
    day.happen(.externalPowerEdge(level: true))
    day.run(to: 430)
    #expect(news(day).count == 2)
  }

  @Test("a reload that takes the line away ends what it said")
  func removed() throws {
    let day = try day()
    day.happen(.externalPowerEdge(level: false))
    day.run(to: 402)
    try day.reload { $0.externalPower.line = "" }
    #expect(isThere(day) == nil)
    day.run(to: 403)
    #expect(course(day).map { $0 == (1, true) } ?? false)
  }
}
