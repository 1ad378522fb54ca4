import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

/// The settings file and what it names.
enum SettingsExam {
  static func unreadable(_ config: String, _ error: SettingsFileError) -> Finding {
    let lines = error.description.split(separator: "\n").map { String($0) }
    return .fail(.settings, first(of: lines), "godwit check \(config) names every mistake")
  }

  private static func first(of problems: [String]) -> String {
    (problems.first ?? "") + (problems.count > 1 ? ", and \(problems.count - 1) more" : "")
  }

  static func finding(_ file: SettingsFile, config: String, _ agent: AgentLink) -> Finding {
    let problems = Check.problems(of: file)
    if !problems.isEmpty {
      return .fail(.settings, first(of: problems), "godwit check \(config) names all of them")
    }
    if let refusal = agent.refusal {
      return .fail(.settings, "an agent runs, and cannot be asked: \(refusal)", "use sudo, or restart godwit")
    }
    let hash = agent.status?["settings"]?.string
    if let hash, hash != SettingsHash.of(file.settings), agent.status?["config"] == nil {
      return .fail(
        .settings, "\(config) is fine, and the running agent has other settings",
        "sudo systemctl reload godwit, or restart it")
    }
    return .pass(.settings, "\(config) is fine; \(agent.isThere ? "an agent runs" : "no agent runs")")
  }
}

/// Zone and clock.
enum ClockExam {
  static func finding(_ settings: Settings, _ agent: AgentLink) -> Finding {
    let zone: SystemZone
    do throws(ZoneError) { zone = try SystemZone(settings.timezone) } catch {
      return .fail(.clock, "\(error)", "install the package tzdata, or correct timezone")
    }
    let now_s = HostClock.now().wall_ms / 1000
    let local = ISO8601.text(ms: (now_s + Int64(zone.offset_s(at: now_s))) * 1000)
    let shown = "\(local.prefix(10)) \(local.dropFirst(11).prefix(5)) in \(zone.name)"
    switch agent.status?["clock_source"]?.string {
    case "gps": return .pass(.clock, "\(shown), kept right by GPS")
    case "ntp": return .pass(.clock, "\(shown), kept right by the system")
    default: break
    }
    if HostClock.isSynchronised() { return .pass(.clock, "\(shown), kept right by the system") }
    if now_s * 1000 < Version.released_ms {
      return .fail(
        .clock, "\(shown), which is before this version was made",
        "a network or a GPS fix will set it; without either the schedule waits")
    }
    return .pass(.clock, "\(shown), by the board alone: a network or a GPS fix will confirm it")
  }
}

/// Operator and signal.
enum ModemExam {
  /// ModemManager answers within so long, or has no modem.
  private static let patience_ms: Int64 = 4000

  static func finding() -> Finding {
    let manager = ModemManager()
    let end_ms = HostClock.now().boot_ms + patience_ms
    var found: [Modem]?
    while found == nil, HostClock.now().boot_ms < end_ms {
      found = manager.drive(at: HostClock.now().boot_ms)
      if found == nil { _ = Poller.wait(manager.descriptors, timeout_ms: 200) }
    }
    guard let modems = found, let modem = modems.first(where: \.isOn) ?? modems.first else {
      return .notTried(.modem, "ModemManager shows no modem; another network may do")
    }
    guard modem.isOn else { return .fail(.modem, "the modem is off", "mmcli -m any --enable") }
    let signal = modem.signal_percent.map { ", signal \($0) %" } ?? ""
    let technology = modem.technology.map { ", \($0.rawValue)" } ?? ""
    switch modem.registration {
    case .home, .roaming:
      let words = "\(modem.operatorName)\(technology)\(signal)"
      let isWeak = (modem.signal_percent ?? 100) < 15
      return isWeak
        ? .fail(.modem, words, "the modem's antenna: is it connected, and outside of metal?")
        : .pass(.modem, words + (modem.registration == .roaming ? ", roaming" : ""))
    case .searching, .idle, .unknown:
      return .fail(
        .modem, "the modem finds no network\(signal)", "antenna and SIM; wait a minute and try again")
    case .denied:
      return .fail(.modem, "the network refuses the SIM", "is it active, and allowed there?")
    }
  }
}

/// Queue and card.
enum StorageExam {
  /// Less would be full within a drive.
  private static let least_bytes: Int64 = 100 << 20

  /// Written and flushed beside the queue, as its owner.
  static func queue(_ settings: Settings, _ agent: AgentLink) -> Finding {
    let storage = agent.status?["queue"]?["storage"]?.string
    if let storage, storage != "ok" {
      return .fail(
        .queue, "the running agent cannot write its queue",
        "journalctl -u godwit says why; is the card full or worn?")
    }
    let folder = FolderEntry.folder(of: settings.queue.path)
    guard access(folder, F_OK) == 0 else {
      return agent.isThere
        ? .fail(.queue, "\(folder) is not there", "make it, or restart godwit")
        : .notTried(.queue, "\(folder) is made at the agent's first start")
    }
    if let words = AgentUser.foreignFile(of: settings) { return .fail(.queue, words) }
    let began_ms = HostClock.now().boot_ms
    do {
      try AgentUser.asOwner(of: folder) {
        let file = folder + "/.godwit-doctor"
        try DurableFile.write(file, String(repeating: "U", count: 4096))
        try OwnedFile.remove(file)
      }
    } catch {
      return .fail(
        .queue, "\(folder) takes no file: \(error)",
        "the folder must belong to the user godwit; use sudo for this test")
    }
    let records = agent.status?["queue"]?["records"]?.integer
    let waiting = records.map { "; \(counted($0, "record waits", "records wait"))" } ?? ""
    return .pass(.queue, "written and flushed in \(HostClock.now().boot_ms - began_ms) ms\(waiting)")
  }

  static func card(_ settings: Settings) -> Finding {
    let host = HostFigures(queuePath: settings.queue.path).read()
    guard let free_bytes = host.diskFree_bytes else {
      return .notTried(.card, "the queue's folder is not there yet")
    }
    var words = "\(free_bytes >> 20) MB free"
    if let used = host.cardLifeUsed_percent { words += ", \(used) % of its life used" }
    if free_bytes < Self.least_bytes {
      return .fail(.card, words, "remove what is not needed, or take a larger card")
    }
    if (host.cardLifeUsed_percent ?? 0) >= 80 || host.cardSpare == .urgent {
      return .fail(.card, words, "the card is at its end: exchange it")
    }
    return .pass(.card, words + (host.cardLifeUsed_percent == nil ? "; it does not tell its wear" : ""))
  }
}

/// Whether this board can sleep, and comes back.
enum SleepExam {
  /// - Parameter root: before the paths of all that is read.
  static func finding(_ settings: Settings, root: String = "") -> Finding {
    guard settings.host.sleep.isOn else {
      return .notTried(.sleep, "host.sleep.mode is \"off\": the board stays on")
    }
    let found = Check.sleepFindings(of: settings, root: root)
    func words(_ level: SleepCheck.Answer.Level) -> [String] {
      found.filter { $0.level == level }.map { "\($0.what) \($0.words)" }
    }
    let wrong = words(.problem) + words(.warning)
    if !wrong.isEmpty {
      return .fail(
        .sleep, wrong.joined(separator: "; "), "docs/power.md, The board sleeps, has what each board needs")
    }
    let unknown = words(.unknown)
    return unknown.isEmpty
      ? .pass(.sleep, words(.fine).joined(separator: "; "))
      : .notTried(.sleep, unknown.joined(separator: "; "))
  }
}
