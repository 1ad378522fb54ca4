import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Is everything well with this box? For whoever has just fitted it.",
    discussion: """
      Looks at settings, clock, gpsd, the GPS module's power, antenna and first fix, lines, modem, server, queue and \
      card, in this order, and says of each what is wrong and what to do. Three minutes at most for the GPS, or \
      --gps-patience.

      Works beside a running agent, which then does the switching and sending, and without one. A record that waits is \
      sent to the server, where it counts once; where none waits, one that says "test" and has no place.

      godwit doctor --wait-ignition --qr

      Exit codes: 0 nothing has failed, 1 something has, 64 a mistake on the command line.
      """)

  @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard
  @Flag(help: "As JSON, one object (docs/commands.md).") var json = false
  @Flag(help: "Wait for the ignition to be switched, and see the line change.") var waitIgnition = false
  @Flag(help: "Wait for the vehicle to be knocked at, and see the vibration line.") var waitVibration = false
  @Option(help: "How long to wait for a fix, such as 3m; 0s: the GPS is left alone.") var gpsPatience = "3m"
  @Option(help: "How long to wait for ignition and vibration, such as 60s.") var linePatience = "60s"
  @Flag(help: "Show the result as a QR code to photograph; needs the program qrencode.") var qr = false

  func run() throws {
    let report = Doctor(
      config: config, waits: (waitIgnition, waitVibration),
      gpsPatience_s: try Self.length(gpsPatience, "--gps-patience", mayBeNone: true),
      linePatience_s: try Self.length(linePatience, "--line-patience"), isQuiet: json
    ).examine()
    if json { Terminal.print(report.json + "\n") }
    // Drawn by Debian's own program: an encoder of our own would be a thousand lines for what others do well.
    if qr, let problem = Subprocess.problem(running: ["qrencode", "-t", "ANSIUTF8", "-m", "2", report.code]) {
      Terminal.error("godwit: no QR code: \(problem); apt-get install qrencode has it installed\n")
    }
    if !report.isFine { throw ExitCode(ExitReason.failed.rawValue) }
  }

  private static func length(_ text: String, _ option: String, mayBeNone: Bool = false) throws -> Int64 {
    if mayBeNone, text == "0s" || text == "0" { return 0 }
    guard let length_s = lengthInSeconds(text), length_s <= 3600 else {
      throw ExitReason.usage.exit("\(option) \"\(text)\" is not a length such as 90s or 3m, of at most 1h")
    }
    return length_s
  }
}

/// Looks at everything in turn, and shows each finding as it is made.
struct Doctor {
  let config: String
  let waits: (ignition: Bool, vibration: Bool)
  /// 0: the GPS is left alone.
  let gpsPatience_s: Int64
  let linePatience_s: Int64
  /// Findings are shown at the end only, by somebody else.
  let isQuiet: Bool

  func examine() -> DoctorReport {
    let file: SettingsFile
    var report = DoctorReport(
      device: "?", version: Version.text, time_ms: HostClock.now().wall_ms, findings: [])
    func note(_ found: [Finding]) {
      report.findings += found
      for finding in found { show(DoctorReport.lines(of: finding)) }
    }
    do throws(SettingsFileError) { file = try SettingsFile.read(config) } catch {
      show([report.head, ""])
      let problem = SettingsExam.unreadable(config, error)
      note([problem] + Self.rest(after: .settings, because: "the settings cannot be read"))
      show(["", report.sum])
      return report
    }
    let settings = file.settings
    let agent = AgentLink(settings)
    report.device =
      agent.device
      ?? DeviceNameFile(queuePath: settings.queue.path)
      .identity(of: settings, keeps: false).identity.name
    show([report.head, ""])
    note([SettingsExam.finding(file, config: config, agent)])
    // Held to the end: no agent begins meanwhile.
    let lock = agent.isThere ? nil : Self.lock(of: settings.queue.path)
    withExtendedLifetime(lock) {
      note([ClockExam.finding(settings, agent)])
      note(
        ReceiverExam(settings: settings, agent: agent, patience_s: gpsPatience_s, say: progress).findings())
      for (line, isAsked) in [(InputLine.ignition, waits.ignition), (.vibration, waits.vibration)] {
        let exam = LineExam(
          line: line, settings: settings.inputLines.first { $0.line == line && $0.input.exists }?.input,
          agent: agent, patience_s: linePatience_s, say: progress)
        note([exam.finding(isAsked: isAsked)])
      }
      note([ModemExam.finding()])
      note(ServerExam(settings: settings, agent: agent, device: report.device, say: progress).findings())
      note([StorageExam.queue(settings, agent), StorageExam.card(settings)])
      note([SleepExam.finding(settings)])
    }
    show(["", report.sum])
    return report
  }

  /// Of the agent's user: one that root had made would keep the agent from starting.
  private static func lock(of queue: String) -> ProcessLock? {
    AgentUser.asOwner(ofQueue: queue) { try? ProcessLock(path: queue + ".lock") }
  }

  static func rest(after subject: Finding.Subject, because words: String) -> [Finding] {
    Finding.Subject.allCases.drop { $0 != subject }.dropFirst().map { .notTried($0, words) }
  }

  private func show(_ lines: [String]) {
    guard !isQuiet else { return }
    Terminal.print(lines.map { PlainText.line($0, instead: "?") + "\n" }.joined())
  }

  /// What somebody is to do, or to wait for.
  private func progress(_ words: String) { Terminal.error("\(words)\n") }
}
