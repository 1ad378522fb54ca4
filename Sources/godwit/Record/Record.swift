import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Write what gpsd sends into a new file that simulate reads.",
    discussion: """
      Beside a running agent or without one, until Ctrl-C or the end of --for. The GPS is not switched: with an agent \
      it has power when that wants it (godwit track --for 2h). gpsd may come and go. The file holds places, and only its \
      owner may read it; - is standard output.

      Exit codes: 0 done, 64 a mistake on the command line, 69 gpsd sent no report of a position, 71 anything else of \
      the system, 73 the file cannot be written, or is there already, 78 a mistake in the settings file.
      """)

  @Argument(help: "The new file, or -.", completion: .file()) var file: String
  @Option(name: .customLong("for"), help: "For how long, such as 2h or 1h30m; else until Ctrl-C.")
  var length: String?
  @Option(
    help: "Settings file, for where gpsd is. Default: that of this machine, or port 2947 here.",
    completion: .settings)
  var config: String?

  func run() throws {
    let length_s = try length.map { try lengthOption_s($0) }
    let gps = try RecordCommand.settings(config).gps
    // What is in it stays, however the recorder ends.
    let file = try NewFile(
      file, content: "recording", remains: "what is in it stays", endsWithReader: true)
    let recorder = try ExitReason.system.attempt { try Recorder(gps, into: file, name: self.file) }
    try recorder.run(for: length_s)
  }

  /// A desk has no settings file, and mostly a gpsd.
  private static func settings(_ path: String?) throws -> Settings {
    if let path { return try SettingsLocation.readOrLastGood(path).settings }
    return SettingsLocation.running(SettingsLocation.standard) ?? Settings()
  }
}

/// Writes gpsd's lines into a file until somebody ends it, over gpsd's own ends.
final class Recorder {
  private let gpsd: GPSDConnection
  private let file: NewFile
  private var bytes: Int64 = 0
  private let name: String
  private let signals: Signals
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var problem: (any Error)?
  private var (reports, fixes) = (0, 0)
  /// What was said of gpsd last, to say it once.
  private var complaint = ""
  private var (opensAt_ms, flushesAt_ms, wondersAt_ms): (Int64, Int64, Int64) = (0, 0, 0)

  private static let retry_ms: Int64 = 5000
  private static let flush_ms: Int64 = 30_000
  /// A module that has just been switched on is silent for a second or two.
  private static let silence_ms: Int64 = 15_000

  init(_ settings: GPSSettings, into file: NewFile, name: String) throws {
    gpsd = GPSDConnection(host: settings.host, port: settings.port)
    (self.file, self.name) = (file, name)
    signals = try Signals()
    gpsd.heard = { [unowned self] line in
      do { try write(line) } catch { problem = problem ?? error }
    }
  }

  /// gpsd ends its lines with CR and LF; files here end theirs with LF.
  private func write(_ line: [UInt8]) throws {
    let text = (line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]) + [UInt8(ascii: "\n")]
    try file.write(text)
    bytes += Int64(text.count)
  }

  func run(for length_s: Int64?) throws {
    let began_ms = HostClock.now().boot_ms
    let end_ms = length_s.map { began_ms + $0 * 1000 }
    (flushesAt_ms, wondersAt_ms) = (began_ms + Self.flush_ms, began_ms + Self.silence_ms)
    while try !isOver(end_ms) {
      let now_ms = HostClock.now().boot_ms
      if gpsd.isClosed, now_ms >= opensAt_ms { open(now_ms) }
      if now_ms >= flushesAt_ms {
        try file.flush()
        flushesAt_ms = now_ms + Self.flush_ms
      }
      wonder(now_ms)
      let timeout_ms = min(1000, end_ms.map { max(0, $0 - now_ms) } ?? 1000)
      let ready = Poller.wait(
        gpsd.descriptors + [PollDescriptor(descriptor: signals.descriptor)], timeout_ms: Int(timeout_ms))
      gpsd.receive(ready: ready).forEach(take)
    }
    gpsd.close()
    try file.flush()
    try finish()
  }

  private func isOver(_ end_ms: Int64?) throws -> Bool {
    if let problem { throw problem }
    if !signals.receive().isEmpty { return true }
    return end_ms.map { HostClock.now().boot_ms >= $0 } ?? false
  }

  private func open(_ now_ms: Int64) {
    opensAt_ms = now_ms + Self.retry_ms
    do throws(GPSDError) { try gpsd.open() } catch { complain("\(error)") }
  }

  private func take(_ event: GPSDEvent) {
    switch event {
    case .report(let report):
      reports += 1
      if report.mode >= 2 { fixes += 1 }
      complaint = ""
      showProgress()
    case .lost(let reason): complain(reason)
    case .error(let words): complain(words.rawValue)
    case .devices, .frame: break
    }
  }

  private func complain(_ words: String) {
    guard words != complaint else { return }
    complaint = words
    say("\(words); tried again every \(Self.retry_ms / 1000) s")
  }

  private func wonder(_ now_ms: Int64) {
    guard now_ms >= wondersAt_ms else { return }
    wondersAt_ms = .max
    guard reports == 0, gpsd.isOpen else { return }
    say(
      "gpsd answers, and its receiver says nothing: has it power? With an agent, godwit status says why it is off, and "
        + "godwit track --for 2h switches it on")
  }

  private func showProgress() {
    if isTerminal { Terminal.error("\r\(counted(reports, "report")), \(fixes) with a fix") }
  }

  private func say(_ words: String) { Terminal.error("\(isTerminal ? "\r\u{1B}[K" : "")godwit: \(words)\n") }

  private func finish() throws {
    guard reports > 0 else {
      // A file without a report would be in the way of the next try.
      file.remove()
      throw ExitReason.unavailable.exit("gpsd sent no report of a position: nothing was recorded")
    }
    let use = fixes > 0 && name != "-" ? "; godwit simulate --track \(name) replays it" : ""
    say("\(counted(reports, "report")), \(fixes) with a fix, \(bytes / 1000) kB\(use)")
  }
}
