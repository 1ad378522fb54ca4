import Glibc
import TrackerAgent
import TrackerBase
import TrackerIO

/// Clocks, chance and the one place where the agent sleeps.
final class Host: HostPort {
  private let timer: BootTimer
  private let log: Log
  private var armedFor_ms: Int64?
  private let board: HostFigures
  private var figures: (read: HostStatus, update: UpdateStatus?, at_ms: Int64)?

  /// Should the timer ever refuse, the loop still turns this often.
  static let withoutTimer_ms = 1000

  /// A status that is made more often has the board's figures of so long ago.
  static let figuresLast_ms: Int64 = 60_000

  init(queuePath: String, log: Log) throws {
    timer = try BootTimer()
    board = HostFigures(queuePath: queuePath)
    self.log = log
  }

  func figures(at now: Moment) -> HostStatus { read(at: now).read }

  func update(at now: Moment) -> UpdateStatus? { read(at: now).update }

  private func read(at now: Moment) -> (read: HostStatus, update: UpdateStatus?) {
    if let figures, (0..<Host.figuresLast_ms).contains(now.boot_ms - figures.at_ms) {
      return (figures.read, figures.update)
    }
    let (read, update) = (board.read(), board.update())
    figures = (read, update, now.boot_ms)
    return (read, update)
  }

  func now() -> Moment { HostClock.now() }

  /// Queue ids are drawn by it, too: all of its bits are by chance.
  func chance() -> Double { .random(in: 0..<1) }

  func wait(for descriptors: [PollDescriptor], until boot_ms: Int64?) -> [Int32] {
    var timeout_ms: Int?
    do {
      if boot_ms != armedFor_ms { try timer.arm(at: boot_ms) }
      armedFor_ms = boot_ms
    } catch {
      log.write(.error, "\(error)")
      timeout_ms = Host.withoutTimer_ms
    }
    let ready = Poller.wait(
      descriptors + [PollDescriptor(descriptor: timer.descriptor)], timeout_ms: timeout_ms)
    if ready.contains(timer.descriptor) {
      timer.acknowledge()
      armedFor_ms = nil
    }
    return ready
  }
}

/// Signals and steps of the wall clock.
final class HostNews: Source {
  private let signals: Signals
  private let clockWatch: ClockWatch
  /// As last reported.
  private var isSynchronised = HostClock.isSynchronised()
  private var checkClockAt_ms: Int64 = 0
  /// Reads the settings anew and says what came of it; set once the agent exists.
  var reload: () -> [Event] = { [] }

  init() throws {
    signals = try Signals()
    clockWatch = try ClockWatch()
  }

  var descriptors: [PollDescriptor] {
    [PollDescriptor(descriptor: signals.descriptor), PollDescriptor(descriptor: clockWatch.descriptor)]
  }

  /// A clock that is nearly right is not set but slewed, and nothing reports that: so it is checked once a second. A
  /// synchronised clock stays trusted until it is set, since an hour without a network makes no clock wrong.
  private func clockNews(isSet: Bool) -> Bool? {
    let now_ms = HostClock.now().boot_ms
    guard isSet || (!isSynchronised && now_ms >= checkClockAt_ms) else { return nil }
    checkClockAt_ms = now_ms + 1000
    let before = isSynchronised
    isSynchronised = HostClock.isSynchronised()
    return isSet || isSynchronised != before ? isSynchronised : nil
  }

  func receive(ready: [Int32]) -> [Event] {
    var news: [Event] = []
    let isSet = ready.contains(clockWatch.descriptor) && clockWatch.receive()
    if let isSynchronised = clockNews(isSet: isSet) {
      news.append(.clockStepped(isSynchronised: isSynchronised))
    }
    if ready.contains(signals.descriptor) {
      for signal in signals.receive() {
        switch signal {
        case .stop: news.append(.stopping)
        case .reload: news += reload()
        }
      }
    }
    return news
  }
}

/// What the process' surroundings do to it, as events, and the log on its way out.
final class HostProblems: Source {
  private let output: TextOutput
  private var pending: [Event] = []
  private var reportedLost = 0
  private var reportedLostAt_ms: Int64 = .min / 2

  /// A log that nobody reads loses lines all the time: the status learns of it so often.
  static let lostInterval_ms: Int64 = 60_000

  init(log output: TextOutput) { self.output = output }

  /// The tracker learns of it in the next turn of the loop.
  func report(_ trouble: HostProblem) { pending.append(.hostProblem(trouble)) }

  var descriptors: [PollDescriptor] { output.isWaiting ? [output.poll] : [] }

  func receive(ready: [Int32]) -> [Event] {
    if output.isWaiting, ready.contains(output.poll.descriptor) { output.flush() }
    noteLost()
    let news = pending
    pending = []
    return news
  }

  private func noteLost() {
    let lost = output.lostLines - reportedLost
    if lost == 0 { return }
    let now_ms = HostClock.now().boot_ms
    guard now_ms - reportedLostAt_ms >= HostProblems.lostInterval_ms else { return }
    (reportedLost, reportedLostAt_ms) = (output.lostLines, now_ms)
    report(.logLost(lines: lost))
  }
}

/// logind's lock, held in trips.
final class ShutdownHold: ShutdownPort {
  private let lock = ShutdownLock(why: "a trip is being recorded")
  private let log: Log
  private var said: Set<ShutdownLockProblem> = []

  init(log: Log) { self.log = log }

  var descriptors: [PollDescriptor] { lock.descriptors }

  func hold(_ isWanted: Bool) {
    if isWanted { lock.take() } else { lock.giveBack() }
  }

  /// Many boards have no logind: it is said once.
  func receive(ready: [Int32]) -> [Event] {
    if let problem = lock.drive(), said.insert(problem).inserted { log.write(.info, "\(problem)") }
    return []
  }
}
