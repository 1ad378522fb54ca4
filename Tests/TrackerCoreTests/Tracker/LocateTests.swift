import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("One good fix for whoever asks")
struct LocateTests {
  @Test("locate wakes the GPS of a parked vehicle for one fix, which goes at once as a record")
  func locateParked() throws {
    let day = try TrackerTimeline.driving(parked: true)
    day.run(to: 3000)
    #expect(!day.isPowered)
    day.serverSays(.of(("l", .locate(timeout_ms: 300_000))))
    day.happen(.hostProblem(.runFolder("words")))
    while day.results.isEmpty, day.now_s < 7000 { day.run(to: day.now_s + 1) }
    #expect(day.isPowered && day.results == ["l running"])
    let before = day.gpsOn_s
    while day.results == ["l running"], day.now_s < 7000 { day.run(to: day.now_s + 0.5) }
    #expect(day.results == ["l done"] && !day.isPowered)
    #expect(day.gpsOn_s - before < 60)
    day.run(to: day.now_s + 10)
    let found = day.received.values.filter { $0.content == .status(.located(command: "l")) }
    #expect(found.count == 1 && found.first?.fix != nil)
    #expect(day.nothingIsLost())
  }

  @Test("outside windows only where the settings allow it, and never during a pause")
  func locateOutside() throws {
    for isAllowed in [false, true] {
      let day = try TrackerTimeline.driving(rules: ["2025-06-02 06:00-06:10"]) {
        $0.gps.locateOutsideWindows = isAllowed
      }
      day.run(to: 1500)
      #expect(!day.isPowered)
      let on_s = day.gpsOn_s
      day.command(.of(("l", .locate(timeout_ms: 300_000))))
      #expect(
        day.results == [
          isAllowed
            ? "l done" : "l refused: no window is open, and gps.locate_outside_windows is false"
        ])
      #expect(!day.isPowered && (day.gpsOn_s > on_s) == isAllowed)
      #expect(day.records(.status).contains { $0.content == .status(.located(command: "l")) } == isAllowed)
      // No track was made of it.
      #expect(day.disk.committed.filter { $0.kind == .position }.allSatisfy { ($0.fix?.at_s ?? 0) <= 600 })
      day.happen(.intentAsked(.pause(length_ms: nil)))
      day.command(.of(("m", .locate(timeout_ms: 300_000))))
      #expect(day.results.last == "m refused: an operator's pause is in force")
    }
  }

  @Test("without a sky it ends in time, and a pause ends it too")
  func noFix() throws {
    let day = try TrackerTimeline.driving(parked: true)
    day.run(to: 3000)
    day.source = { _ in GPSReport(mode: 1) }
    day.command(.of(("l", .locate(timeout_ms: 60_000))))
    #expect(day.results == ["l failed: no fix within 60 s: no satellite is heard"] && !day.isPowered)
    day.happen(.command(.locateAsked(request: 7, timeout_ms: 100_000)))
    #expect(day.isPowered)
    day.happen(.intentAsked(.pause(length_ms: nil)))
    #expect(!day.isPowered)
    #expect(day.commandDeeds.last == "answer 7: an operator's pause is in force")
  }

  @Test("what keeps the GPS from a fix is in the result", arguments: [true, false])
  func noFixBecause(gpsdIsGone: Bool) throws {
    let day = try TrackerTimeline.driving(parked: true)
    day.run(to: 3000)
    if gpsdIsGone { day.gpsdIsGone = true } else { day.onTheWay = { _, _ in [] } }
    day.command(.of(("l", .locate(timeout_ms: 300_000))))
    #expect(
      day.results == [
        "l failed: no fix within 300 s: " + (gpsdIsGone ? "gpsd cannot be reached" : "the GPS sends nothing")
      ])
  }

  @Test(
    "while the time is learned the GPS is on, and a fix is one; while that rests, the result says so",
    arguments: [true, false])
  func locateWithoutTime(isTold: Bool) throws {
    let day = try TrackerTimeline.driving(rules: ["2025-06-02 06:00-20:00"], isSynchronised: false)
    day.source = { _ in GPSReport(mode: 1) }
    day.run(to: 200)
    if isTold { day.source = nil }
    #expect(day.tracker.status(at: day.now).noTrackCause == .learningTime && day.isPowered)
    day.command(.of(("l", .locate(timeout_ms: 300_000))))
    let refusal =
      "refused: the time is not known, so no window is open, and gps.locate_outside_windows is false"
    #expect(day.results == ["l " + (isTold ? "done" : refusal)])
  }

  @Test("at the box the same fix is the answer, and no record")
  func locateAtTheBox() throws {
    let day = try TrackerTimeline.driving(parked: true)
    day.run(to: 3000)
    let records = day.disk.committed.count
    day.happen(.command(.locateAsked(request: 3, timeout_ms: 100_000)))
    #expect(day.isPowered)
    while day.commandDeeds.isEmpty, day.now_s < 3300 { day.run(to: day.now_s + 0.5) }
    #expect(day.commandDeeds == ["answer 3: a fix"])
    #expect(day.disk.committed.count == records && !day.isPowered)
  }
}
