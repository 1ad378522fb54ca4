import TrackerAgent
import TrackerBase
import TrackerBoard
import TrackerIO

/// The board's sleep as events: who keeps it awake, the alarm, and systemd-logind.
final class BoardSource: BoardPort {
  /// What is looked at outside of the agent. Tests have others.
  struct Surroundings {
    var users: () -> [String] = LoggedIn.users
    /// What is being changed or tried, in words.
    var upgrade: () -> String? = { Upgrades.words() }
    /// How long the machine was suspended in this boot.
    var suspended_ms: () -> Int64 = HostClock.suspended_ms
  }

  /// What logind is asked for: who is in the way, the same before the order, and the order.
  private enum Purpose { case look, sleep, order }

  private let settings: SleepSettings
  private let clock: WakeClock
  private let logind: Logind
  private let surroundings: Surroundings
  private let log: Log
  private var purpose: Purpose?
  private let program: AlarmProgram
  /// As the clock has it.
  private var alarm_s: Int64?
  private var suspended_ms: Int64

  /// The two clocks are read one after the other.
  static let leastSuspended_ms: Int64 = 500

  init(
    _ settings: SleepSettings, clock: WakeClock? = nil, logind: Logind = Logind(),
    program: AlarmProgram, surroundings: Surroundings = Surroundings(), log: Log
  ) {
    (self.settings, self.logind, self.surroundings, self.log) = (settings, logind, surroundings, log)
    self.program = program
    self.clock = clock ?? WakeClock(settings.rtc)
    suspended_ms = surroundings.suspended_ms()
  }

  var descriptors: [PollDescriptor] { logind.descriptors }

  func perform(_ order: BoardOrder) -> [Event] {
    switch order {
    case .look: look(for: .look)
    case .sleep: look(for: .sleep)
    case .setAlarm(let in_ms, let at_ms): setAlarm(in_ms: in_ms, at_ms: at_ms).map { [.board($0)] } ?? []
    case .clearAlarm: clearAlarm()
    }
  }

  func receive(ready: [Int32]) -> [Event] {
    (resumed() + logind.drive().flatMap(heard)).map { .board($0) }
  }

  // MARK: Who keeps it awake

  private func look(for purpose: Purpose) -> [Event] {
    if let held = held() { return [.board(held)] }
    self.purpose = purpose
    logind.begin(.ask(settings.state))
    // A bus that is not there says so at once.
    return receive(ready: [])
  }

  private func held() -> BoardNews? {
    let users = surroundings.users()
    if !users.isEmpty {
      return .looked(
        .person, words: "\(users.joined(separator: ", ")) \(users.count == 1 ? "is" : "are") logged in")
    }
    return surroundings.upgrade().map { .looked(.upgrade, words: $0) }
  }

  private func heard(_ news: Logind.News) -> [BoardNews] {
    guard let purpose else { return [] }
    switch news {
    case .inhibited(let words?):
      self.purpose = nil
      return [.looked(.inhibitor, words: "an inhibitor lock is held by \(words)")]
    case .inhibited(nil):
      guard purpose == .sleep else {
        self.purpose = nil
        return [.looked(nil)]
      }
      // Another program may have set the clock's one alarm meanwhile.
      if let problem = alarmProblem() {
        self.purpose = nil
        return [.refused(problem)]
      }
      self.purpose = .order
      logind.begin(.sleep(settings.state))
      return logind.drive().flatMap(heard)
    case .accepted:
      self.purpose = nil
      return [.accepted]
    case .failed(let error):
      self.purpose = nil
      if case .refused = error { return [.refused("\(error)")] }
      // A system that was told and says nothing may still go off.
      return [purpose == .order ? .unanswered("\(error)") : .refused("\(error)")]
    }
  }

  private func resumed() -> [BoardNews] {
    let before_ms = suspended_ms
    suspended_ms = surroundings.suspended_ms()
    let slept_ms = suspended_ms - before_ms
    return slept_ms >= BoardSource.leastSuspended_ms ? [.resumed(slept_ms: slept_ms)] : []
  }

  // MARK: The alarm

  /// - Returns: nil where a program has to end first.
  private func setAlarm(in_ms: Int64, at_ms: Int64) -> BoardNews? {
    switch settings.mode {
    case .off: return .alarmFailed("host.sleep.mode is \"off\"")
    case .rtc:
      do throws(BoardError) {
        let alarm_s = try clock.setAlarm(in_ms: in_ms)
        self.alarm_s = alarm_s
        return .alarmSet(alarm_s: alarm_s)
      } catch { return .alarmFailed("the wake alarm cannot be set: \(error)") }
    case .command:
      let words = ["set", "\(at_ms / 1000)", "\(in_ms / 1000)"]
      return program.begin(settings.command + words, sets: true, log: log).map { .alarmFailed($0) }
    }
  }

  /// What is wrong with the alarm that was set; nil for nothing, and where nobody can look.
  private func alarmProblem() -> String? {
    guard let alarm_s else { return nil }
    do throws(BoardError) {
      try clock.checkAlarm(alarm_s)
      return nil
    } catch { return "the wake alarm is no longer as it was set: \(error)" }
  }

  private func clearAlarm() -> [Event] {
    alarm_s = nil
    switch settings.mode {
    case .off: break
    case .rtc:
      do throws(BoardError) { try clock.clearAlarm() } catch {
        log.write(.warning, "the wake alarm cannot be taken back: \(error)")
      }
    case .command:
      if let problem = program.begin(settings.command + ["clear"], sets: false, log: log) {
        log.write(.warning, problem)
      }
    }
    return []
  }
}

/// What says at the start how a sleep ended.
extension BoardStart {
  /// - Parameter state: as it was saved: only after a sleep anything is looked at.
  init(_ settings: Settings, after state: [String: JSONValue]) {
    self.init()
    guard state["sleep"] != nil else { return }
    rtc_s = try? WakeClock(settings.host.sleep.rtc).now_s()
    guard settings.ignition.input.exists, let line = try? LevelInputs.open(settings.ignition.input) else {
      return
    }
    ignitionIsOn = try? line.receive().first
  }
}

/// The program of `host.sleep.command`, one at a time. It belongs to the process and not to the settings in force: one
/// that takes an alarm back goes on when these are exchanged.
final class AlarmProgram: Source {
  private let timeout_s: Double
  private var running: (child: ChildProcess, name: String, sets: Bool, log: Log)?

  init(timeout_s: Double = 30) { self.timeout_s = timeout_s }

  var descriptors: [PollDescriptor] { running?.child.descriptors ?? [] }

  /// One that still runs is of no use any more, and is killed.
  ///
  /// - Parameter sets: what becomes of it is told; else only a failure is logged.
  /// - Returns: why it could not be started.
  func begin(_ command: [String], sets: Bool, log: Log) -> String? {
    running = nil
    let name = command.first ?? ""
    do throws(HostError) {
      running = (try ChildProcess(command, timeout_s: timeout_s), name, sets, log)
      return nil
    } catch { return "host.sleep.command: \(name) could not be started: \(error)" }
  }

  func receive(ready: [Int32]) -> [Event] {
    guard let (child, name, sets, log) = running, let end = child.poll() else { return [] }
    running = nil
    let problem = end.problem(of: name, timeout_s: timeout_s).map { "host.sleep.command: \($0)" }
    if !sets {
      if let problem { log.write(.warning, "the wake alarm is not taken back: \(problem)") }
      return []
    }
    return [.board(problem.map { .alarmFailed($0) } ?? .alarmSet(alarm_s: nil))]
  }
}
