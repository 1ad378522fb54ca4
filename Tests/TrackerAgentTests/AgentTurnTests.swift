import Testing

@testable import TrackerAgent
@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Turns of the agent")
struct AgentTurnTests {
  let world = FakeWorld()
  let host: FakeHost
  let gps: FakeGPS
  let power: FakePower
  let storage: FakeStorage
  let runState: FakeStanding
  let upload: FakeUpload
  let statusPort: FakeOutlook
  let shutdown: FakeShutdown
  let agent: Agent

  init() throws { try self.init(gpsOffWhenParked: false) }

  init(gpsOffWhenParked: Bool, restored: Tracker.Restored = .init()) throws {
    host = FakeHost(world)
    gps = FakeGPS(world)
    power = FakePower(world)
    storage = FakeStorage(world)
    runState = FakeStanding(world)
    upload = FakeUpload(world, storage)
    statusPort = FakeOutlook(world)
    shutdown = FakeShutdown(world)
    var settings = Settings()
    settings.sync.url = "https://fleet.example/positions"
    settings.sync.splay_s = 0
    settings.gps.power.mode = .level
    settings.motion.gpsOffWhenParked = gpsOffWhenParked
    let tracker = Tracker(
      Configuration(settings: settings, schedule: try Schedule(rules: []), zone: FixedZone.utc),
      restored: restored, notBefore_ms: 0, isSynchronised: true, at: host.now())
    var ports = Ports(
      host: host, gps: gps, power: power, storage: storage, runState: runState,
      servers: [ServerPorts(upload: upload)],
      statusPort: statusPort, others: [])
    ports.shutdown = shutdown
    agent = Agent(tracker: tracker, ports: ports)
  }

  static func report(_ s: Int, north_m: Double = 0, speed_mps: Double = 0) -> Event {
    .gpsReport(
      GPSReport(
        mode: 3, time_ms: FakeWorld.epoch_ms + Int64(s) * 1000, latitude_deg: 47 + north_m / 111_195,
        longitude_deg: 8, speed_mps: speed_mps, accuracy_m: 5, satellites: 9))
  }

  func at(_ s: Int, _ events: Event...) { world.script.append((Int64(s) * 1000, events)) }

  /// The diary without what was logged.
  var deeds: [String] { world.diary.filter { !$0.contains("[") } }

  @Test("the system is not to be switched off in a trip")
  func shutdownHeldInTrips() {
    for s in 1...61 { at(s, AgentTurnTests.report(s)) }
    for s in 62...200 { at(s, AgentTurnTests.report(s, north_m: Double(s - 61) * 15, speed_mps: 15)) }
    at(201, .stopping)
    agent.start()
    while !agent.isDone {
      agent.step()
      // The step after an event tells it; the one with SIGTERM was the last.
      if !agent.isDone, world.now_ms < 60_000 { #expect(!shutdown.isHeld) }
    }
    #expect(agent.tracker.trip != nil && shutdown.isHeld)
    #expect(deeds.filter { $0.contains("shutdown") }.count == 1)
  }

  @Test("what the power switch could not finish is the last word")
  func powerAtTheEnd() {
    power.lastProblem = "GPS power: stuck"
    at(5, .stopping)
    agent.run()
    #expect(world.diary.last?.contains("GPS power: stuck") == true)
  }

  @Test("starts, connects after the module has settled, obeys SIGTERM: all is flushed and off")
  func startAndStop() {
    at(5, .stopping)
    agent.run()
    #expect(statusPort.isStarted && statusPort.isStopping)
    #expect(
      deeds == [
        "0 started", "0 power on", "0 connect", "5 disconnect", "5 power off", "5 commit 0", "5 save",
        "5 stopping",
      ])
    #expect(!power.isOn)
  }

  @Test("before the GPS gets power the watchdog is set to look closely")
  func closeWatch() {
    statusPort.notesWatch = true
    at(5, .stopping)
    agent.run()
    #expect(deeds.prefix(3) == ["0 started", "0 watched closely", "0 power on"])
  }

  @Test("what an action brings is handled before the next event of the same turn")
  func order() {
    at(1, AgentTurnTests.report(1))
    // A halt of a minute is a first parking: an event, committed and sent within this very turn.
    for s in 2...60 { at(s, AgentTurnTests.report(s)) }
    at(61, AgentTurnTests.report(61), AgentTurnTests.report(62), .stopping)
    agent.run()
    #expect(
      deeds.filter { $0.hasPrefix("61 ") } == [
        "61 commit 2", "61 upload 2", "61 remove 2", "61 disconnect", "61 power off", "61 commit 0",
        "61 save", "61 stopping",
      ])
    #expect(storage.queue.isEmpty)
  }

  @Test(
    "a pause is on storage before the GPS goes off, and off also when it is not", arguments: [false, true])
  func pause(fails: Bool) {
    runState.fails = fails
    at(3, .intentAsked(.pause(length_ms: nil)))
    at(5, .stopping)
    agent.run()
    #expect(deeds.filter { $0.hasPrefix("3 ") }.prefix(3) == ["3 save", "3 disconnect", "3 power off"])
    #expect(!power.isOn)
  }

  @Test("a batch that ends with SIGTERM is written whole, whatever was being committed")
  func stopInABatch() {
    for s in 1...200 { at(s, AgentTurnTests.report(s, north_m: Double(s) * 15, speed_mps: 15)) }
    // After a stall: many reports and the signal in one turn; the trip's beginning was committed long ago.
    var batch = (201...330).map { AgentTurnTests.report($0, north_m: Double($0) * 15, speed_mps: 15) }
    batch.append(.stopping)
    world.script.append((330_000, batch))
    agent.run()
    let newest_ms = storage.records.compactMap { $0.fix?.time_ms }.max()
    #expect(newest_ms == FakeWorld.epoch_ms + 330_000)
    #expect((storage.state["trip"] ?? .null) != .null, "the trip stays open for the next start")
  }

  /// An agent that could read nothing of its store, and numbers from 700 on. No server takes what it has in memory.
  private func unread(until second: Int64) throws -> AgentTurnTests {
    var restored = Tracker.Restored(lastSequence: 700, storageProblem: "I/O error")
    restored.isUnread = true
    let blind = try AgentTurnTests(gpsOffWhenParked: false, restored: restored)
    blind.storage.failsBefore_s = second
    blind.upload.status = 503
    for s in 1...61 { blind.at(s, AgentTurnTests.report(s)) }
    return blind
  }

  /// The records came to storage under the id of their own, with nothing of the state, and the GPS is off.
  private func expectHandedOver(_ blind: AgentTurnTests) {
    let records = blind.storage.records
    #expect(records.map(\.sequence) == Array(701..<(701 + Int64(records.count))) && records.count >= 2)
    let id = records.first?.queueID ?? 0
    #expect(id != 0 && records.allSatisfy { $0.queueID == id })
    #expect(blind.storage.state.isEmpty)
    #expect(blind.agent.tracker.part(Dispatch.self).outbox.pending.isEmpty)
    #expect(blind.agent.isDone && blind.statusPort.isStopping && !blind.power.isOn)
  }

  @Test(
    "a store that could not be read works again: what was made comes there, and the agent ends to begin anew")
  func unreadStoreWorks() throws {
    let blind = try unread(until: 80)
    for s in 62...600 { blind.at(s, AgentTurnTests.report(s)) }
    blind.at(601, .stopping)
    blind.agent.run()
    expectHandedOver(blind)
    // Within the longest pause between two attempts.
    #expect(blind.world.now_ms >= 80_000 && blind.world.now_ms <= 80_000 + Outbox.longestRetry_ms)
    let words = "[notice] the queue can be read now: the agent starts again from it"
    #expect(blind.world.diary.contains { $0.hasSuffix(words) })
    #expect(blind.deeds.contains { $0.contains(" upload ") && !$0.contains(" upload 0") }, "from memory")
  }

  @Test(
    "SIGTERM before storage that works again was read: what was made comes there, and no request is begun")
  func stopUnread() throws {
    let blind = try unread(until: 65)
    blind.at(65, .stopping, AgentTurnTests.report(65))
    blind.agent.run()
    expectHandedOver(blind)
    let deeds = blind.deeds.filter { $0.hasPrefix("65 ") }
    #expect(deeds.first == "65 disconnect" && deeds.last == "65 stopping")
    #expect(!deeds.contains { $0.hasPrefix("65 upload") } && deeds.count { $0.hasPrefix("65 commit") } == 1)
  }

  @Test("SIGTERM ends the agent, also when storage never answers")
  func stopMute() {
    storage.isMute = true
    for s in 1...61 { at(s, AgentTurnTests.report(s)) }
    at(62, .stopping)
    agent.run()
    #expect(agent.isDone && !power.isOn && deeds.last == "62 stopping")
  }

  @Test("an event that comes in the same turn as a commit is committed too, at once")
  func eventBesideCommit() {
    for s in 1...60 { at(s, AgentTurnTests.report(s)) }
    at(61, .ignition(on: false), AgentTurnTests.report(61), .ignition(on: true))
    at(63, .stopping)
    agent.run()
    let kinds = storage.records.map { $0.kind }
    #expect(kinds == [.motionChange, .gap, .motionChange])
    #expect(deeds.filter { $0.hasPrefix("61 commit") } == ["61 commit 2", "61 commit 1"])
  }

  @Test("while parked, an edge is no reason to publish before the minute is over, but what it leads to is")
  func edgesAreNoNews() {
    for s in 1...61 { at(s, AgentTurnTests.report(s)) }
    for s in 300...340 { world.script.append((Int64(s) * 1000, [.vibrationEdge])) }
    world.script.append((345_000, [.ignitionEdge(level: true)]))
    at(360, .stopping)
    agent.run()
    let late = world.published_ms.filter { $0 >= 300_000 && $0 < 360_000 }
    #expect(late.count == 2, "\(late)")
    #expect(late.contains(345_500))
  }

  @Test(
    "the status is published once a minute at most, at once when something notable happens, and at the end")
  func published() {
    for s in 1...250 { at(s, AgentTurnTests.report(s)) }
    at(252, .gpsLost("end of file"))
    at(258, .stopping)
    agent.run()
    #expect(world.published_ms.contains(252_000))
    #expect(world.published_ms.last == 258_000)
    // The vehicle is parked by then: nothing more is notable.
    let regular = world.published_ms.filter { $0 > 61_000 && $0 < 252_000 }
    #expect(zip(regular, regular.dropFirst()).allSatisfy { $1 - $0 >= 60_000 })
    #expect((2...3).contains(regular.count), "\(regular)")
  }

  @Test("the loop turns for events and deadlines, not more: an hour of fixes is an hour of turns")
  func notBusy() {
    for s in 1...3600 { at(s, AgentTurnTests.report(s)) }
    at(3601, .stopping)
    agent.run()
    #expect(host.waits < 3700, "\(host.waits)")
  }

  @Test("left alone it only ever waits for deadlines: hours pass in a few hundred turns")
  func idle() {
    upload.status = 503
    at(3 * 3600 + 1, .stopping)
    agent.run()
    #expect(host.waits <= 200, "\(host.waits)")
    #expect(world.published_ms.count <= 202)
  }

  @Test("a sync asked for with an empty queue sends the status")
  func emptySync() {
    at(2, .syncAsked)
    at(3, .stopping)
    agent.run()
    #expect(deeds.filter { $0.contains("upload") } == ["2 upload 0 with status"])
  }

  @Test("a refused connection to gpsd comes back as an event, and is tried again in growing pauses")
  func refused() {
    gps.refuses = true
    at(20, .stopping)
    agent.run()
    #expect(
      deeds.filter { $0.hasSuffix(" connect") }
        == ["0 connect", "1 connect", "3 connect", "7 connect", "15 connect"])
    #expect(!power.isOn)
  }

  @Test("a server that is down costs few requests")
  func serverDown() {
    upload.status = 503
    for s in 1...600 { at(s, AgentTurnTests.report(s)) }
    at(601, .stopping)
    agent.run()
    #expect(deeds.filter { $0.contains("upload") }.count < 12)
  }

  @Test("what is published stays true while the GPS is off: nothing is left unsaid before a long sleep")
  func publishedBeforeSleep() throws {
    let probing = try AgentTurnTests(gpsOffWhenParked: true)
    for s in 1...100 { probing.at(s, AgentTurnTests.report(s)) }
    // The first probe is answered at once, which is nothing notable.
    probing.at(155, AgentTurnTests.report(155))
    probing.at(400, .stopping)
    probing.agent.run()
    #expect(probing.deeds.contains("155 power off"))
    #expect(probing.world.published_ms.contains(155_000))
  }

  @Test(
    "while a request is under way with the GPS off it is published once a second, and when that has ended")
  func publishedWhileSending() throws {
    let parked = try AgentTurnTests(gpsOffWhenParked: true)
    for s in 1...100 { parked.at(s, AgentTurnTests.report(s)) }
    parked.upload.isMute = true
    // Something each 100 ms that is news, and nothing notable.
    for tenth in 1...49 {
      parked.world.script.append((110_000 + Int64(tenth) * 100, [.batteryRead(volts: 12.5)]))
    }
    parked.at(
      115, .uploadFinished(UploadReply(status: 200, contentType: "application/json", sent: []), server: 0))
    parked.at(117, .stopping)
    parked.agent.run()
    let published_ms = parked.world.published_ms.filter { (110_000..<117_000).contains($0) }
    // It waits for its answer since then.
    #expect(parked.deeds.filter { $0.contains("upload") }.count == 1)
    #expect(published_ms.contains(115_000))
    #expect((5...7).contains(published_ms.count), "\(published_ms)")
  }
}
