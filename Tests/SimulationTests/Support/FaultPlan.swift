import TrackerLab

/// What can go wrong above the kernel, for a while.
enum Fault: String, CaseIterable {
  // The network and the server.
  case noNetwork, repliesLost, serverError, serverBusy, unauthorised, tooLarge, refusesAll, captivePortal
  case redirect, partialAck, slowServer
  // The GPS and gpsd.
  case gpsdRefuses, gpsdSilent, noSky, powerLineStuck
  case jumps, garbage
  // Storage.
  case diskFull, commitUnknown, removalFails
  // For seconds or minutes: GPS dates off by an hour to 1024 weeks, a place half a kilometre to a thousand away.
  case wrongDate, otherPlace
  /// Reports at 5, 10 or 25 Hz.
  case fastReports
  /// 2xx that acknowledges what was never sent.
  case ackOfOthers

  /// Drawn after all else, so that the seeds keep their days.
  static let drawnAside: [Fault] = [.wrongDate, .otherPlace, .fastReports, .ackOfOthers]

  /// From seconds to hours.
  var longest_ms: Double {
    switch self {
    case .wrongDate: 60_000
    case .otherPlace: 300_000
    case .noNetwork, .repliesLost, .serverError, .serverBusy, .unauthorised, .tooLarge, .refusesAll,
      .captivePortal, .redirect, .partialAck, .slowServer, .gpsdRefuses, .gpsdSilent, .noSky, .powerLineStuck,
      .jumps, .garbage, .diskFull, .commitUnknown, .removalFails, .fastReports, .ackOfOthers:
      7_200_000
    }
  }
}

/// What happens at an instant.
enum Blow: Equatable {
  /// kill -9 after so many further effects; the last one has happened or not.
  case kill(afterEffects: Int, lastOneHappens: Bool)
  case terminate
  /// Power cut: the boot clock begins anew, and the wall clock is off until it is set.
  case reboot(wallError_ms: Int64, setAfter_ms: Int64)
  case clockStep(ms: Int64)
  case synchronised(Bool)
  case clockSet
  case ignition(on: Bool)
  case newSettings
  case linkRestored
  case syncAsked
  /// What an operator wants; no length: until reported otherwise.
  case pause(length_ms: Int64?)
  case track(length_ms: Int64)
  case resume
  /// So many lives in a row end a few steps after their start.
  case crashes(Int)
  /// A power cut after which the file system gives one of the queue's files back with a length of 0.
  case queueFileEmptied(SimulationFolder.File)
  /// What is ordered from afar, and copied cards.
  case remote(RemoteAct)
}

extension Blow {
  /// `kill`, `clockStep`
  var name: String { String("\(self)".prefix { $0 != "(" }) }
}

/// The day's misfortunes, drawn from a seed.
struct FaultPlan {
  struct Timed<What> {
    var at_ms: Int64
    var what: What
  }

  private(set) var spells: [Fault: [Span]] = [:]
  private(set) var blows: [Timed<Blow>] = []
  /// When something begins or ends, in order: asked for at every step.
  private var edges_ms: [Int64] = []
  /// Nothing goes wrong after that.
  let quietFrom_ms: Int64

  /// Those that keep the agent from good fixes.
  static let ofGPS: [Fault] = [
    .gpsdRefuses, .gpsdSilent, .noSky, .powerLineStuck, .jumps, .garbage, .wrongDate, .otherPlace,
  ]

  static let day_ms: Int64 = 86_400_000
  static let quiet_ms: Int64 = 4 * 3_600_000

  init(random: inout SeededRandom, length_ms: Int64 = day_ms) {
    quietFrom_ms = length_ms - FaultPlan.quiet_ms
    for fault in Fault.allCases where !Fault.drawnAside.contains(fault) {
      // Some days have none of a kind, some many.
      let count = Int(random.uniform() * random.uniform() * 6)
      for _ in 0..<count { addSpell(of: fault, &random) }
    }
    addBlows(&random)
    blows.sort { $0.at_ms < $1.at_ms }
    blows.append(Timed(at_ms: quietFrom_ms, what: .clockSet))
    noteEdges()
  }

  /// The same day with clocks, dates and places that are right, and with storage that keeps what it has: of records that
  /// are wrong, or that only a server has, nobody can say what they cover.
  func withRightRecords() -> FaultPlan {
    var plan = self
    for fault in [Fault.wrongDate, .otherPlace, .diskFull] { plan.spells[fault] = nil }
    plan.blows = blows.compactMap { blow in
      switch blow.what {
      case .clockStep, .synchronised, .queueFileEmptied: nil
      case .reboot(_, let setAfter_ms):
        Timed(at_ms: blow.at_ms, what: .reboot(wallError_ms: 0, setAfter_ms: setAfter_ms))
      case .kill, .terminate, .clockSet, .ignition, .newSettings, .linkRestored, .syncAsked, .pause, .track,
        .resume, .crashes, .remote:
        blow
      }
    }
    plan.noteEdges()
    return plan
  }

  /// The same day, on which these happen too.
  func with(_ acts: [Timed<Blow>]) -> FaultPlan {
    var plan = self
    plan.blows = (blows + acts).sorted { $0.at_ms < $1.at_ms }
    return plan
  }

  /// One fault in those hours of the day, and nothing else.
  init(only faults: [Fault], hours: Range<Double>) {
    quietFrom_ms = FaultPlan.day_ms - FaultPlan.quiet_ms
    for fault in faults {
      spells[fault] = [
        Span(start_ms: Int64(hours.lowerBound * 3_600_000), end_ms: Int64(hours.upperBound * 3_600_000))
      ]
    }
    noteEdges()
  }

  private mutating func noteEdges() {
    edges_ms = spells.values.joined().flatMap { [$0.start_ms, $0.end_ms] }.sorted()
  }

  func isActive(_ fault: Fault, at now_ms: Int64) -> Bool {
    (spells[fault] ?? []).contains { $0.start_ms <= now_ms && now_ms < $0.end_ms }
  }

  /// The end of the last spell of any of these before now.
  func lastEnd(of faults: [Fault], before now_ms: Int64) -> Int64? {
    faults.flatMap { spells[$0] ?? [] }.map(\.end_ms).filter { $0 <= now_ms }.max()
  }

  /// The next time at which something begins or ends.
  func nextChange(after now_ms: Int64) -> Int64? {
    var (low, high) = (0, edges_ms.count)
    while low < high {
      let middle = (low + high) / 2
      if edges_ms[middle] > now_ms { high = middle } else { low = middle + 1 }
    }
    return low < edges_ms.count ? edges_ms[low] : nil
  }

  private mutating func addSpell(of fault: Fault, _ random: inout SeededRandom) {
    let start_ms = instant(&random)
    // From seconds to hours, short ones more often.
    let share = random.uniform()
    let length_ms = Int64(5_000 + fault.longest_ms * share * share * share)
    spells[fault, default: []].append(
      Span(start_ms: start_ms, end_ms: min(start_ms + length_ms, quietFrom_ms)))
  }

  private mutating func addBlows(_ random: inout SeededRandom) {
    for _ in 0..<Int(random.uniform() * 10) {
      add(.kill(afterEffects: Int(random.uniform() * 8), lastOneHappens: random.uniform() < 0.5), &random)
    }
    for _ in 0..<Int(random.uniform() * 3) { add(.terminate, &random) }
    for _ in 0..<Int(random.uniform() * 3) { add(.newSettings, &random) }
    for _ in 0..<Int(random.uniform() * 3) {
      let errors_ms: [Int64] = [-1_700_000_000_000, -2_592_000_000, -3_600_000, 0, 0]
      add(
        .reboot(
          wallError_ms: errors_ms[Int(random.uniform() * 5)],
          setAfter_ms: Int64(random.uniform() * 3_600_000)), &random)
    }
    for _ in 0..<Int(random.uniform() * 4) {
      let steps_ms: [Int64] = [3_600_000, -3_600_000, -86_400_000, 500, -1_500, 90_000, 86_400_000]
      add(.clockStep(ms: steps_ms[Int(random.uniform() * 7)]), &random)
    }
    for on in [false, true] where random.uniform() < 0.4 { add(.synchronised(on), &random) }
    for _ in 0..<Int(random.uniform() * 5) { add(.ignition(on: random.uniform() < 0.5), &random) }
    for _ in 0..<Int(random.uniform() * 4) { add(.linkRestored, &random) }
    for _ in 0..<Int(random.uniform() * 3) { add(.syncAsked, &random) }
    // Drawn aside, so that the seeds keep their days.
    var aside = random
    addIntents(&aside)
    if aside.uniform() < 0.3 { add(.crashes(3 + Int(aside.uniform() * 7)), &aside) }
    for fault in Fault.drawnAside {
      // Many of those that matter only while the GPS is on, which it mostly is not.
      let most = FaultPlan.ofGPS.contains(fault) || fault == .fastReports ? 60.0 : 6
      for _ in 0..<Int(aside.uniform() * aside.uniform() * most) { addSpell(of: fault, &aside) }
    }
    if aside.uniform() < 0.3 {
      let files = SimulationFolder.File.allCases
      add(.queueFileEmptied(files[Int(aside.uniform() * Double(files.count))]), &aside)
    }
  }

  private mutating func addIntents(_ random: inout SeededRandom) {
    for _ in 0..<Int(random.uniform() * 3) {
      let length_ms = Int64(60_000 + random.uniform() * random.uniform() * 10_800_000)
      add(.pause(length_ms: random.uniform() < 0.3 ? nil : length_ms), &random)
      // Before it or after it.
      if random.uniform() < 0.6 { add(.resume, &random) }
    }
    for _ in 0..<Int(random.uniform() * 3) {
      add(.track(length_ms: Int64(60_000 + random.uniform() * 7_200_000)), &random)
    }
  }

  private mutating func add(_ blow: Blow, _ random: inout SeededRandom) {
    blows.append(Timed(at_ms: instant(&random), what: blow))
  }

  private func instant(_ random: inout SeededRandom) -> Int64 {
    Int64(random.uniform() * Double(quietFrom_ms - 60_000))
  }
}
