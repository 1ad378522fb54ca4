import Glibc
import TrackerBase
import TrackerIO

/// `godwit status --watch`: the status again and again, until somebody ends it. An agent that is not there may come.
struct StatusWatch {
  let settings: Settings
  let interval_s: Double
  /// nil: for a person.
  let form: Status.Form?

  /// An agent that hangs must not make the screen hang.
  private static let patience_s = 2
  /// To the top left corner, and all that is there goes.
  private static let cleared = "\u{1B}[H\u{1B}[2J\u{1B}[3J"

  /// Returns where nothing can be shown any more.
  func run() {
    let isScreen = form == nil && isatty(STDOUT_FILENO) == 1
    while !ProcessLimits.hasOutputFailed {
      if isScreen { Terminal.print(Self.cleared) }
      do throws(ControlError) {
        let answer = try ControlClient.ask(
          directory: settings.run.directory, line: "status", timeout_s: Self.patience_s)
        if let text = Status.shown(answer, as: form) {
          Terminal.print(text)
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
