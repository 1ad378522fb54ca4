import TrackerAgent
import TrackerCore
import TrackerIO

/// SIGHUP: all that could go wrong goes wrong here, while the old settings are in force.
extension AgentAssembly: SettingsPort {
  /// Reads the settings file and makes the ports for it.
  func reload() -> [Event] {
    Supervisor.reloading()
    do {
      let loaded = try SettingsLocation.read(path, withSecrets: true)
      let settings = loaded.settings
      if let key = FixedSettings.change(from: plan.settings, to: settings) {
        throw ExitReason.settings.exit(
          "\(path): \(key) cannot change while the agent runs: systemctl restart godwit")
      }
      let plan = try Plan(settings, insteadOf: plan)
      // What is told of the file so far is over.
      let problem = settingsProblem
      settingsProblem = nil
      do { next = (plan, try ports(plan)) } catch {
        settingsProblem = problem
        throw error
      }
      keep(loaded.toKeep)
      tellIdleRules(plan)
      return [.settingsRead]
    } catch {
      Supervisor.ready()
      return [
        .settingsRefused("SIGHUP: \(path) is refused as told above, and the settings stay as they were")
      ]
    }
  }

  func applied(to tracker: Tracker, at now: Moment) -> (Tracker, Ports)? {
    guard let (plan, ports) = next else { return nil }
    next = nil
    adopt(plan)
    Supervisor.ready()
    let continued = tracker.continued(
      settings: plan.settings, schedule: plan.schedule, zone: plan.zone, geofences: plan.geofences,
      notBefore_ms: Version.released_ms, at: now)
    return (continued, ports)
  }
}
