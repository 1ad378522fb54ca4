import Glibc
import TrackerAgent
import TrackerBase
import TrackerIO
import TrackerWire

/// `run.directory`, where others find the agent: the control socket, the status, and what `godwit power off` needs.
///
/// It may be full, or removed while the agent runs. Then the agent goes on without, says so, and puts everything back
/// as soon as it can.
final class RunFolder {
  private let settings: Settings
  private let directory: String
  private let control: ControlSource
  private let troubles: HostProblems
  private let log: Log
  /// The note is of this agent, and not of one before it.
  private var isNoted = false
  /// Of the last attempt to put everything back.
  private var missing: String?
  /// What was reported since all was well.
  private var reported: Set<String> = []
  private var triedAt_ms: Int64 = .min / 2

  /// What is missing is looked for with each status and sign of life, but not oftener than this.
  static let retry_ms: Int64 = 5000

  init(_ settings: Settings, control: ControlSource, troubles: HostProblems, log: Log) {
    (self.settings, directory) = (settings, settings.run.directory)
    (self.control, self.troubles, self.log) = (control, troubles, log)
  }

  /// Boot time at which the process before this one last gave a sign of life; nil if it was in another boot.
  static func lastAlive_ms(in directory: String, bootID: String) -> Int64? {
    guard let text = try? DurableFile.read(directory + "/alive") else { return nil }
    let words = text.split(whereSeparator: \.isWhitespace)
    return words.count == 2 && String(words[0]) == bootID ? Int64(words[1]) : nil
  }

  /// Everything but the status, which is not known yet.
  func begin() { report(putBack()) }

  /// Replaces the status, and puts back what is missing.
  func publish(_ status: String, at now: Moment) {
    putBackInTime(at: now)
    tell(words { try StatusFile.write(directory + "/status.json", status + "\n") })
  }

  /// With each sign of life: puts back what is missing.
  ///
  /// - Parameter isNoted: it is written down as well, for the next process.
  /// - Returns: whether it was.
  func alive(at now: Moment, isNoted: Bool) -> Bool {
    putBackInTime(at: now)
    let failure =
      isNoted
      ? words { try StatusFile.write(directory + "/alive", "\(HostClock.bootID()) \(now.boot_ms)\n") } : nil
    tell(failure)
    return isNoted && failure == nil
  }

  private func putBackInTime(at now: Moment) {
    guard now.boot_ms - triedAt_ms >= RunFolder.retry_ms else { return }
    triedAt_ms = now.boot_ms
    missing = putBack()
  }

  private func tell(_ failure: String?) {
    report(missing)
    report(failure)
    if missing == nil, failure == nil, !reported.isEmpty {
      reported = []
      log.write(.notice, "\(directory) is as it should be again")
    }
  }

  /// - Returns: what went wrong.
  private func putBack() -> String? {
    words {
      if access(directory, F_OK) != 0 { mkdir(directory, 0o755) }
      if !isNoted || access(PowerNote.path(in: directory), F_OK) != 0 { try PowerNote.write(settings) }
      isNoted = true
      try control.listenAgain()
    }
  }

  private func words(_ work: () throws -> Void) -> String? {
    do {
      try work()
      return nil
    } catch { return "\(error)" }
  }

  /// Each problem once, until all is well.
  private func report(_ problem: String?) {
    guard let problem, reported.insert(problem).inserted else { return }
    troubles.report(.runFolder("\(problem); the agent goes on without it, and tries again"))
  }
}

/// The journal, status.json and systemd.
final class StatusPublisher: StatusPort {
  private let logger: Log
  private let folder: RunFolder
  private let identity: StatusDocument.Identity
  private var sign = SignOfLife(watchdog_ms: Supervisor.watchdogTimeout_ms)

  init(log: Log, folder: RunFolder, identity: StatusDocument.Identity) {
    logger = log
    self.folder = folder
    self.identity = identity
  }

  func log(_ level: RunSettings.LogLevel, _ text: String) { logger.write(level, text) }

  func publish(_ status: TrackerStatus) {
    folder.publish(StatusDocument.json(status, identity: identity), at: HostClock.now())
    let (motion, sync) = (status.motion.state.rawValue, status.sync.state.rawValue)
    Supervisor.status("\(motion), \(status.queue.records) queued, sync \(sync)")
  }

  func started() { Supervisor.ready() }

  func stopping() { Supervisor.stopping() }

  func alive(at now: Moment, gpsIsOn: Bool) -> Int64? {
    if sign.isDue(at: now.boot_ms, gpsIsOn: gpsIsOn) {
      if let watch_ms = sign.watch_ms { Supervisor.alive(within_ms: watch_ms) }
      if folder.alive(at: now, isNoted: sign.wantsNote) { sign.noted() }
    }
    return sign.next_ms
  }
}

/// When the loop says that it turns: to systemd's watchdog, and to the next process by the file `alive`.
///
/// What wakes the loop otherwise does for it too, and puts off the next time.
struct SignOfLife {
  /// What the unit says, for a loop that hangs with the GPS on; nil without a watchdog.
  private let closeWatch_ms: Int64?
  /// What the watchdog is told: without another sign for so long the process is killed; nil without one.
  private(set) var watch_ms: Int64?
  private var givenAt_ms: Int64 = .min / 2
  private var notedAt_ms: Int64 = .min / 2

  /// The next process is to know within so long when this one ended, whatever the watchdog wants.
  static let promised_ms: Int64 = 60_000
  static let pause_ms: Int64 = 55_000
  /// Signs that come oftener are not all written down.
  static let note_ms: Int64 = 20_000

  /// With the GPS off a loop that hangs harms nothing at once, and each sign wakes the board.
  static let leisurelyWatch_ms: Int64 = 120_000

  /// Not oftener than this, nor in less than half a pause, however often the loop turns.
  static let least_ms: Int64 = 25_000

  init(watchdog_ms: Int64?) { closeWatch_ms = watchdog_ms }

  /// - Returns: whether one is to be given now; it counts as given.
  mutating func isDue(at now_ms: Int64, gpsIsOn: Bool) -> Bool {
    let wanted_ms = closeWatch_ms.map { gpsIsOn ? $0 : max($0, SignOfLife.leisurelyWatch_ms) }
    defer { watch_ms = wanted_ms }
    guard wanted_ms != watch_ms || now_ms - givenAt_ms >= min(pause_ms(wanted_ms) / 2, SignOfLife.least_ms)
    else {
      return false
    }
    givenAt_ms = now_ms
    return true
  }

  /// The file is to be written with the sign that was just given, since it is old, or would be too old by the next one.
  var wantsNote: Bool {
    givenAt_ms - notedAt_ms >= SignOfLife.note_ms || next_ms - notedAt_ms > SignOfLife.promised_ms
  }

  /// It was.
  mutating func noted() { notedAt_ms = givenAt_ms }

  /// When the next one is to be given, whatever else happens.
  var next_ms: Int64 { givenAt_ms + pause_ms(watch_ms) }

  /// Twice within what the watchdog waits: one may get lost.
  private func pause_ms(_ watch_ms: Int64?) -> Int64 { min((watch_ms ?? .max) / 2, SignOfLife.pause_ms) }
}
