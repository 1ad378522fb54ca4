import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

/// The way to the queue: the running agent, or the file itself when none runs.
///
/// The file is then locked as the agent locks it, for as long as this lives: none can start meanwhile.
struct QueueAccess {
  private let directory: String
  private let server: String
  private let own: (answers: QueueAnswers, lock: ProcessLock)?

  /// One answer.
  struct Answer {
    /// The object in the first line.
    var head: JSONValue
    var text: String
    var lines: [Substring]

    var records: Int { Int(head["records"]?.integer ?? 0) }
    var unreadable: Int { Int(head["unreadable"]?.integer ?? 0) }
    /// Where the next part begins.
    var last: Int64? { head["last"]?.integer }
  }

  /// - Parameter server: a name in `sync.also`; empty: the first server's queue.
  init(_ settings: Settings, server: String) throws {
    guard server.isEmpty || settings.others.contains(where: { $0.name == server }) else {
      let names = settings.others.map(\.name).joined(separator: ", ")
      throw ExitReason.usage.exit(
        "--server \(server): sync.also names \(names.isEmpty ? "no further server" : names)")
    }
    directory = settings.run.directory
    self.server = server
    let isThere =
      try AgentClient.askIfThere(
        QueueRequest.summary.line(toServer: server), directory: directory) != nil
    own = isThere ? nil : try QueueAccess.openFile(settings, server: server)
  }

  func ask(_ request: QueueRequest) throws -> Answer {
    let text: String
    if let own {
      text = own.answers.answer(request).text
    } else {
      do {
        text = try ControlClient.ask(
          directory: directory, line: request.line(toServer: server), timeout_s: 60)
      } catch {
        throw ExitReason.unavailable.exit("\(error)")
      }
    }
    let lines = text.split(separator: "\n")
    guard let head = JSONReader.parse(Array((lines.first ?? "").utf8)) else {
      throw ExitReason.unavailable.exit(
        "the agent's answer is not whole: it ended or is another version; ask again")
    }
    if let words = head["error"]?.string { throw ExitReason.cannotCreate.exit(words) }
    return Answer(head: head, text: text, lines: Array(lines.dropFirst()))
  }

  /// All parts of a list, one after the other.
  func each(_ request: (_ after: Int64) -> QueueRequest, _ body: (Answer) throws -> Void) throws {
    var after: Int64? = 0
    while let begin = after {
      let answer = try ask(request(begin))
      try body(answer)
      after = answer.last
    }
  }

  // MARK: Without an agent

  private static func openFile(
    _ settings: Settings, server: String
  ) throws -> (answers: QueueAnswers, lock: ProcessLock) {
    let path = settings.queue.path
    let lockPath = settings.queue.path + ".lock"
    guard access(path, F_OK) == 0 else {
      if errno != ENOENT {
        let words = String(cString: strerror(errno))
        throw ExitReason.permission.exit("queue file \(path): \(words); join the group godwit, or use sudo")
      }
      throw ExitReason.cannotCreate.exit(
        "there is no queue file \(path) yet: it is made when the agent first runs")
    }
    let (queue, lock) = try AgentUser.asOwner(ofQueue: path) {
      do {
        let lock = try ProcessLock(path: lockPath)
        return (try QueueStore(whole: path, servers: settings.servers.map(\.name)), lock)
      } catch let error as HostError {
        throw ExitReason.secondInstance.exit(
          "\(error) No agent answers in run.directory, \(settings.run.directory).")
      } catch StoreError.busy(let call, let code, let words) {
        throw ExitReason.secondInstance.exit("\(StoreError.busy(call: call, code: code, words: words))")
      } catch { throw ExitReason.cannotCreate.exit("\(error)") }
    }
    Terminal.error("godwit: no agent runs; this is the queue file itself, \(path)\n")
    for words in queue.openReport.damage { Terminal.error("godwit: \(words)\n") }
    let index = settings.servers.firstIndex { $0.name == server } ?? 0
    return (QueueAnswers(queue: queue, server: index), lock)
  }
}
