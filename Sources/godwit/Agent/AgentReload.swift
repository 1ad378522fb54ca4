import ArgumentParser
import TrackerAgent
import TrackerBase
import TrackerCore
import TrackerIO
import TrackerWire

/// SIGHUP: all that could go wrong goes wrong here, while the old settings are in force.
extension AgentAssembly: SettingsPort {
  /// Reads the settings file and makes the ports for it.
  func reload() -> [Event] {
    Supervisor.reloading()
    do {
      let loaded = try SettingsLocation.readQuietly(path)
      let fixed = plan.settings.changesThatNeedRestart(to: loaded.settings)
      if !fixed.isEmpty {
        return refused(
          "\(path): \(fixed.joined(separator: ", ")) cannot change while the agent runs: "
            + "systemctl restart godwit")
      }
      // What is waited for already is no reason to refuse.
      let unfit = loaded.unfitSecrets.filter { problem in !unfitSecrets.contains { $0.isSame(as: problem) } }
      guard unfit.isEmpty else { throw SettingsFileError.unfitFiles(unfit) }
      let plan = try planned(Overlaid(loaded.file, under: overlay))
      // What was reported of the file so far is over.
      let problem = settingsProblem
      settingsProblem = nil
      do { next = (plan, try ports(plan)) } catch {
        settingsProblem = problem
        throw error
      }
      (file, unfitSecrets) = (loaded.file, loaded.unfitSecrets)
      keep(loaded.toKeep)
      reportIdleRules(plan)
      return [.settingsRead]
    } catch {
      // An exit code says nothing: its words are in the journal.
      return refused(
        error is ExitCode
          ? "\(path) is refused as reported above" : "\(error)".split(separator: "\n").joined(separator: "; ")
      )
    }
  }

  private func refused(_ words: String) -> [Event] {
    Supervisor.ready()
    return [.settingsRefused("\(words); the settings stay as they were")]
  }

  func applied() -> (Configuration, Ports)? {
    guard let (plan, ports) = next else { return nil }
    next = nil
    adopt(plan, ports)
    Supervisor.ready()
    return (plan.configuration, ports)
  }
}

/// Settings that the server has set: checked against the file that was read last, saved beside the queue, put in force
/// as a reload does it.
extension AgentAssembly: OverlayPort {
  func check(_ overlay: Overlay) -> Event {
    let overlaid = Overlaid(file, under: overlay)
    if let problem = overlaid.use.problem { return .overlay(.checked(problem: problem)) }
    let fixed = file.settings.changesThatNeedRestart(to: overlaid.settings)
    return .overlay(
      .checked(
        problem: fixed.isEmpty ? nil : "\(fixed.joined(separator: ", ")): cannot change while the agent runs")
    )
  }

  func save(_ state: OverlayState) -> Event {
    do {
      try overlayFile.write(state)
      return .overlay(.saved(problem: nil))
    } catch { return .overlay(.saved(problem: "\(error)")) }
  }

  func use(_ overlay: Overlay?) -> Event {
    do {
      let plan = try planned(Overlaid(file, under: overlay))
      next = (plan, try ports(plan))
      self.overlay = overlay
      reportIdleRules(plan)
      return .settingsRead
    } catch {
      // An exit code says nothing: its words are in the journal.
      return .overlay(.notUsed(error is ExitCode ? "as reported above" : "\(error)"))
    }
  }
}

/// Files that cannot be used keep no agent from running: they are reported, and tried again.
extension AgentAssembly {
  func retry(of plan: Plan) throws -> FileRetry {
    let news = (settingsProblem.map { [Event.settingsRefused($0)] } ?? []) + plan.problems
    return try ExitReason.system.attempt { try FileRetry(news) { [unowned self] in retryFiles() } }
  }

  private func retryFiles() -> [Event] {
    if settingsProblem != nil {
      let found = SettingsLocation.sourcesIfFine(path)
      // Refused for what a running agent cannot change: reported once.
      if let found, found != triedSettings {
        triedSettings = found
        return reload()
      }
    }
    guard !plan.problems.isEmpty, let mended = try? planned(plan.overlaid),
      mended.problems.count < plan.problems.count, let ports = try? ports(mended)
    else { return [] }
    next = (mended, ports)
    return [.settingsRead]
  }

  /// For `godwit geofence`, under the settings in force.
  func rereadGeofences() -> (answer: String, news: [Event]) {
    do {
      let plan = try planned(plan.overlaid)
      next = (plan, try ports(plan))
      let answer = JSONWriter.object { json in
        json.member("ok", !plan.problems.contains { $0.isAboutGeofences })
        json.member("file", plan.settings.geofencesFile)
        json.member("geofences", plan.geofences.count)
        json.member("overlaid", plan.overlaid.geofences != nil)
      }
      return (answer, [.settingsRead])
    } catch {
      // What it was is in the journal.
      return (JSONWriter.object { $0.member("ok", false) }, [])
    }
  }

  /// What an agent runs with is good.
  func keep(_ settings: LastGoodSettings?) {
    guard let settings else { return }
    do { try settings.keep() } catch {
      Log(plan.settings).write(.info, "the settings are not kept for a start without them: \(error)")
    }
  }

  func reportIdleRules(_ plan: Plan) {
    for words in plan.idleRules { Log(plan.settings).write(.warning, words) }
  }
}

extension Event {
  fileprivate var isAboutGeofences: Bool {
    if case .fileUnusable(.geofences, _) = self { true } else { false }
  }
}

/// Reports files that could not be used, and tries them again.
final class FileRetry: Source {
  static let interval_ms: Int64 = 30_000

  /// nil while all files are fine.
  private let timer: BootTimer?
  private var news: [Event]
  private let retry: () -> [Event]

  /// - Parameters:
  ///   - news: what to report, once. Empty: nothing is tried again.
  ///   - retry: the news that it brings, when it has brought any it has taken this one's place.
  init(_ news: [Event], retry: @escaping () -> [Event]) throws(HostError) {
    (self.news, self.retry) = (news, retry)
    timer = news.isEmpty ? nil : try BootTimer()
    timer?.arm(after_ms: 0)
  }

  var descriptors: [PollDescriptor] { timer.map { [PollDescriptor(descriptor: $0.descriptor)] } ?? [] }

  func receive(ready: [Int32]) -> [Event] {
    guard let timer, ready.contains(timer.descriptor) else { return [] }
    timer.acknowledge()
    timer.arm(after_ms: FileRetry.interval_ms)
    if news.isEmpty { return retry() }
    defer { news = [] }
    return news
  }
}
