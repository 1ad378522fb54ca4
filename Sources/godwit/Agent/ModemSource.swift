import TrackerAgent
import TrackerBase
import TrackerIO

/// Modems as events.
final class ModemSource: Source {
  private let manager: ModemManager
  private let log: Log
  /// What was said last of the serving cell.
  private var cellProblem: CellProblem?
  private var complaints = RepeatLimiter<CellProblem>()

  init(wantsCells: Bool, log: Log) {
    manager = ModemManager(wantsCells: wantsCells)
    self.log = log
  }

  var descriptors: [PollDescriptor] { manager.descriptors }

  func receive(ready: [Int32]) -> [Event] {
    let now_ms = HostClock.now().boot_ms
    let news = manager.drive(at: now_ms).map { [Event.link($0)] } ?? []
    noteCells(at: now_ms)
    return news
  }

  /// Most boards have no modem: that is no news to anybody.
  private func noteCells(at now_ms: Int64) {
    guard manager.cellProblem != cellProblem else { return }
    cellProblem = manager.cellProblem
    guard let problem = cellProblem, complaints.happened(problem, at: now_ms) != nil else { return }
    log.write(problem == .noModemManager ? .info : .notice, "\(problem)")
  }
}
