import Glibc
import TrackerAgent
import TrackerBase
import TrackerRemote
import TrackerIO
import TrackerWire

/// Which commands were done, in the state file; and what commands need of log, queue and control socket.
final class CommandsFile: CommandPort {
  /// As found: what the process before this one began is ended.
  let inbox: CommandInbox
  /// Why it could not be read, in words for operators.
  let problem: String?
  private let file: StateFile
  private let queue: QueueStore
  private let log: TextOutput
  /// Answers an operator's `locate`; set once the control socket is there.
  var answered: (_ request: Int, LocateAnswer) -> Void = { _, _ in }

  /// Records that one command takes out of quarantine, at most: some hundredths of a second.
  static let mostRetried = 2048

  /// Reads it. The process' lock is to be held.
  init(queue: QueueStore, queuePath: String, log: TextOutput = .standardError) {
    file = StateFile(queuePath: queuePath)
    (self.queue, self.log) = (queue, log)
    let now = HostClock.now()
    do throws(StateFile.Problem) {
      inbox = CommandInbox(try file.read(.commands), time_ms: now.wall_ms, at: now.boot_ms)
      problem = inbox.isUnreadable ? file.damaged.description : nil
    } catch {
      inbox = CommandInbox()
      problem = error.description
    }
  }

  func note(_ value: JSONValue) -> CommandEvent {
    do {
      try file.write(.commands, value.text)
      return .noted(problem: nil)
    } catch { return .noted(problem: "\(error)") }
  }

  func readReport(id: String, lines: Int) -> CommandEvent {
    .reportRead(id: id, lines: log.recent.last(lines))
  }

  func retryQuarantine(id: String) -> [Event] {
    var news: [Event] = []
    var (records, problem): (Int, String?) = (0, nil)
    for server in queue.counts.indices {
      do {
        let rows = try queue[server].quarantined(after: 0, limit: CommandsFile.mostRetried)
        let change = try queue[server].retry(rows.map(\.sequence))
        records += change.records
        news.append(.queueShrank(queued: queue[server].count, server: server))
      } catch { problem = "\(error)" }
    }
    return Event.dropped(by: queue) + news + [
      .command(.quarantineRetried(id: id, records: records, problem: problem))
    ]
  }

  func answer(request: Int, _ answer: LocateAnswer) { answered(request, answer) }
}
