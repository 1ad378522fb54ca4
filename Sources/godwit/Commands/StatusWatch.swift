import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

/// `godwit status --watch`: the status again and again, until somebody ends it. An agent that is not there may come.
struct StatusWatch {
  let settings: Settings
  let interval_s: Double
  /// nil: for a person.
  let form: Status.Form?

  /// An agent that hangs must not make the screen hang.
  static let patience_s = 2

  /// Returns where nothing can be shown any more.
  func run() {
    guard form == nil, let screen = TerminalScreen() else { return follow() }
    while true {
      draw(answer(), on: screen)
    }
  }

  /// Until the next one is due. Another size is drawn at once, with the same answer.
  private func draw(_ answer: (report: String, problem: String?), on screen: TerminalScreen) {
    let until_s = now_s + interval_s
    repeat {
      let (columns, rows) = screen.size
      let picture = StatusScreen(
        report: answer.report, footer: footer(answer.problem), columns: columns, rows: rows)
      screen.show(
        picture.lines.map { line in
          switch line.tone {
          case .plain: (line.text, .none)
          case .alarm: (line.text, .red)
          case .faint: (line.text, .faint)
          }
        })
      if screen.pause(max(0, until_s - now_s)) == .timeUp { return }
    } while true
  }

  private var now_s: Double { Double(HostClock.now().boot_ms) / 1000 }

  private func footer(_ problem: String?) -> String {
    let again = "again every \(SettingText.number(interval_s)) s, Ctrl-C ends"
    return problem == nil ? again : "asked " + again
  }

  private func answer() -> (report: String, problem: String?) {
    do throws(ControlError) { return (StatusReport.text(try ask()), nil) } catch {
      let words = "no agent     answers in \(settings.run.directory): \(error)"
      return (words, "\(error)")
    }
  }

  private func ask() throws(ControlError) -> String {
    try ControlClient.ask(
      directory: settings.run.directory, line: "status", timeout_s: StatusWatch.patience_s)
  }

  /// For a file or another program: one after the other, and what is wrong beside it.
  private func follow() {
    while true {
      do throws(ControlError) {
        let answer = try ask()
        if let text = Status.shown(answer, as: form) {
          Terminal.print(text)
          if ProcessLimits.hasOutputFailed { return }
        } else {
          Terminal.error(Status.complaint(of: answer))
        }
      } catch {
        Terminal.error("godwit: no agent answers in \(settings.run.directory): \(error)\n")
      }
      usleep(UInt32(interval_s * 1_000_000))
    }
  }
}
