import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Commands of the server")
struct CommandTests {

  @Test("each is noted, done once however often it is offered, and its result goes with a status at once")
  func once() throws {
    let day = try TrackerTimeline.driving()
    day.run(to: 600)
    let track = IntentWish.track(length_ms: 600_000)
    day.serverSays(
      .of(
        ("a", .sync), ("b", .report(lines: 7)), ("c", .retryQuarantine), ("d", .intent(track)), ("e", .status)
      ))
    day.happen(.syncAsked)
    day.run(to: 1200)
    #expect(day.commandDeeds.filter { $0 == "report of 7" }.count == 1)
    #expect(day.commandDeeds.filter { $0 == "retry" }.count == 1)
    #expect(day.commandDeeds.first == "noted")
    #expect(day.records(.status).filter { $0.content == .status(.intent(.track, left_s: 600)) }.count == 1)
    #expect(day.results == ["a done", "b done", "c done: 2 records", "d done", "e done"])
    let status = try #require(day.tracker.status(at: day.now).commands)
    #expect(status.done == 5 && status.repeated > 0 && status.passedOver == 0)
    // The lines have arrived, and are not sent again.
    #expect(status.results.allSatisfy { $0.report.isEmpty })
    let asked_s = try #require(day.requests.first { $0.s >= 600 }).s
    #expect(day.requests.contains { $0.withStatus && $0.s > asked_s && $0.s < asked_s + 5 })
    #expect(day.nothingIsLost())
  }

  @Test("a pause is noted before it is obeyed, and after a kill it is neither lost nor done again")
  func pause() throws {
    let day = try TrackerTimeline.driving()
    day.run(to: 600)
    day.command(.of(("p", .intent(.pause(length_ms: nil)))))
    #expect(!day.isPowered && day.results == ["p done"])
    day.happen(.intentAsked(.resume))
    day.kill()
    day.run(to: day.now_s + 700)
    #expect(day.isPowered && day.tracker.status(at: day.now).intent == nil)
    #expect(day.results == ["p done"])
  }

  @Test("killed between the note and the deed: it is said, and not done")
  func killedBetween() {
    var inbox = CommandInbox()
    let offers = CommandOffers.of(
      ("p", .intent(.pause(length_ms: nil))), ("r", .restart), ("q", .retryQuarantine))
    #expect(inbox.offered(offers, trusted_ms: nil, time_ms: epoch_ms, at: 0).areKnown)
    let next = CommandInbox(inbox.takeSaved(), time_ms: epoch_ms + 1000, at: 0)
    let words = "the agent ended before it was done, or before it could say so"
    #expect(next.results.map(\.result) == [.failed, .done, .failed])
    #expect(next.results.map(\.why) == [words, "", words])
    // Before the note it is unknown, and begun by the next process that it is offered to.
    var fresh = CommandInbox()
    #expect(fresh.offered(offers, trusted_ms: nil, time_ms: epoch_ms, at: 0).areKnown)
    #expect(fresh.noted(problem: nil, time_ms: epoch_ms).begun.map(\.id) == ["p", "r", "q"])
  }

  @Test("a restart ends the process in order, once")
  func restart() throws {
    let day = try TrackerTimeline.driving()
    day.run(to: 600)
    day.serverSays(.of(("r", .restart), ("s", .report(lines: 1))))
    day.happen(.syncAsked)
    while !day.hasExited, day.now_s < 1200 { day.run(to: day.now_s + 1) }
    #expect(day.hasExited && !day.isPowered)
    #expect(day.noted("r") == "running")
    day.kill()
    day.run(to: day.now_s + 900)
    #expect(!day.hasExited && day.isPowered)
    #expect(day.results.contains("r done"))
    #expect(day.tracker.status(at: day.now).warnings.allSatisfy { $0.name != "crashed" })
    #expect(day.nothingIsLost())
  }

  @Test("the doctor's record has no place; none is made where one waits that does as well")
  func testRecord() throws {
    let day = try TrackerTimeline.driving()
    day.run(to: 600)
    day.server = { _, _ in .of(503) }
    day.run(to: 900)
    #expect(!day.tracker.makesTestRecord)
    day.happen(.command(.testAsked))
    #expect(day.records(.status).allSatisfy { $0.content != .status(.tested) })
    day.server = { batch, _ in .of(200, sent: batch.map { $0.sequence }) }
    day.run(to: 2400)
    while !day.tracker.makesTestRecord, day.now_s < 4000 { day.run(to: day.now_s + 1) }
    day.happen(.command(.testAsked))
    day.run(to: day.now_s + 5)
    let tests = day.records(.status).filter { $0.content == .status(.tested) }
    #expect(tests.count == 1 && tests.allSatisfy { $0.fix == nil && $0.timeSource != .gps })
    #expect(day.nothingIsLost())
  }

  @Test("a restart waits for what was begun before it, and until the server has the lines of a report")
  func restartWaits() throws {
    let day = try TrackerTimeline.driving()
    day.run(to: 600)
    day.serverSays(.of(("b", .report(lines: 3)), ("q", .retryQuarantine), ("r", .restart)))
    day.happen(.syncAsked)
    while !day.hasExited, day.now_s < 1200 { day.run(to: day.now_s + 1) }
    #expect(day.hasExited && day.now_s < 610)
    #expect(["b", "q", "r"].map { day.noted($0) } == ["done", "done", "running"])
    day.kill()
    day.run(to: day.now_s + 900)
    #expect(day.results.starts(with: ["b done", "q done: 2 records", "r done"]), "\(day.results)")
  }

  @Test("a restart waits a minute at most, and what is under way then has failed")
  func restartIsBounded() throws {
    let day = try TrackerTimeline.driving(parked: true)
    day.run(to: 600)
    day.source = { _ in GPSReport(mode: 1) }
    day.serverSays(.of(("l", .locate(timeout_ms: 600_000)), ("r", .restart)))
    day.happen(.syncAsked)
    while !day.hasExited, day.now_s < 1200 { day.run(to: day.now_s + 1) }
    #expect(day.hasExited && (655...665).contains(day.now_s), "\(day.now_s)")
    day.kill()
    day.run(to: day.now_s + 900)
    let words = "l failed: the agent ended before it was done, or before it could say so"
    #expect(day.results.starts(with: [words, "r done"]), "\(day.results)")
  }

  @Test("what cannot be noted is not done, unless doing it twice would harm nobody")
  func notNoted() throws {
    let day = try TrackerTimeline.driving()
    day.run(to: 600)
    day.storageFails = true
    day.storageStillReads = true
    day.command(.of(("p", .intent(.pause(length_ms: nil))), ("r", .restart), ("b", .report(lines: 3))))
    #expect(day.isPowered && !day.hasExited)
    #expect(day.commandDeeds.contains("report of 3"))
    let words = "failed: it cannot be noted, so it is not done, lest it be done twice: disk full"
    #expect(day.results == ["p \(words)", "r \(words)", "b done"])
  }

  // MARK: What is not done

  @Test("a reply that is not the server's brings none")
  func notOurs() throws {
    for (reply, isTaken) in [
      (UploadReply.of(200), true), (.of(500), false), (.of(200, type: "text/html"), false),
      (.of(200, isPlainHTTP: true), false), (.of(200, echoed: [1], isPlainHTTP: true), true),
      (.of(200, sent: [], echoed: [], isPlainHTTP: true), true),
      (.of(200, sent: [], isPlainHTTP: true), false), (.of(200, echoed: [], isPlainHTTP: true), false),
      (.of(200, sent: [], echoed: []), true),
      (.of(200, echoed: []), false),
    ] {
      #expect(reply.maySteer(by: .auto) == isTaken, "\(reply)")
    }
    #expect(!UploadReply.of(200).maySteer(by: .strict))
    var brought = UploadReply.of(503)
    brought.bringsDocuments = true
    #expect(brought.maySteer(by: .auto))

    for change: @Sendable (inout Settings) -> Void in [
      { $0.sync.commands = false }, { $0.sync.ack = .strict },
    ] {
      let day = try TrackerTimeline.driving(change)
      day.run(to: 600)
      day.command(.of(("p", .intent(.pause(length_ms: nil)))))
      #expect(day.isPowered && day.results == [])
      #expect(try #require(day.tracker.status(at: day.now).commands).passedOver > 0)
    }
  }

  @Test(
    "over plain http only one that names our records, whatever sync.ack says",
    arguments: SyncSettings.Acknowledgement.allCases, [true, false])
  func plainHTTP(rule: SyncSettings.Acknowledgement, names: Bool) throws {
    let day = try TrackerTimeline.driving { $0.sync.ack = rule }
    day.run(to: 600)
    day.serverSays(.of(("p", .intent(.pause(length_ms: nil)))), isPlainHTTP: true, names: names)
    day.run(to: day.now_s + 4000)
    #expect(day.results == (names ? ["p done"] : []))
    #expect(names || day.tracker.status(at: day.now).commands?.passedOver ?? 0 > 0)
  }

  @Test("a report for which the server has no room is halved and then given up, and does not come each hour")
  func reportTooLarge() throws {
    for (room, sizes) in [(25, [50, 25]), (0, [50, 25])] {
      let day = try TrackerTimeline.driving()
      day.run(to: 600)
      var seen: [Int] = []
      day.server = { [unowned day] batch, _ in
        let results = day.tracker.status(at: day.now).commands?.results ?? []
        let lines = results.map(\.report.count).max() ?? 0
        let isSent = day.requests.last?.withStatus == true && lines > 0
        if isSent { seen.append(lines) }
        var reply = UploadReply.of(isSent && lines > room ? 413 : 200, sent: batch.map(\.sequence))
        reply.commands = .of(("r", .report(lines: 50)))
        return reply
      }
      day.happen(.syncAsked)
      day.run(to: 600 + 300)
      #expect(seen == sizes)
      let words =
        room > 0
        ? "done: the newest 25 lines: with more the status is too large for the server (413)"
        : "failed: with the lines the status is too large for the server (413)"
      #expect(day.results == ["r \(words)"])
      // The server has it: nothing is owed.
      #expect(!day.tracker.commands.hasUnreported)
      day.run(to: 20_000)
      #expect(seen == sizes && day.nothingIsLost())
    }
  }

  @Test("one that comes too late expires; while the time is not known, nobody can say")
  func expired() throws {
    let day = try TrackerTimeline.driving()
    day.run(to: 600)
    day.command(.of(("p", .intent(.pause(length_ms: nil))), expires_ms: epoch_ms + 600_000))
    #expect(day.isPowered && day.results == ["p expired: it came too late"])

    let clockless = try TrackerTimeline.driving(isSynchronised: false) { $0.clock.whenUnknown = .open }
    clockless.source = { _ in GPSReport(mode: 1) }
    clockless.run(to: 600)
    clockless.command(.of(("p", .intent(.pause(length_ms: nil))), expires_ms: epoch_ms + 86_400_000))
    #expect(clockless.results == [])
    #expect(try #require(clockless.tracker.status(at: clockless.now).commands).passedOver > 0)
  }

  @Test("what a broker brings counts whatever became of the records, and is confirmed once it is noted")
  func broker() throws {
    let day = try TrackerTimeline.driving()
    day.run(to: 600)
    day.server = { batch, _ in
      var reply = UploadReply.of(503, sent: batch.map(\.sequence))
      (reply.commands, reply.bringsDocuments) = (.of(("b", .report(lines: 3))), true)
      return reply
    }
    day.storageFails = true
    day.storageStillReads = true
    day.happen(.hostProblem(.runFolder("words")))
    while day.commandDeeds.isEmpty, day.now_s < 9000 { day.run(to: day.now_s + 1) }
    // Not noted: the broker keeps it.
    #expect(day.commandDeeds == ["report of 3"])
    day.storageFails = false
    day.run(to: day.now_s + 2000)
    #expect(day.commandDeeds.dropFirst().first == "noted" && day.commandDeeds.contains("confirmed"))
    #expect(day.commandDeeds.filter { $0 == "report of 3" }.count == 1)
  }

  @Test("64 within an hour are enough; later ones are taken when they come again")
  func flood() throws {
    var inbox = CommandInbox()
    for number in 0..<100 {
      let isKnown = inbox.offered(
        .of(("c\(number)", .sync)), trusted_ms: nil, time_ms: 0, at: Int64(number))
      #expect(isKnown.areKnown == (number < 64))
      for (id, _) in inbox.noted(problem: nil, time_ms: 0).begun { _ = inbox.end(id, .done, time_ms: 0) }
    }
    #expect(inbox.figures.passedOver == 36 && inbox.entries.count == 64)
    #expect(inbox.offered(.of(("c99", .sync)), trusted_ms: nil, time_ms: 0, at: 3_600_000).areKnown)
    #expect(inbox.entries.count == 64 && inbox.entries.first?.id == "c1")
  }

  @Test("a process that is started again goes on counting; four restarts within an hour are enough")
  func floodOfRestarts() {
    var (saved, taken): (JSONValue?, Int) = (nil, 0)
    // Each life takes one restart and, as long as it may, nine others, a minute apart.
    for life in 0..<8 {
      let time_ms = epoch_ms + Int64(life) * 60_000
      var inbox = CommandInbox(saved, time_ms: time_ms, at: 0)
      let others = (0..<9).map { ("c\(life)-\($0)", Command.sync) }
      for (id, command) in [("r\(life)", Command.restart)] + others {
        _ = inbox.offered(.of((id, command)), trusted_ms: nil, time_ms: time_ms, at: 0)
      }
      let begun = inbox.noted(problem: nil, time_ms: time_ms).begun
      #expect(begun.contains { $0.command == .restart } == (life < 4), "life \(life)")
      taken += begun.count
      for (id, _) in begun { _ = inbox.end(id, .done, time_ms: time_ms) }
      saved = inbox.saved
    }
    // Three restarts that were refused are among the first 64.
    #expect(taken == 64 - 3)
    var later = CommandInbox(saved, time_ms: epoch_ms + 3_660_000, at: 0)
    #expect(later.offered(.of(("r", .restart)), trusted_ms: nil, time_ms: epoch_ms, at: 0).areKnown)
    // A clock that has gone back makes nobody forget.
    var back = CommandInbox(saved, time_ms: 0, at: 0)
    #expect(!back.offered(.of(("r", .restart)), trusted_ms: nil, time_ms: 0, at: 0).areKnown)
  }

  // MARK: Saved

  @Test("what is saved is read again; what is not ours is said, and harms nothing")
  func saved() {
    var inbox = CommandInbox()
    _ = inbox.offered(.of(("a", .sync), ("b:2", .restart)), trusted_ms: nil, time_ms: 5, at: 0)
    inbox.end("a", .failed, "two\nwords", time_ms: 6)
    func entry(_ pairs: KeyValuePairs<String, JSONValue>) -> JSONValue {
      .object(pairs.map { JSONMember(key: $0.key, value: $0.value) })
    }
    let failed = entry([
      "id": .string("a"), "name": .string("sync"), "outcome": .string("failed"), "at_ms": .integer(6),
      "words": .string("two words"),
    ])
    let running = entry([
      "id": .string("b:2"), "name": .string("restart"), "outcome": .string("running"), "at_ms": .integer(5),
    ])
    #expect(inbox.saved == .array([failed, running]))
    let read = CommandInbox(inbox.saved, time_ms: 9, at: 0)
    #expect(read.results.map(\.result) == [.failed, .done] && !read.isUnreadable)
    #expect(CommandInbox(nil, time_ms: 0, at: 0).isUnreadable == false)
    let odd =
      [
        .string("x"), entry([:]),
        entry(["id": .string("c"), "outcome": .string("done"), "at_ms": .string("x")]), failed,
        entry(["id": .string("c d"), "outcome": .string("done")]), entry(["id": .string("c")]),
        entry(["id": .string("c"), "outcome": .string("flown")]),
        entry(["id": .string("c"), "outcome": .string("done"), "more": .null]),
      ] as [JSONValue]
    for value in odd {
      let read = CommandInbox(.array([failed, value, running]), time_ms: 9, at: 0)
      #expect(read.isUnreadable && read.entries.map(\.id) == ["a", "b:2"], "\(value)")
    }
    #expect(CommandInbox(.string("x"), time_ms: 0, at: 0).isUnreadable)
  }
}
