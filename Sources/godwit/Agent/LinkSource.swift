import TrackerAgent
import TrackerBase
import TrackerDispatch
import TrackerIO

/// A network that is back, as an event.
final class LinkSource: Source {
  private let watch: LinkWatch
  private let timer: BootTimer
  private let log: Log
  private var debounce = LinkDebounce()

  init(interface: String, log: Log) throws(HostError) {
    watch = try LinkWatch(interface: interface)
    timer = try BootTimer()
    self.log = log
  }

  var descriptors: [PollDescriptor] {
    let timers = debounce.dueAt_ms == nil ? [] : [PollDescriptor(descriptor: timer.descriptor)]
    return [PollDescriptor(descriptor: watch.descriptor)] + timers
  }

  func receive(ready: [Int32]) -> [Event] {
    let now_ms = HostClock.now().boot_ms
    if ready.contains(watch.descriptor), watch.receive() {
      debounce.heard(at: now_ms)
      // Without a timer the event waits for whatever turns the loop next.
      try? timer.arm(at: debounce.dueAt_ms)
    }
    if ready.contains(timer.descriptor) { timer.acknowledge() }
    guard debounce.tick(at: now_ms) else { return [] }
    log.write(.info, "the network is back")
    return [.linkRestored]
  }
}

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
