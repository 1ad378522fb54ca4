import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Events in no sensible order, with values at the edges of what the adapters let through: nothing traps, and no
/// deadline stays behind, which would be a loop that spins.
@Suite("Hostile events")
struct HostileEventsTests {
  private static let year10000_ms: Int64 = 253_402_300_800_000
  private static let rules = [
    [], ["sun-sat 08:00-09:00"], ["cron */7 * * * * for 3m"], ["2025-06-02 00:00-00:00"],
  ]

  /// What a damaged disk may hold: each key may be right, wrong or missing.
  private static func state(_ random: inout SeededRandom) -> [String: JSONValue] {
    let now: JSONValue = .integer(epoch_ms)
    let sums: JSONValue = ["day": ["number": 20000, "used": 100], "month": ["number": 24000, "used": 100]]
    let used: JSONValue = ["up": ["records": 1], "down": ["records": 2]]
    let good: [String: JSONValue] = [
      "odometer_m": 1000.5, "last_trip": 7, "supply_lost": true, "battery_low": true, "budget": sums,
      "odometer_anchor": ["time_ms": now, "latitude": 47, "longitude": 8, "accuracy_m": 5],
      "trip": [
        "id": 7, "start_ms": now, "last_fix_ms": now, "left_after_ms": now, "distance_m": 100, "idle_s": 12.5,
        "top_speed_mps": 10,
      ],
      "speeding": ["since_ms": now, "top_mps": 30], "lines": ["tow": "possible", "missed_departure": true],
      "motion": [
        "state": ["stationary", "moving"].randomElement(using: &random)!, "latitude": 47, "longitude": 8,
        "fixes": 10,
        "seen_ms": now, "assumed": true,
      ],
      "geofences": [["id": "depot", "since_ms": now]],
      "clock": ["boot": "boot", "offset_ms": now, "agreed_at_ms": 1000, "known_ms": now],
      "bytes": ["day": ["number": 20000, "used": used], "month": ["number": 24000, "used": used]],
      "energy": ["boot": "boot", "counted_ms": 5, "on": ["day": ["number": 20000, "used": ["gps_ms": 4]]]],
      "undated": ["from": 3, "records": 2, "boot": "boot"],
      "sleeps": ["leads_ms": [60000, 70000], "begun_ms": [now]],
      "sleep": [
        "boot": "boot", "reason": "parked", "begin_ms": now, "until_ms": .integer(epoch_ms + 7_200_000),
        "alarm_s": 1_000_000,
      ],
    ]
    let bad: [JSONValue] = [.outOfRange, 1e300, -1, .integer(.max), .integer(.min), "", "x", .null, [], [:]]
    guard random.unit() < 0.7 else { return [:] }
    return good.mapValues { value in
      if random.unit() < 0.5 { return value }
      return value.leavesReplaced(by: [bad.randomElement(using: &random)!]).randomElement(using: &random)!
    }
  }

  private struct World {
    var random: SeededRandom
    var tracker: Tracker
    var now: Moment
    var schedule: Schedule
    var answers: [Event] = []

    init(seed: UInt64) throws {
      random = SeededRandom(seed)
      now = Moment(
        boot_ms: [0, 1, 5_000_000, 1_000_000_000_000].randomElement(using: &random)!,
        wall_ms: [0, epoch_ms, year10000_ms].randomElement(using: &random)!)
      schedule = try Schedule(rules: rules.randomElement(using: &random)!)
      var settings = Settings.with()
      settings.gps.minOff_s = [0, 5, 600].randomElement(using: &random)!
      settings.gps.dynamicModel = [.unchanged, .automotive].randomElement(using: &random)!
      settings.clock.whenUnknown = [.acquire, .open, .closed].randomElement(using: &random)!
      settings.accelerometer.name = ["", "lis3dh"].randomElement(using: &random)!
      settings.sync.budgetDay_kb = [0, 1000].randomElement(using: &random)!
      settings.sync.roaming.interval_s = [0, 604_800].randomElement(using: &random)!
      settings.sync.roaming.budgetMonth_mb = [0, 1].randomElement(using: &random)!
      settings.host.sleep.mode = [.off, .rtc].randomElement(using: &random)!
      settings.host.sleep.state = [.poweroff, .mem].randomElement(using: &random)!
      settings.host.sleep.wire = Bool.random(using: &random)
      settings.gps.power.settle_ms = [0, 10_000].randomElement(using: &random)!
      tracker = Tracker(
        Configuration(
          settings: settings, schedule: schedule, zone: FixedZone.utc, geofences: [try .circle()]),
        restored: .init(state: HostileEventsTests.state(&random)), notBefore_ms: epoch_ms - 86_400_000,
        isSynchronised: Bool.random(using: &random), at: now)
    }

    mutating func turn(_ event: Event) throws {
      var actions = tracker.handle(event, at: now, chance: random.unit())
      if actions.contains(.applySettings) {
        tracker.adopt(
          Configuration(
            settings: tracker.settings, schedule: try Schedule(rules: rules.randomElement(using: &random)!),
            zone: FixedZone.utc), at: now)
        actions += tracker.handle(.settingsApplied, at: now, chance: random.unit())
      }
      for action in actions { answer(action) }
    }

    private mutating func answer(_ action: Action) {
      let works = random.unit() < 0.7
      switch action {
      case .commit: answers.append(works ? .committed(queued: [5]) : .commitFailed("no"))
      case .upload(_, let server):
        var reply = UploadReply.of(works ? 200 : 503, retryAfter_s: retryAfter_s(), sent: [1, 2])
        reply.commands = commands()
        if random.unit() < 0.3 {
          reply.status = 0
          reply.failure = UploadReply.NoReply.allCases.randomElement(using: &random)
        }
        if random.unit() < 0.2 {
          reply.config = .overlay(Overlay(version: .random(in: 1...9, using: &random)))
          (reply.echoed, reply.refused, reply.conflicts) = ([1], [2: "no"], [2])
          reply.hasFormerID = Bool.random(using: &random)
        }
        answers.append(.uploadFinished(reply, server: server))
      case .renumber:
        answers += [.queueIDChanged(QueueIDChanges(count: .max, last_ms: .min))]
        answers.append(works ? .queueShrank(queued: 5) : .queueFailed("no"))
      case .remove, .quarantine: answers.append(.queueShrank(queued: works ? 0 : 5))
      case .setPower: if !works { answers.append(.powerFailed("no")) }
      case .connectGPS: if !works { answers.append(.gpsLost("no")) }
      case .saveRunState: if !works { answers.append(.runStateNotSaved("no")) }
      case .sendFrames(let bytes, _): answers.append(.gpsFrame(works ? bytes : []))
      case .command(.note): answers.append(.command(.noted(problem: works ? nil : "no")))
      case .command(.readReport(let id, _)):
        answers.append(.command(.reportRead(id: id, lines: works ? ["a"] : [])))
      case .command(.retryQuarantine(let id)):
        answers.append(.command(.quarantineRetried(id: id, records: 1, problem: works ? nil : "no")))
      case .command(.answer), .command(.confirm): break
      case .acceleration(.read): answers.append(.acceleration(works ? .samples(samples()) : .failed("no")))
      case .acceleration(.tell): if !works { answers.append(.acceleration(.eventRefused("no"))) }
      case .board(.look): answers.append(.board(works ? .looked(nil) : .looked(.person)))
      case .board(.setAlarm):
        answers.append(.board(works ? .alarmSet(alarm_s: .random(in: .min ... .max)) : .alarmFailed("no")))
      case .board(.sleep): answers.append(.board(works ? .accepted : .refused("no")))
      case .board(.clearAlarm): answers.append(.board(.resumed(slept_ms: works ? .max : -1)))
      case .renewToken: answers.append(.tokenCommandEnded(problem: works ? nil : "no"))
      case .checkOverlay: answers.append(.overlay(.checked(problem: works ? nil : "no")))
      case .saveOverlay: answers.append(.overlay(.saved(problem: works ? nil : "no")))
      case .useOverlay: answers.append(works ? .settingsRead : .overlay(.notUsed("no")))
      case .disconnectGPS, .hearFrames, .log, .applySettings, .exit: break
      }
    }

    private mutating func commands() -> CommandOffers {
      var offers = CommandOffers()
      guard random.unit() < 0.5 else { return offers }
      let wishes: [CommandOffer.Wish] = [
        .command(.locate(timeout_ms: 10_000)), .command(.sync), .command(.status),
        .command(.report(lines: 5)),
        .command(.intent(.pause(length_ms: nil))), .command(.intent(.resume)), .command(.retryQuarantine),
        .refused("no"),
      ]
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let id = "c\(Int.random(in: 0..<200, using: &random))"
        offers.offers.append(
          CommandOffer(
            id: id, name: "locate", wish: wishes.randomElement(using: &random)!,
            expires_ms: [nil, 0, epoch_ms, .max].randomElement(using: &random)!))
      }
      return offers
    }

    private mutating func retryAfter_s() -> Int? { [nil, 0, -1, 60, .max].randomElement(using: &random)! }

    /// - Returns: whether no deadline is left behind.
    mutating func settle() throws -> Bool {
      for _ in 0..<200 {
        if !answers.isEmpty {
          try turn(answers.removeFirst())
        } else if let deadline_ms = tracker.deadline_ms, deadline_ms <= now.boot_ms {
          try turn(.timer)
        } else {
          return true
        }
      }
      return false
    }

    mutating func pass() {
      now.boot_ms += [0, 1, 999, 1000, 60_000, 36_000_000, 700_000_000].randomElement(using: &random)!
      let walls = [
        now.wall_ms, 0, epoch_ms + now.boot_ms % 1_000_000_000, epoch_ms - 90_000_000, year10000_ms,
      ]
      now.wall_ms = walls.randomElement(using: &random)!
    }

    mutating func event() -> Event {
      switch Int.random(in: 0..<25, using: &random) {
      case 0: .clockStepped(isSynchronised: Bool.random(using: &random))
      case 1: .gpsLost("no")
      case 2: .powerFailed("no")
      case 3: .ignitionEdge(level: Bool.random(using: &random))
      case 4: .vibrationEdge
      case 5: .lineFailed(.ignition, "no")
      case 6:
        .intentAsked(.pause(length_ms: [nil, 1000, IntentWish.longest_ms].randomElement(using: &random)!))
      case 7: .intentAsked(.track(length_ms: [1000, 600_000].randomElement(using: &random)!))
      case 8, 9: .intentAsked(.resume)
      case 10: .settingsRead
      case 11: .syncAsked
      case 12: .linkRestored
      case 13: .timer
      case 18: .externalPowerEdge(level: Bool.random(using: &random))
      case 19: .lineFailed(.externalPower, "no")
      case 21: .link([Modem(registration: [.home, .roaming].randomElement(using: &random)!)])
      case 14: .hostProblem(.logLost(lines: 7))
      case 15: .hostProblem(.runFolder("no"))
      case 20: .acceleration(.opened(hasEvent: Bool.random(using: &random)))
      case 22: .acceleration(.exceeded)
      case 23: .acceleration(.samples(samples()))
      case 16: .gpsDriver("u-blox", device: "/dev/a")
      case 17: .gpsDevices((0..<100).map { "/dev/\(now.boot_ms)-\($0)" })
      default: .gpsReport(report())
      }
    }

    private mutating func samples() -> [Acceleration] {
      (0..<Int.random(in: 0...3, using: &random)).map { _ in
        Acceleration(
          [0, 9.8, .nan, .infinity, 1e300].randomElement(using: &random)!, 0,
          [0, 9.8, -9.8, 1e300].randomElement(using: &random)!)
      }
    }

    private mutating func report() -> GPSReport {
      let real = epoch_ms + now.boot_ms % 1_000_000_000_000
      var report = GPSReport(mode: [0, 1, 2, 3, 3, 3].randomElement(using: &random)!)
      report.time_ms = [nil, 1, real, real, real, year10000_ms - 1, real + 3_600_000].randomElement(
        using: &random)!
      report.latitude_deg = [nil, 47, 47, 47.001, -90, 90, 1e9].randomElement(using: &random)!
      report.longitude_deg = [nil, 8, 8, 8.001, -180, 180, -1e9].randomElement(using: &random)!
      report.accuracy_m = [nil, 5, 5, 5, 1e-300, 1e9].randomElement(using: &random)!
      report.sky = [
        nil, SkyView(heard: 0), SkyView(heard: 12, cn0_dBHz: 44), SkyView(heard: .max, cn0_dBHz: 98.9),
      ].randomElement(using: &random)!
      report.antennaFault = [nil, nil, nil, .open, .short].randomElement(using: &random)!
      report.hdop = [nil, 1, 98].randomElement(using: &random)!
      report.speed_mps = [nil, 0, 15, 1e9 - 1].randomElement(using: &random)!
      report.course_deg = [nil, 0, 359.999].randomElement(using: &random)!
      report.altitude_m = [nil, -1e9 + 1, 400].randomElement(using: &random)!
      report.device = [nil, "", "/dev/a", "/dev/b"].randomElement(using: &random)!
      report.satellites = [nil, 9, Int(Int32.max), -1].randomElement(using: &random)!
      return report
    }
  }

  @Test("nothing traps, and no deadline stays behind", arguments: 1...UInt64(40))
  func random(seed: UInt64) throws {
    var world = try World(seed: seed)
    try world.turn(.started)
    for step in 0..<500 {
      try world.turn(world.event())
      #expect(try world.settle(), "step \(step): a deadline that nothing moves")
      world.pass()
      #expect(try world.settle(), "step \(step): a deadline that nothing moves")
      _ = world.tracker.status(at: world.now)
    }
  }
}
