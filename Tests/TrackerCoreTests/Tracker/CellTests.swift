import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("The modem's cell, in the whole tracker")
struct CellTests {
  /// Over an hour at one place, a quarter of an hour's drive, and another place.
  private func day(_ change: (inout Settings) -> Void = { _ in }) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(4000)
    drive.go(900, speed_mps: 15)
    drive.park(2000)
    let day = try TrackerTimeline(drive) {
      $0.motion.probeInterval_s = 600
      change(&$0)
    }
    cell(1, day)
    return day
  }

  private func cell(_ id: UInt64?, _ day: TrackerTimeline) {
    day.happen(.link([Modem(registration: .home, cell: id.map { .of(0xABC_DE00 + $0) })]))
  }

  private func cells(_ day: TrackerTimeline) -> Int? { day.tracker.status(at: day.now).motion.cells }
  private func probes(_ day: TrackerTimeline) -> Int { day.tracker.status(at: day.now).gps.probes.begun }
  private func changes(_ day: TrackerTimeline) -> [MotionChange] {
    day.records(.motionChange).compactMap { if case .motion(let change) = $0.content { change } else { nil } }
  }

  @Test("a new cell finds the departure at once, and the record says so")
  func told() throws {
    let day = try day()
    day.run(to: 3000)
    let before = probes(day)
    cell(2, day)
    day.run(to: 3060)
    #expect(probes(day) == before + 1 && cells(day) == 2)
    for id: UInt64 in [1, 2, 1, 2] { cell(id, day) }
    day.run(to: 3061)
    #expect(probes(day) == before + 1)
    day.run(to: 4020)
    #expect(day.tracker.trip == nil && !day.isPowered, "no probe has seen it leave")
    cell(3, day)
    day.run(to: 4100)
    let departure = try #require(changes(day).last)
    #expect(departure.cause == .cell && departure.leftAfter_ms != nil)
    #expect(day.tracker.trip != nil && cells(day) == nil)
    day.run(to: 6900)
    #expect(cells(day) == 1 && day.nothingIsLost())
  }

  @Test("which cells these are stands in the saved state alone")
  func secret() throws {
    let day = try day()
    for s in stride(from: 500.0, to: 6500, by: 500) {
      day.run(to: s)
      cell(UInt64(s), day)
    }
    day.run(to: 6800)
    let known = (day.disk.state["cells"]?["known"]?.array ?? []).compactMap(\.string)
    #expect(known.contains { $0.hasPrefix("228-1-7-abc") }, "\(known)")
    let told = day.log.joined() + "\(day.tracker.status(at: day.now))" + "\(day.disk.committed)\(day.orders)"
    for id in stride(from: 500, to: 6500, by: 500) {
      let number = 0xABC_DE00 + id
      #expect(!told.contains("\(number)") && !told.lowercased().contains(String(number, radix: 16)))
    }
  }

  @Test("a killed process knows the place's cells when it is back, and its settings may change meanwhile")
  func restart() throws {
    let day = try day()
    for id: UInt64 in 2...5 {
      day.run(to: Double(id) * 500)
      cell(id, day)
    }
    day.run(to: 3400)
    #expect(cells(day) == 5)
    day.kill()
    #expect(cells(day) == nil, "no modem has said anything yet")
    day.run(to: 3500)
    let before = probes(day)
    for id: UInt64 in [3, 5, 2] { cell(id, day) }
    day.run(to: 3501)
    #expect(cells(day) == 5 && probes(day) == before)
    try day.reload { $0.motion.probeIntervalMax_s = 900 }
    day.run(to: 3600)
    let after = probes(day)
    cell(4, day)
    day.run(to: 3601)
    #expect(cells(day) == 5 && probes(day) == after)
  }

  @Test("settings that no longer want it are in force at once, though nobody tells of modems any more")
  func unwantedMeanwhile() throws {
    let day = try day()
    day.run(to: 3000)
    #expect(cells(day) == 1 && day.tracker.journey.motion.known.cells.told_s != nil)
    try day.reload { $0.motion.cells = false }
    day.run(to: 3100)
    #expect(cells(day) == nil && day.tracker.journey.motion.known.cells.told_s == nil)
  }

  // Swift 6.0 crashes on closures in the place of the arguments.
  private static let withoutCells: [@Sendable (inout Settings) -> Void] = [
    { $0.motion.cells = false },
    { $0.motion.mode = .probeOnly },
    {
      $0.motion.mode = .wireOnly
      $0.ignition.line = "27"
    },
  ]

  @Test("where it is not wanted it is not used", arguments: withoutCells)
  func unwanted(change: @Sendable (inout Settings) -> Void) throws {
    let day = try day(change)
    day.run(to: 3000)
    let before = probes(day)
    for id: UInt64 in 2...9 { cell(id, day) }
    day.run(to: 3001)
    #expect(cells(day) == nil && probes(day) == before && (day.disk.state["cells"] ?? .null) == .null)
  }

  @Test("a modem that comes, goes, and says nothing does no harm")
  func noModem() throws {
    let day = try day()
    for s in stride(from: 100.0, to: 6800, by: 50) {
      day.run(to: s)
      switch Int(s) / 50 % 4 {
      case 0: day.happen(.link([]))
      case 1: cell(nil, day)
      case 2: day.happen(.link([Modem(), Modem(isOn: false)]))
      default: cell(1, day)
      }
    }
    #expect(changes(day).count { [.fixes, .probe, .cell].contains($0.cause) } == 1 && day.nothingIsLost())
  }
}
