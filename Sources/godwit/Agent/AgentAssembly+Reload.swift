import ArgumentParser
import TrackerAgent
import TrackerBase
import TrackerCore
import TrackerIO

/// SIGHUP: all that could go wrong goes wrong here, while the old settings are in force.
extension AgentAssembly: SettingsPort {
  /// Reads the settings file and makes the ports for it.
  func reload() -> [Event] {
    Supervisor.reloading()
    do {
      let loaded = try SettingsLocation.readQuietly(path)
      let fixed = plan.settings.changesThatNeedRestart(to: loaded.settings)
      if !fixed.isEmpty {
        throw ReloadRefused(
          words: "\(path): \(fixed.joined(separator: ", ")) cannot change while the agent runs: "
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
      Supervisor.ready()
      let isReported = error is ExitCode
      let words =
        isReported
        ? "\(path) is refused as reported above" : "\(error)".split(separator: "\n").joined(separator: "; ")
      return [.settingsRefused("\(words); the settings stay as they were")]
    }
  }

  func applied() -> (Configuration, Ports)? {
    guard let (plan, ports) = next else { return nil }
    next = nil
    adopt(plan, ports)
    Supervisor.ready()
    return (plan.configuration, ports)
  }
}

private struct ReloadRefused: Error, CustomStringConvertible {
  let words: String
  var description: String { words }
}
