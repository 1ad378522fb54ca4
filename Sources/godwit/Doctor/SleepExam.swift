import TrackerBase
import TrackerIO

/// Whether this board can sleep, and comes back.
enum SleepExam {
  /// - Parameter root: before the paths of all that is read.
  static func finding(_ settings: Settings, root: String = "") -> Finding {
    guard settings.host.sleep.isOn else {
      return .notTried(.sleep, "host.sleep.mode is \"off\": the board stays on")
    }
    let found = Check.sleepFindings(of: settings, root: root)
    func words(_ level: SleepCheck.Finding.Level) -> [String] {
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
