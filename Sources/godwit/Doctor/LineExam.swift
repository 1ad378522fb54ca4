import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

/// An edge of the ignition's or the vibration's line, while somebody turns the key or knocks.
struct LineExam {
  let line: InputLine
  /// nil where there is none.
  let settings: InputLineSettings?
  let agent: AgentLink
  let patience_s: Int64
  let say: (String) -> Void

  private var subject: Finding.Subject { line == .ignition ? .ignition : .vibration }

  func finding(isAsked: Bool) -> Finding {
    let name = subject.rawValue
    guard let settings else { return .notTried(subject, "[\(name)] is not in the settings") }
    guard isAsked else { return .notTried(subject, "--wait-\(name) waits for it") }
    say(line == .ignition ? "switch the ignition on or off now" : "knock at the vehicle now")
    return agent.isThere ? withAgent(settings) : alone(settings)
  }

  private func nothing(_ settings: InputLineSettings) -> Finding {
    .fail(
      subject, "no edge within \(patience_s) s on line \(settings.line) of \(settings.chip)",
      "is it the right line, and does its level change (gpioget)? docs/lines.md has the wiring")
  }

  /// What the agent counts: the level of the ignition, and the edges of the vibration.
  private func withAgent(_ settings: InputLineSettings) -> Finding {
    func seen() -> JSONValue? {
      agent.ask("status")?["lines"]?[line == .ignition ? "ignition" : "vibration_edges"]
    }
    let before = seen()
    let end_ms = HostClock.now().boot_ms + patience_s * 1000
    while HostClock.now().boot_ms < end_ms {
      usleep(300_000)
      let now = seen()
      guard now != before else { continue }
      if line == .vibration { return .pass(subject, "the agent has seen an edge") }
      return .pass(subject, "the agent has seen it go \(now?.bool == true ? "on" : "off")")
    }
    return nothing(settings)
  }

  private func alone(_ settings: InputLineSettings) -> Finding {
    do throws(GPIOError) {
      let input = try LevelInputs.open(settings)
      var level = try input.receive().last
      let end_ms = HostClock.now().boot_ms + patience_s * 1000
      while HostClock.now().boot_ms < end_ms {
        _ = Poller.wait([PollDescriptor(descriptor: input.descriptor)], timeout_ms: 300)
        for now in try input.receive() {
          if level == nil || now == level {
            level = now
            continue
          }
          return .pass(subject, line == .ignition ? "went \(now ? "on" : "off")" : "an edge was seen")
        }
      }
      return nothing(settings)
    } catch {
      return .fail(
        subject, error.words(settings: line.rawValue), "godwit check names every mistake of this kind")
    }
  }
}
