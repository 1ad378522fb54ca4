import TrackerAgent
import TrackerBase
import TrackerIO
import TrackerWire

/// Files that cannot be used keep no agent from running: they are reported, and tried again.
extension AgentAssembly {
  func retry(of plan: Plan) throws -> FileRetry {
    let news = (settingsProblem.map { [Event.settingsRefused($0)] } ?? []) + plan.problems
    do { return try FileRetry(news) { [unowned self] in retryFiles() } } catch {
      throw ExitReason.system.exit("\(error)")
    }
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
