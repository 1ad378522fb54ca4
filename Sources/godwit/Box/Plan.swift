import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

/// What settings alone determine, checked as a whole before anything of it is used.
///
/// A zone or a file of geofences that cannot be read, or is none, keeps no agent from starting: the last good one
/// counts, or none.
struct Plan {
  var settings: Settings
  /// What of the settings is the server's.
  let overlaid: Overlaid
  var geofences: [Geofence]
  /// nil: neither it nor a copy can be read, so the schedule cannot be followed.
  var zone: SystemZone?
  var schedule: Schedule
  var identity: StatusDocument.Identity

  /// For the tracker.
  var configuration: Configuration {
    Configuration(
      settings: settings, schedule: schedule, zone: zone, geofences: geofences, overlay: overlaid.use)
  }

  private let device: DeviceIdentity
  /// What operators should know of the device's name; nil where nobody needs to.
  let deviceNote: String?
  /// What cannot be used, with what is done instead.
  private(set) var problems: [Event] = []

  /// - Parameter old: what is in force; what was fine there and is not now is no reason to do without.
  init(_ overlaid: Overlaid, insteadOf old: Plan? = nil) throws {
    (settings, self.overlaid) = (overlaid.settings, overlaid)
    schedule = try Schedule(rules: settings.schedule)
    let found = DeviceNameFile(queuePath: settings.queue.path).identity(of: settings, insteadOf: old?.device)
    (device, deviceNote) = (found.identity, found.note)
    identity = StatusDocument.Identity(
      device: device.name, version: Version.text, settingsHash: SettingsHash.of(settings),
      bootID: HostClock.bootID(), source: device.source)
    let copies = Copies(queuePath: settings.queue.path)
    (geofences, zone) = ([], nil)
    zone = try readZone(copies, old)
    geofences = try readGeofences(copies, old)
  }

  /// A board that a card was copied to, or moved, has its own name where none is set.
  mutating func name(by queue: QueueStore) {
    guard isNamedByMachine, let suffix = queue.boardSuffix else { return }
    identity.device += "-\(suffix)"
  }

  /// A name that somebody has given stays on every board: its token goes with it.
  private var isNamedByMachine: Bool { settings.deviceID.isEmpty && device.source != .enrolled }

  /// For operators, after a start on another board, or back on the first one: servers know the device by its name.
  ///
  /// - Parameter before: `QueueStore.boardSuffix` of the run before.
  func nameNote(of queue: QueueStore, after before: String?) -> String? {
    guard isNamedByMachine, queue.boardSuffix != before else { return nil }
    let why = queue.boardSuffix == nil ? "the board where its queue began" : "another board"
    let name = identity.device
    return "the device is named \(name) from now on, as it is on \(why); device_id would keep one name"
  }

  static func named(_ name: String, insteadOf before: String) -> String {
    "the device is named \(name) from now on, and no longer \(before)"
  }

  var idleRules: [String] { zone.map { Plan.idleRules(of: settings, in: $0) } ?? [] }

  /// Rules that cannot mean what was meant, in words.
  static func idleRules(of settings: Settings, in zone: SystemZone) -> [String] {
    let now_s = max(HostClock.now().wall_ms, Version.released_ms) / 1000
    return Schedule.neverOpening(settings.schedule, from: now_s, in: zone).map { index in
      "schedule rule \(index + 1) \(SettingText.quoted(settings.schedule[index])) opens at no time from now on"
    }
  }

  private mutating func readZone(_ copies: Copies, _ old: Plan?) throws -> SystemZone? {
    do throws(ZoneError) {
      let zone = try SystemZone(settings.timezone)
      copies.keep(zone, setting: settings.timezone)
      return zone
    } catch {
      let isSame = old?.settings.timezone == settings.timezone
      // A reload with another zone: the old settings go on.
      if old != nil, !isSame { throw ExitReason.settings.exit("\(error)") }
      let last = (isSame ? old?.zone : nil) ?? copies.zone(setting: settings.timezone)
      let instead =
        last != nil
        ? "the last good one goes on"
        : schedule.isAlwaysOpen
          ? "no schedule is set, so tracking continues" : "the schedule's windows stay closed"
      problems.append(.fileUnusable(.zone, "\(error); \(instead), and it is tried again"))
      return last
    }
  }

  private mutating func readGeofences(_ copies: Copies, _ old: Plan?) throws -> [Geofence] {
    let path = settings.geofencesFile
    if path.isEmpty { return overlaid.geofences ?? [] }
    do throws(GeofencesFile.Refusal) {
      let (fences, bytes) = try GeofencesFile.read(path)
      copies.keep(geofences: bytes, path: path)
      return overlaid.geofences ?? fences
    } catch {
      // It counts again once the server's are taken back: somebody should know before.
      if let geofences = overlaid.geofences {
        let words = "\(error.words); the server's geofences are in force, and it is tried again"
        problems.append(.fileUnusable(.geofences, words))
        return geofences
      }
      // A reload with another file: the old settings go on.
      if let old, old.settings.geofencesFile != path { throw error.exit }
      let last =
        old.flatMap { $0.overlaid.geofences == nil ? $0.geofences : nil } ?? copies.geofences(path: path)
      // There may never have been good ones, or they may have been none.
      let instead = last?.isEmpty ?? true ? "no geofence is watched" : "the last good ones go on"
      problems.append(.fileUnusable(.geofences, "\(error.words); \(instead), and it is tried again"))
      return last ?? []
    }
  }
}

/// The last good zone and geofences, beside the queue.
private struct Copies {
  let queuePath: String
  private var zonePath: String { queuePath + ".zone" }
  private var geofencesPath: String { queuePath + ".geofences" }

  func zone(setting: String) -> SystemZone? {
    guard let text = text(of: zonePath, most: 65_536) else { return nil }
    return SavedZone.zone(in: text, setting: setting)
  }

  func keep(_ zone: SystemZone, setting: String) {
    write(zonePath, SavedZone.text(zone, setting: setting), most: 65_536)
  }

  func geofences(path: String) -> [Geofence]? {
    guard let text = text(of: geofencesPath, most: GeofenceDocument.mostBytes + 4096),
      let end = text.firstIndex(of: "\n"), text[..<end] == "godwit geofences 1 \(path)"
    else { return nil }
    return try? GeofenceDocument.parse(Array(text[text.index(after: end)...].utf8), file: path)
  }

  func keep(geofences bytes: [UInt8], path: String) {
    let text = "godwit geofences 1 \(path)\n" + String(decoding: bytes, as: UTF8.self)
    write(geofencesPath, text, most: GeofenceDocument.mostBytes + 4096)
  }

  private func text(of path: String, most: Int) -> String? {
    (try? OutsideFile.read(path, limit_bytes: most)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Where it cannot be kept the storage has failed, which its queue reports.
  private func write(_ path: String, _ new: String, most: Int) {
    guard text(of: path, most: most) != new else { return }
    try? QueueStore.makeFolder(of: path)
    try? DurableFile.write(path, new)
  }
}

/// The settings of a file with those of the server over them.
struct Overlaid {
  let settings: Settings
  /// In place of the file of `geofences_file`; nil: that counts.
  let geofences: [Geofence]?
  let use: OverlayUse

  /// An overlay that does not fit the file does not count.
  init(_ file: SettingsFile, under overlay: Overlay?) {
    guard let overlay else {
      self.init(settings: file.settings, geofences: nil, use: OverlayUse())
      return
    }
    guard file.settings.sync.config else {
      self.init(settings: file.settings, use: .switchedOff)
      return
    }
    var problems: [String] = []
    let settings = Overlaid.attempt(&problems) { () throws(OverlayProblem) in
      try file.settings(under: overlay)
    }
    let geofences = Overlaid.attempt(&problems) { () throws(OverlayProblem) in
      let geofences = try overlay.geofences.map(Overlaid.geofences)
      try Overlaid.refuseHidden(in: geofences ?? [])
      return geofences
    }
    if let settings, let geofences {
      self.init(settings: settings, geofences: geofences, use: OverlayUse(version: overlay.version))
    } else {
      self.init(settings: file.settings, use: OverlayUse(problem: "\(OverlayProblem(problems))"))
    }
  }

  /// - Returns: nil, and what is wrong, where it cannot be used.
  private static func attempt<Value>(
    _ problems: inout [String], _ work: () throws(OverlayProblem) -> Value
  ) -> Value? {
    do throws(OverlayProblem) { return try work() } catch {
      problems += error.problems
      return nil
    }
  }

  init(settings: Settings, geofences: [Geofence]? = nil, use: OverlayUse = OverlayUse()) {
    (self.settings, self.geofences, self.use) = (settings, geofences, use)
  }

  /// Ids are shown on terminals and in pages. In a file of the user's own they are the user's.
  private static func refuseHidden(in fences: [Geofence]) throws(OverlayProblem) {
    let problems = fences.enumerated().compactMap { index, fence in
      fence.id.unicodeScalars.first(where: PlainText.isHidden).map { scalar in
        "geofences: feature \(index + 1): its id has a character that nobody sees, \(PlainText.name(of: scalar))"
      }
    }
    if !problems.isEmpty { throw OverlayProblem(problems) }
  }

  /// Only the number of a feature is told: its name and its corners are the server's.
  private static func geofences(_ text: String) throws(OverlayProblem) -> [Geofence] {
    do throws(GeofenceDocumentError) {
      return try GeofenceDocument.parse(Array(text.utf8), file: "geofences")
    } catch {
      throw OverlayProblem(
        error.problems.map { problem in
          let feature = problem.feature > 0 ? "feature \(problem.feature): " : ""
          return "geofences: \(feature)\(problem.reason)"
        })
    }
  }
}

extension GeofencesFile {
  /// For a command that shows them. - Returns: no fences before the first was added.
  static func readIfThere(_ path: String) throws -> [Geofence] {
    access(path, F_OK) != 0 && errno == ENOENT ? [] : try readOrExit(path)
  }

  /// For a command. - Returns: no fences where no file is named.
  static func readOrExit(_ path: String) throws -> [Geofence] {
    if path.isEmpty { return [] }
    do throws(Refusal) { return try read(path).fences } catch { throw error.exit }
  }
}

extension GeofencesFile.Refusal {
  /// Says so on standard error and gives the exit code to throw.
  var exit: ExitCode {
    Terminal.error(words + "\n")
    return ExitCode(ExitReason.settings.rawValue)
  }
}
