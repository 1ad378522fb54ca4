import Testing

@testable import TrackerBase
@testable import TrackerWire

@Suite("The status on one screen")
struct StatusScreenTests {
  private func screen(_ report: String, columns: Int = 80, rows: Int = 24) -> StatusScreen {
    StatusScreen(report: report, footer: "again every 2 s, Ctrl-C ends", columns: columns, rows: rows)
  }

  @Test(
    "never a line too long, never a row too many, whatever the size",
    arguments: [(80, 24), (200, 60), (40, 10), (20, 3), (1, 1)])
  func size(columns: Int, rows: Int) {
    let report = StatusReport.text(
      StatusDocument.json(StatusSamples.full, identity: StatusSamples.identity))
    let screen = screen(report, columns: columns, rows: rows)
    #expect(screen.lines.count <= max(rows, 3))
    #expect(screen.lines.allSatisfy { StatusScreen.width($0.text) <= max(columns, 20) })
    #expect(screen.lines.last?.text.hasPrefix("again every 2 s") == true)
  }

  @Test("a status of an ordinary day stands on 80 columns and 24 rows, whole, under its titles")
  func ordinary() {
    var status = StatusSamples.full
    (status.safeMode, status.intent, status.others, status.warnings) = (nil, nil, [], [])
    (status.commands, status.queue.idChanges, status.sleep) = (nil, 0, nil)
    status.update?.state = .good
    status.update?.reason = nil
    status.config = ConfigStatus()
    status.config?.desired = 9
    status.config?.inForce = 9
    status.geofences.setInside(["home"])
    status.queue.storage = .ok
    (status.queue.oldest_s, status.queue.quarantined, status.queue.ledger) = (30, 0, [:])
    status.queue.droppedFromMemory = 0
    (status.sync.failures, status.sync.problem) = (0, nil)
    (status.sync.budget, status.sync.roamingBudget) = (nil, nil)
    (status.sync.mqttVersion, status.sleep) = (.auto, nil)
    status.isExternalPowerThere = true
    let report = StatusReport.text(StatusDocument.json(status, identity: StatusSamples.identity))
    let screen = screen(report)
    let titles = screen.lines.map { String($0.text.prefix(StatusScreen.indent)).trimmed }.filter {
      !$0.isEmpty
    }
    #expect(
      titles.dropLast() == [
        "device", "clock", "state", "window", "battery", "gps", "today", "trip", "noticed", "signs",
        "geofences", "queue", "sync",
        "link", "traffic", "energy", "board", "from afar",
      ])
    #expect(!screen.lines.contains { $0.text.contains("more lines") })
    #expect(screen.lines.contains { $0.text.hasPrefix("             ") }, "what is long goes on below")
  }

  @Test("what has no room is counted, and what goes on wrong has its own tone")
  func cut() {
    let report = (1...9).map { "warning      w\($0): still, since then" }.joined(separator: "\n")
    let screen = screen(report, columns: 60, rows: 5)
    #expect(
      screen.lines.map(\.text) == [
        "warning      w1: still, since then", "warning      w2: still, since then",
        "warning      w3: still, since then", "… 6 more lines: godwit status", "again every 2 s, Ctrl-C ends",
      ])
    #expect(screen.lines.map(\.tone) == [.alarm, .alarm, .alarm, .faint, .faint])
  }

  @Test("what goes on wrong stands above what may be cut")
  func alarmsFirst() {
    let report =
      "device       a\nstate        b\ngps          c\nwarning      d: still, since e\nwarning      f: 1 time"
    #expect(
      screen(report, rows: 4).lines.map(\.text).prefix(3) == [
        "device       a", "state        b", "… 3 more lines: godwit status",
      ])
    #expect(
      screen(report, rows: 9).lines.map { $0.text.last } == ["a", "b", "e", "c", "e", "s"])
  }

  @Test("names cannot move the cursor, and wide letters count twice")
  func names() {
    let screen = screen(
      "device       a\u{1B}[2Jb\u{9B}c\u{202E} " + String(repeating: "車", count: 30), columns: 40)
    #expect(screen.lines[0].text == "device       a?[2Jb?c?")
    #expect(StatusScreen.width(screen.lines[1].text) == 39)
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
