import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Since when a warning lasts, and until when it lasted.
@Suite("Whether a warning is over")
struct WarningCourseTests {
  private func course(_ day: TrackerTimeline, _ name: WarningName) -> Warnings.Course? {
    day.tracker.warnings.entries[name]?.course
  }

  @Test("it lasts from the event that was reported on, until what it reported has ended; each time anew")
  func lasting() throws {
    let day = try TrackerTimeline(.parked)
    day.run(to: 10)
    day.happen(.undervoltage(true))
    let began_ms = day.now.boot_ms
    day.run(to: 70)
    #expect(course(day, .undervoltage) == .lasting(since_ms: began_ms))
    let shown = try #require(day.tracker.status(at: day.now).warnings.first { $0.name == "undervoltage" })
    #expect(shown.since_ms == shown.last_ms && shown.until_ms == nil)
    day.happen(.undervoltage(false))
    let ended_ms = day.now.boot_ms
    day.run(to: 200)
    #expect(course(day, .undervoltage) == .over(since_ms: began_ms, until_ms: ended_ms))
    let over = try #require(day.tracker.status(at: day.now).warnings.first { $0.name == "undervoltage" })
    #expect(over.until_ms == over.since_ms.map { $0 + ended_ms - began_ms })
    day.happen(.undervoltage(true))
    #expect(course(day, .undervoltage) == .lasting(since_ms: day.now.boot_ms))
    #expect(day.tracker.warnings.entries[.undervoltage]?.count == 2)
  }

  @Test(
    "one that lasts is in the log once an hour, with how often it came; other words, and its return, at once"
  )
  func logLines() {
    var warnings = Warnings()
    func come(_ text: String, at boot_ms: Int64) -> String? {
      warnings.count(.powerLine, at: boot_ms)
      defer { warnings.look(at: .powerLine, lasts: true, at: boot_ms) }
      return warnings.line(.powerLine, text, at: boot_ms)
    }
    #expect(come("no chip", at: 0) == "no chip")
    #expect((1...899).compactMap { come("no chip", at: $0 * 4000) } == [])
    #expect(come("no chip", at: 3_600_000) == "no chip (and 899 times more since this was last said)")
    #expect(come("no chip", at: 3_604_000) == nil)
    #expect(come("no line", at: 3_608_000) == "no line")
    #expect(come("no chip", at: 3_612_000) == nil)
    warnings.look(at: .powerLine, lasts: false, at: 3_616_000)
    #expect(come("no chip", at: 3_620_000) == "no chip")
    #expect(warnings.entries[.powerLine]?.count == 905)
  }

  @Test("what comes by turns, and with other numbers, is no news either: each once an hour")
  func logTurns() {
    var warnings = Warnings()
    func come(_ text: String, at boot_ms: Int64) -> String? {
      warnings.count(.gpsSilent, at: boot_ms)
      defer { warnings.look(at: .gpsSilent, lasts: true, at: boot_ms) }
      return warnings.line(.gpsSilent, text, at: boot_ms)
    }
    #expect(come("opened anew", at: 0) == "opened anew")
    #expect(come("off, again in 10 s", at: 30_000) == "off, again in 10 s")
    #expect(come("opened anew", at: 70_000) == nil && come("off, again in 20 s", at: 100_000) == nil)
    #expect(
      come("off, again in 600 s", at: 3_630_000)
        == "off, again in 600 s (and 1 time more since this was last said)")
    // Words that are always others are said each time, and do not fill the memory.
    let many = (0..<100).map { String(repeating: "x", count: $0 + 1) }
    #expect(many.allSatisfy { come($0, at: 3_640_000) == $0 })
  }

  @Test("another status of the server is news at once; other quantities are not")
  func logCodes() {
    var warnings = Warnings()
    func come(_ text: String, at boot_ms: Int64) -> Bool {
      warnings.count(.sync, at: boot_ms)
      defer { warnings.look(at: .sync, lasts: true, at: boot_ms) }
      return warnings.line(.sync, text, at: boot_ms) == text
    }
    #expect(come("sync failed: server_error 500; again in 30 s", at: 0))
    #expect(!come("sync failed: server_error 500; again in 120 s", at: 30_000))
    #expect(come("sync failed: server_error 504; again in 240 s", at: 150_000))
    #expect(!come("sync failed: server_error 500; again in 300 s", at: 390_000))
    #expect(come("sync failed: refused 404: no such path; again in 300 s", at: 690_000))
    // Addresses change by turns, and the times of a deadline always.
    #expect(come("sync failed: timeout: 192.0.2.4 port 443 after 300 ms; again in 300 s", at: 990_000))
    #expect(!come("sync failed: timeout: 192.0.2.17 port 8443 after 301 ms; again in 7 s", at: 1_290_000))
  }

  @Test("each reload that is refused is in the log, though it lasts")
  func logReloads() {
    var warnings = Warnings()
    for boot_ms in [0, 10, 20] as [Int64] {
      warnings.count(.settings, at: boot_ms)
      #expect(warnings.line(.settings, "refused", at: boot_ms) == "refused")
      warnings.look(at: .settings, lasts: true, at: boot_ms)
    }
  }

  @Test("what reports moments is in the log each time")
  func logMoments() {
    var warnings = Warnings()
    for boot_ms in [0, 10, 20] as [Int64] {
      warnings.count(.crashed, at: boot_ms)
      #expect(warnings.line(.crashed, "crashed", at: boot_ms) == "crashed")
      warnings.look(at: .crashed, lasts: false, at: boot_ms)
    }
  }

  @Test("what is reported again while it lasts began when it was reported first")
  func reportedAgain() throws {
    var drive = Drive()
    drive.go(1200, speed_mps: 12)
    let day = try TrackerTimeline(drive)
    day.run(to: 100)
    day.storageFails = true
    day.run(to: 400)
    let reported = try #require(day.tracker.warnings.entries[.storage])
    guard case .lasting(let since_ms) = reported.course else {
      Issue.record("\(reported)")
      return
    }
    #expect(reported.count > 1 && since_ms < reported.lastAt_ms)
    day.storageFails = false
    day.run(to: 600)
    guard case .over(since_ms, _)? = course(day, .storage) else {
      Issue.record("\(String(describing: course(day, .storage)))")
      return
    }
  }

  @Test("of a moment is what has no end: records dropped")
  func moment() throws {
    let day = try TrackerTimeline(.parked)
    day.run(to: 10)
    day.happen(.dropped(cause: "quota", records: 3))
    day.run(to: 60)
    #expect(course(day, .dropped) == .moment)
    let shown = day.tracker.status(at: day.now).warnings.first { $0.name == "records_dropped" }
    #expect(shown?.count == 3 && shown?.since_ms == nil && shown?.until_ms == nil)
  }

  @Test("a sync that fails lasts until one works")
  func sync() throws {
    var drive = Drive()
    drive.go(1200, speed_mps: 12)
    let day = try TrackerTimeline(drive)
    day.server = { batch, now_s in
      .of(now_s < 300 ? 503 : 200, sent: batch.map(\.sequence))
    }
    day.run(to: 299)
    // Tried again and again, with growing pauses, and said once.
    let failures = day.log.filter { $0.contains("sync failed: ") }
    #expect(failures.count == 1 && day.tracker.warnings.entries[.sync]?.count ?? 0 > 3, "\(failures)")
    guard case .lasting(let since_ms)? = course(day, .sync) else {
      Issue.record("\(String(describing: course(day, .sync)))")
      return
    }
    day.run(to: 1200)
    guard case .over(since_ms, let until_ms)? = course(day, .sync) else {
      Issue.record("\(String(describing: course(day, .sync)))")
      return
    }
    #expect(until_ms > since_ms)
  }

  @Test("a file that could not be used is over once other settings are in force")
  func reload() throws {
    let day = try TrackerTimeline(.parked)
    day.run(to: 10)
    day.happen(.settingsRefused("line 3"))
    let since_ms = day.now.boot_ms
    day.run(to: 70)
    #expect(course(day, .settings) == .lasting(since_ms: since_ms))
    try day.reload()
    #expect(course(day, .settings) == .over(since_ms: since_ms, until_ms: day.now.boot_ms))
  }
}
