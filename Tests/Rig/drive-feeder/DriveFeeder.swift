import ArgumentParser
import CFeeder
import DriveGenerator
import Glibc

/// The command: a simulated GPS module on a pty.
@main
struct DriveFeeder: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drive-feeder",
    abstract: "Plays a drive as a GPS module on a serial line would.",
    discussion: """
      The module writes NMEA to a pseudo-terminal; point gpsd at --link. It obeys a power line, searches after \
      power-on, and loses what nobody reads. The world goes on while it is off. On its end, SIGTERM or ctrl-C \
      it prints one line of counts.
      """)

  @Option(help: "Where to put the symbolic link to the pseudo-terminal.")
  var link: String?

  @Option(help: "Decides the noise of the generated drive, and the weeks of --weeks.")
  var seed: UInt64 = 1

  @Option(help: "Generate so many weeks of a delivery van, up to 8, instead of half an hour.")
  var weeks: Int?

  @Option(help: "Play this track instead: raw NMEA (lines unchanged) or GPX (as 1 Hz).")
  var track: String?

  @Option(help: "Epochs per second, above 0 to 1000.")
  var speed: Double = 1

  @Option(help: "Instead of --speed, for a track: as fast as needed to end within so many seconds.")
  var withinS: Int?

  @Option(
    help: """
      When the drive begins on the GPS clock: now, recorded, or a time such as 2026-03-02T07:00:00Z. Default: \
      now; recorded for a track.
      """,
    transform: DriveFeeder.parseStart)
  var start: StartTime?

  @Option(help: "The power line: a file that holds 1 or 0, off while it is missing. Without it always on.")
  var powerFile: String?

  @Flag(help: "Begin the drive at the first power-on.")
  var waitPower = false

  @Option(help: "Epochs without a fix after the first power-on, and after a long time off.")
  var coldStartS = 8

  @Option(help: "Epochs without a fix after a shorter time off.")
  var warmStartS = 2

  @Option(help: "Off for fewer epochs than this is a shorter time.")
  var warmWithinS = 7_200

  @Flag(help: "Stay parked at the last position after the end, instead of exiting.")
  var holdAfterEnd = false

  @Flag(help: "Drive the first generated trip to and fro, and never arrive.")
  var toAndFro = false

  @Option(
    help:
      "Play up to the epoch whose number stands in this file, remove it there, and wait for another; do not exit."
  )
  var upTo: String?

  @Option(help: "Write the true trips and totals to this file (JSON) when the drive begins.")
  var truth: String?

  @Option(help: "Write the whole drive to this file when it begins, as CSV for godwit simulate.")
  var drive: String?

  @Flag(help: "Only write --drive and --truth, and play nothing: no --link.")
  var writeOnly = false

  @Option(help: "Log each epoch that was sent with a fix to this file (a JSON object a line).")
  var sent: String?

  static func parseStart(_ text: String) throws -> StartTime {
    switch text {
    case "now": return .now
    case "recorded": return .recorded
    default:
      guard let time = UTCTime(iso8601: text) else {
        throw ValidationError("'\(text)' is not now, recorded, or a time such as 2026-03-02T07:00:00Z.")
      }
      return .at(time.unix_ms)
    }
  }

  func validate() throws {
    // Also refuses nan, which compares false to everything.
    guard speed > 0 && speed <= 1000 else {
      throw ValidationError("--speed must be above 0 and at most 1000.")
    }
    if let withinS, track == nil || withinS < 1 {
      throw ValidationError("--within-s needs --track and at least one second.")
    }
    guard min(coldStartS, warmStartS, warmWithinS) >= 0 else {
      throw ValidationError("--cold-start-s, --warm-start-s and --warm-within-s must not be negative.")
    }
    guard writeOnly ? link == nil && (drive ?? truth) != nil : link != nil else {
      throw ValidationError("--link says where to play; or --write-only with --drive or --truth.")
    }
    if let weeks, track != nil || !(1...8).contains(weeks) {
      throw ValidationError("--weeks is for a generated drive, and at most 8.")
    }
    if toAndFro && (track != nil || holdAfterEnd) {
      throw ValidationError(
        "--to-and-fro is for a generated drive, and never ends: leave out --track and --hold-after-end.")
    }
    if waitPower && powerFile == nil { throw ValidationError("--wait-power needs --power-file.") }
    if track == nil && start == .recorded {
      throw ValidationError("--start recorded needs --track: a generated drive has no recorded time.")
    }
    if track != nil && drive != nil {
      throw ValidationError("--drive is for a generated drive: a recorded track is a file already.")
    }
    if track != nil && truth != nil {
      throw ValidationError(
        "--truth needs a generated drive: nobody knows the true trips of a recorded track.")
    }
  }

  func run() throws {
    if writeOnly {
      _ = try programme(nil)
      return
    }
    let recorded = try track.map { try TrackReader.read(path: $0) }
    try checkTimes(of: recorded)
    let stopSignals = try checked("signalfd") { feeder_open_stop_signals() }
    let sentFile = try sent.map { (descriptor: try OutputFile.create($0), path: $0) }
    let powerLine = try powerFile.map { try PowerLine(path: $0) }
    let terminal = try PseudoTerminal(link: link ?? "")
    defer { terminal.removeLink() }
    var player = Player(
      terminal: terminal, powerLine: powerLine, stopSignals: stopSignals, speed: speed(of: recorded),
      sentFile: sentFile,
      power: ModulePower(coldStart_s: coldStartS, warmStart_s: warmStartS, warmWithin_s: warmWithinS))
    player.upTo = upTo.map { UpTo(path: $0) }
    try player.readPower()
    if try !waitPower || player.waitForPower() { try player.play(try programme(recorded)) }
    print(player.counts.summary)
  }

  private func speed(of recorded: [PlayedEpoch]?) -> Double {
    guard let withinS, let recorded else { return speed }
    return min(1000, max(1, Double(recorded.count) / Double(withinS)))
  }

  private func checkTimes(of recorded: [PlayedEpoch]?) throws {
    guard let recorded, recorded.allSatisfy({ $0.time_ms == nil }) else { return }
    if holdAfterEnd || (start ?? .recorded) != .recorded {
      throw ValidationError(
        "\(track ?? "the track"): has no date (RMC), which --start and --hold-after-end need.")
    }
  }

  /// What to play, and the truth about it. The drive is made only now, since it may begin now.
  private func programme(_ recorded: [PlayedEpoch]?) throws -> Programme {
    if let recorded { return Programme(recorded, start: start ?? .recorded, holds: holdAfterEnd) }
    var start_ms = StartTime.now_ms
    if case .at(let time_ms) = start { start_ms = time_ms }
    let plan = weeks.map { DrivePlan.weeks($0, seed: seed) } ?? .demo
    let made = Drive(plan: plan, seed: seed, start_ms: start_ms)
    if let truth { try OutputFile.place(made.truthJSON, at: truth) }
    if let drive { try OutputFile.place(made.csv, at: drive) }
    if toAndFro { return Programme(toAndFro: made) }
    return Programme(made.epochs.map { PlayedEpoch($0) }, start: .recorded, holds: holdAfterEnd)
  }
}
