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
    do throws(ControlError) {
      _ = try ControlClient.ask(directory: directory, line: QueueRequest.summary.line(toServer: server))
      own = nil
    } catch {
      switch error {
      case .notRunning: own = try QueueAccess.openFile(settings, server: server)
      case .notAllowed: throw ExitReason.permission.exit("\(error)")
      case .failed, .notASocket, .inUse, .pathTooLong, .noAnswer, .lineTooLong, .busy:
        throw ExitReason.unavailable.exit("\(error)")
      }
    }
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
    let (queue, lock) = try asOwner(ofQueue: path) {
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

  /// The queue file's, or its folder's where there is none yet, or one that root has left there.
  static func asOwner<Value>(ofQueue path: String, _ body: () throws -> Value) rethrows -> Value {
    var info = stat()
    return try asOwner(
      of: stat(path, &info) == 0 && info.st_uid != 0 ? path : FolderEntry.folder(of: path), body)
  }

  /// Root opens the files as their owner: what opening makes must be the agent's own.
  static func asOwner<Value>(of path: String, _ body: () throws -> Value) rethrows -> Value {
    var info = stat()
    guard geteuid() == 0, stat(path, &info) == 0, info.st_uid != 0 else { return try body() }
    let group = getegid()
    var groups = [gid_t](repeating: 0, count: Int(max(getgroups(0, nil), 0)))
    getgroups(Int32(groups.count), &groups)
    // Root's own would open to it what is closed to the owner.
    if initgroups(UserName.of(info.st_uid), info.st_gid) != 0 { setgroups(0, nil) }
    defer { setgroups(groups.count, groups) }
    guard setegid(info.st_gid) == 0, seteuid(info.st_uid) == 0 else { return try body() }
    defer {
      seteuid(0)
      setegid(group)
    }
    return try body()
  }
}
