import ArgumentParser
import TrackerAgent
import TrackerBase

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
