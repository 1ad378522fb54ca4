import TrackerLab

@testable import TrackerBase

/// What the first server orders, what it was told of it, and what its orders did; outlives the device's processes.
final class RemoteServer {
  /// By version, the good ones: those that may be in force once a reply has brought them.
  private(set) var overlays: [Int64: Overlay] = [:]
  /// In force, they keep the box from the network.
  private(set) var cutting: Set<Int64> = []
  /// In replies that count.
  private(set) var delivered: Set<Int64> = []
  private var newest: Int64 = 0
  private var offer: ConfigOffer?
  /// The device's words.
  private(set) var keptAsTold: Int64 = 0

  /// What has no result yet, oldest first.
  private var waiting: [CommandOffer] = []
  private var byID: [String: Command] = [:]
  private var made = 0
  private var lastDone: CommandOffer?
  private var repeats = 0
  private var unnamed = 0
  private(set) var offeredIDs: Set<String> = []
  private(set) var begun: [String: Int] = [:]
  /// The last note of ids came to storage.
  var isNoted = true
  /// World time until which a begun `locate` may power the GPS.
  private(set) var locatesUntil_ms: Int64 = .min

  // MARK: Orders

  func order(_ version: RemoteAct.Version, draw: UInt64) {
    var random = SeededRandom(seed: draw)
    switch version {
    case .malformed:
      let hasVersion = random.uniform() < 0.5
      if hasVersion { newest += 1 }
      offer = .malformed(
        "has no object settings; an empty one takes all back", version: hasVersion ? newest : nil)
    case .replayed:
      if let old = overlays.keys.min(), let overlay = overlays[old] { offer = .overlay(overlay) }
    case .good, .takesBack, .cutsOff, .refused:
      newest += 1
      let entries = version == .takesBack ? [] : RemoteServer.entries(&random, isBad: version == .refused)
      let overlay = Overlay(version: newest, settings: entries)
      if version != .refused { overlays[newest] = overlay }
      if version == .cutsOff { cutting.insert(newest) }
      offer = .overlay(overlay)
    }
  }

  private static func entries(_ random: inout SeededRandom, isBad: Bool) -> [SettingEntry] {
    let nowhere = SettingPlace(line: 0, column: 0)
    func entry(_ key: String, _ value: SettingEntry.Value) -> SettingEntry {
      SettingEntry(path: key.split(separator: ".").map(String.init), value: value, place: nowhere)
    }
    var entries = [entry("motion.stop_timeout_s", .integer(Int64(60 + random.uniform() * 600)))]
    if random.uniform() < 0.6 {
      let rules = [[], ["sun-sat 05:00-21:00"], ["sun-sat 09:00-10:00", "sun-sat 14:00-20:00"]]
      let rule = rules[Int(random.uniform() * 3)]
      entries.append(entry("schedule", .texts(rule.map { SettingEntry.Element(text: $0, place: nowhere) })))
    }
    if random.uniform() < 0.5 {
      entries.append(entry("sync.sync_threshold", .integer(Int64(1 + random.uniform() * 20))))
    }
    guard isBad else { return entries }
    let bad: [SettingEntry] = [
      entry("motion.stop_timeout_s", .integer(-1)), entry("sync.url", .text("https://other.example.com/")),
      entry("schedule", .texts([SettingEntry.Element(text: "at dawn", place: nowhere)])),
      entry("gps.fly", .flag(true)),
    ]
    let chosen = bad[Int(random.uniform() * Double(bad.count))]
    return entries.filter { $0.path != chosen.path } + [chosen]
  }

  func order(_ order: RemoteAct.Order, draw: UInt64, wall_ms: Int64) {
    switch order {
    case .locate: add("locate", .locate(timeout_ms: 30_000 + Int64(draw % 270_000)))
    case .sync: add("sync", .sync)
    case .status: add("status", .status)
    case .trackFor: add("track_for", .intent(.track(length_ms: 60_000 + Int64(draw % 7_200_000))))
    case .pause:
      add("pause", .intent(.pause(length_ms: draw % 4 == 0 ? nil : 60_000 + Int64(draw % 7_200_000))))
    case .resume: add("resume", .intent(.resume))
    case .report: add("report", .report(lines: 10))
    case .restart: add("restart", .restart)
    case .quarantineRetry: add("quarantine_retry", .retryQuarantine)
    case .unknown: add(CommandOffer.unknown, nil)
    case .expired: add("restart", .restart, expires_ms: wall_ms - 60_000)
    case .unnamed: unnamed += 1
    case .again: repeats += 3
    case .flood: for _ in 0..<70 { add("status", .status) }
    }
  }

  private func add(_ name: String, _ command: Command?, expires_ms: Int64? = nil) {
    made += 1
    let id = "c-\(made)"
    let wish = command.map { CommandOffer.Wish.command($0) } ?? .refused("this version knows no such command")
    if let command { byID[id] = command }
    waiting.append(CommandOffer(id: id, name: name, wish: wish, expires_ms: expires_ms))
  }

  // MARK: Replies

  /// Whatever kind of reply it is, the orders stand in it.
  func answer(_ reply: inout UploadReply, to status: TrackerStatus?, _ rule: SyncSettings.Acknowledgement) {
    guard reply.status != 0 else { return }
    let counts = reply.verdict(rule) == .acknowledged
    if counts, let status { told(status) }
    reply.config = offer
    if counts, case .overlay(let overlay)? = offer { delivered.insert(overlay.version) }
    var offers = waiting
    if repeats > 0 {
      repeats -= 1
      offers = (lastDone.map { [$0] } ?? []) + offers.prefix(1) + offers
    }
    reply.commands.offers = Array(offers.prefix(CommandOffers.most))
    reply.commands.beyond = max(0, offers.count - CommandOffers.most)
    (reply.commands.unnamedCount, reply.commands.unnamed) = (unnamed, unnamed > 0 ? ["it has no id"] : [])
    if counts {
      unnamed = 0
      offeredIDs.formUnion(reply.commands.offers.map(\.id))
    }
  }

  private func told(_ status: TrackerStatus) {
    if let config = status.config {
      if case .overlay(let overlay)? = offer, config.desired == overlay.version { offer = nil }
      if let inForce = config.inForce, config.trialUntil_ms == nil { keptAsTold = max(keptAsTold, inForce) }
    }
    let ended = status.commands?.results.filter { $0.result != .running }.map(\.id) ?? []
    lastDone = waiting.last { ended.contains($0.id) } ?? lastDone
    waiting.removeAll { ended.contains($0.id) }
  }

  /// Offered, and without a result.
  var open: [String] { waiting.map(\.id).filter(offeredIDs.contains) }

  // MARK: Effects

  /// - Returns: the command; what is wrong with its being begun, if anything is.
  func wasBegun(_ id: String, at now_ms: Int64) -> (command: Command?, problem: String?) {
    let command = byID[id]
    begun[id, default: 0] += 1
    guard let command else { return (nil, "\(id) was begun, and is no command") }
    if case .locate(let timeout_ms) = command { locatesUntil_ms = max(locatesUntil_ms, now_ms + timeout_ms) }
    // To do it twice harms nobody, and its note may have failed.
    if command.isHarmless, hadUnnoted.contains(id) { return (command, nil) }
    if !isNoted { return (command, "\(id) was begun, and its id is not on storage") }
    return (command, (begun[id] ?? 0) > 1 ? "\(id) was begun \(begun[id] ?? 0) times" : nil)
  }

  /// Those that a note had which did not come to storage.
  private var hadUnnoted: Set<String> = []

  func noteFailed(_ saved: JSONValue) {
    isNoted = false
    hadUnnoted.formUnion((saved.array ?? []).compactMap { $0["id"]?.string })
  }
}
