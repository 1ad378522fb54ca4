import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// The server's settings in a whole tracker: trip and GPS go on, and a trial is a request at once.
@Suite("The server's settings in a running agent")
struct OverlayTrackerTests {
  /// Offers one from a second of the timeline on. The bound of the track is its version.
  private func day(
    offers version: Int64 = 25, from s: Double = 600, ack: SyncSettings.Acknowledgement = .auto,
    format: SyncSettings.Format = .geomony, _ change: @escaping (inout UploadReply) -> Void = { _ in },
    settings: (inout SyncSettings) -> Void = { _ in }
  ) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(200)
    drive.go(1000, speed_mps: 12)
    drive.park(2000)
    let day = try TrackerTimeline(drive) {
      $0.motion.gpsOffWhenParked = false
      ($0.sync.ack, $0.sync.format) = (ack, format)
      settings(&$0.sync)
    }
    let file = day.settings
    day.overlaid = { overlay in
      var settings = file
      if let overlay { settings.track.maxError_m = Double(overlay.version) }
      return settings
    }
    day.server = { batch, now_s in
      var answer = UploadReply.of(200, sent: batch.map { $0.sequence })
      if now_s >= s { answer.config = .overlay(Overlay(version: version)) }
      change(&answer)
      return answer
    }
    return day
  }

  private func config(_ day: TrackerTimeline) -> ConfigStatus? { day.tracker.status(at: day.now).config }

  @Test("are in force and kept with the next request, which goes at once; trip, power and records go on")
  func kept() throws {
    let day = try day()
    day.run(to: 599)
    let (trip, requests) = (day.tracker.trip?.id, day.requests.count)
    #expect(config(day) == nil)
    day.run(to: 1100)
    #expect(day.settings.track.maxError_m == 25)
    #expect(day.disk.overlay.kept == Overlay(version: 25) && day.disk.overlay.trial == nil)
    #expect(config(day)?.inForce == 25 && config(day)?.desired == 25 && config(day)?.trialLeft_s == nil)
    #expect(day.tracker.trip?.id == trip && day.powerOns == 1)
    let offered = try #require(day.requests.dropFirst(requests).first?.s)
    let next = try #require(day.requests.first { $0.s > offered })
    #expect(next.s - offered <= 2 && next.withStatus)
    day.run(to: 4000)
    #expect(day.trips.count == 1 && day.nothingIsLost())
  }

  @Test("are rolled back when the server is silent from then on, and the agent says so when it is back")
  func rolledBack() throws {
    var isOffered = false
    let day = try day { reply in
      if isOffered, reply.config != nil { reply.status = 503 }
      isOffered = isOffered || reply.config != nil
    }
    day.run(to: 1100)
    #expect(day.settings.track.maxError_m == 25)
    #expect(config(day)?.trialLeft_s != nil && config(day)?.trialUntil_ms != nil)
    day.run(to: 1600)
    #expect(day.settings.track.maxError_m == 10)
    #expect(
      config(day)?.refused == 25
        && config(day)?.refusedBecause == "trial failed: no sync succeeded within 600 s")
    #expect(config(day)?.inForce == nil)
    #expect(day.tracker.status(at: day.now).warnings.contains { $0.name == "config_refused" })
    #expect(day.nothingIsLost())
  }

  @Test(
    "whose own reply uses up the budget stay on trial until a sync is allowed, and are kept",
    arguments: [true, false])
  func budget(isRoaming: Bool) throws {
    var isOffered = false
    let day = try day(from: 1200) { reply in
      (reply.bytesUp, reply.bytesDown) = (100, reply.config != nil && !isOffered ? 100_000 : 100)
      isOffered = isOffered || reply.config != nil
    } settings: {
      if isRoaming { $0.roaming.budgetDay_kb = 100 } else { $0.budgetDay_kb = 100 }
    }
    if isRoaming { day.happen(.link([Modem(registration: .roaming)])) }
    day.run(to: 4000)
    #expect(day.settings.track.maxError_m == 25 && day.disk.overlay.trial?.overlay.version == 25)
    #expect(config(day)?.trialWaitsFor == "the byte budget" && config(day)?.trialUntil_ms == nil)
    #expect(config(day)?.trialLeft_s ?? 0 > 590)
    let requests = day.requests.filter { $0.s > 1300 }
    #expect(requests.isEmpty)
    // A new day, in UTC.
    day.run(to: 65_500)
    #expect(day.disk.overlay.kept == Overlay(version: 25) && day.disk.overlay.trial == nil)
    #expect(config(day)?.inForce == 25 && config(day)?.refused == nil && config(day)?.trialLeft_s == nil)
  }

  @Test("a reply that does not acknowledge steers nothing", arguments: [202, 404, 503])
  func notOurs(status: Int) throws {
    let day = try day { reply in
      reply.status = status
      if status == 202 { reply.contentType = "text/html" }
    }
    day.run(to: 1600)
    #expect(day.disk.overlay == OverlayState())
    #expect(config(day)?.ignored ?? 0 > 0)
  }

  @Test("over plain http only one that names our records, whatever sync.ack says", arguments: [true, false])
  func plainHTTP(names: Bool) throws {
    let day = try day(ack: .any) { reply in
      reply.isPlainHTTP = true
      if names { reply.echoed = reply.sent }
    }
    day.run(to: 1600)
    #expect((day.disk.overlay.kept?.version == 25) == names)
  }

  @Test("a reply that is too long for them delivers its records, and the status says so, once")
  func tooLong() throws {
    let day = try day { reply in
      guard reply.config != nil else { return }
      (reply.config, reply.isCut, reply.echoed) = (nil, true, reply.sent)
    }
    day.run(to: 4000)
    #expect(day.nothingIsLost() && day.disk.queue.count < 10)
    let status = day.tracker.status(at: day.now)
    #expect(status.sync.repliesCut > 1)
    #expect(day.log.filter { $0.contains("the reply is longer than sync.max_reply_kb: ") }.count == 1)
  }

  @Test("SIGTERM during a trial leaves a word that it was no crash")
  func stopped() throws {
    let day = try day()
    day.server = { batch, s in
      var answer = UploadReply.of(day.disk.overlay.trial == nil ? 200 : 503, sent: batch.map { $0.sequence })
      if s >= 600 { answer.config = .overlay(Overlay(version: 25)) }
      return answer
    }
    day.run(to: 1000)
    #expect(day.disk.overlay.trial?.clock == .running)
    day.happen(.stopping)
    #expect(day.hasExited && day.disk.overlay.trial?.clock == .stopped)
    #expect(day.disk.overlay.trial?.spent_ms ?? 0 > 0)
  }

  @Test("a format without a status takes none: nobody would learn what came of them")
  func noStatus() throws {
    let day = try day(format: .owntracks)
    day.run(to: 1600)
    #expect(day.disk.overlay == OverlayState() && config(day)?.ignored ?? 0 > 0)
  }

  @Test("a version that grows with each reply costs six requests an hour, not one after the other")
  func growing() throws {
    var version: Int64 = 10
    let day = try day { reply in
      version += 1
      reply.config = .overlay(Overlay(version: version))
    }
    day.run(to: 3500)
    let plain = try self.day(from: .infinity)
    plain.run(to: 3500)
    #expect(day.requests.count <= plain.requests.count + 12)
  }
}
