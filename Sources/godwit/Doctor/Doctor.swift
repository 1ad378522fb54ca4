import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

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
    let settings: Settings
    var report = DoctorReport(
      device: "?", version: Version.text, time_ms: HostClock.now().wall_ms, findings: [])
    func note(_ found: [Finding]) {
      report.findings += found
      for finding in found { show(DoctorReport.lines(of: finding)) }
    }
    switch SettingsExam.read(config) {
    case .success(let found): settings = found
    case .failure(let problem):
      show([report.head, ""])
      note([problem] + Self.rest(after: .settings, because: "the settings cannot be read"))
      show(["", report.sum])
      return report
    }
    let agent = AgentLink(settings)
    report.device =
      agent.device
      ?? DeviceNameFile(queuePath: settings.queue.path)
      .identity(of: settings, keeps: false).identity.name
    show([report.head, ""])
    note([SettingsExam.finding(settings, config: config, agent)])
    // Held to the end: no agent begins meanwhile.
    let lock = agent.isThere ? nil : Self.lock(of: settings.queue.path)
    withExtendedLifetime(lock) {
      note([ClockExam.finding(settings, agent)])
      note(ReceiverExam(settings, agent, patience_s: gpsPatience_s, say: progress).findings())
      note([
        LineExam(
          .ignition, settings, agent, isAsked: waits.ignition, patience_s: linePatience_s, say: progress
        )
        .finding(),
        LineExam(
          .vibration, settings, agent, isAsked: waits.vibration, patience_s: linePatience_s, say: progress
        ).finding(),
      ])
      note([ModemExam.finding(settings)])
      note(ServerExam(settings, agent, device: report.device, say: progress).findings())
      note(StorageExam(settings, agent).findings())
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
