import TrackerAgent
import TrackerBase
import TrackerIO
import TrackerWire

/// Answers the `godwit` command over the control socket.
final class ControlSource: Source {
  /// nil while it cannot be made.
  private var socket: ControlSocket?
  private let directory: String
  private let queue: QueueStore
  /// Their names.
  private let servers: [String]
  var log: Log
  /// Set once the agent exists: before, no loop asks this.
  weak var assembly: AgentAssembly?

  init(directory: String, queue: QueueStore, servers: [String], log: Log) throws {
    (self.directory, self.queue, self.servers, self.log) = (directory, queue, servers, log)
    // Another agent in this folder is the end; what else there is, RunFolder reports and tries again.
    do throws(ControlError) { try listenAgain() } catch  where error == .inUse { throw error } catch {}
  }

  /// Makes the socket where there is none, or where it was removed from its folder.
  func listenAgain() throws(ControlError) {
    if socket?.isInPlace == true { return }
    socket = nil
    socket = try ControlSocket(directory: directory)
  }

  var descriptors: [PollDescriptor] { socket?.descriptors ?? [] }

  func receive(ready: [Int32]) -> [Event] {
    guard let assembly else { return [] }
    var news: [Event] = []
    for request in socket?.receive(ready: ready) ?? [] {
      switch request.line {
      case "status": socket?.reply(id: request.id, text: assembly.status())
      case "sync":
        socket?.reply(id: request.id, text: syncAnswer())
        news.append(.syncAsked)
      case "test":
        socket?.reply(id: request.id, text: syncAnswer(isTest: true))
        news.append(.command(.testAsked))
      case "reload":
        let found = assembly.reload()
        let refusal = found.compactMap { if case .settingsRefused(let words) = $0 { words } else { nil } }
          .first
        socket?.reply(id: request.id, text: refusal.map { QueueAnswers.failure($0) } ?? "{\"ok\":true}")
        news += found
      case "geofences":
        let (answer, found) = assembly.rereadGeofences()
        news += found
        socket?.reply(id: request.id, text: answer)
      default: news += aboutLocating(request) ?? aboutIntents(request) ?? aboutQueue(request)
      }
    }
    return news
  }

  /// - Parameter isTest: also whether a record is made for it.
  private func syncAnswer(isTest: Bool = false) -> String {
    let (sent, words) = assembly?.agent?.tracker.syncHolds(at: HostClock.now()) ?? (false, [])
    return JSONWriter.object { json in
      json.member("ok", sent)
      if isTest { json.member("made", assembly?.agent?.tracker.makesTestRecord ?? false) }
      json.key("held")
      json.value(.array(words.map { .string($0) }))
    }
  }

  /// Obeyed in this turn: whoever then asks for the status sees what came of it.
  private func aboutIntents(_ request: ControlRequest) -> [Event]? {
    guard let wish = IntentRequest.parse(request.line) else { return nil }
    socket?.reply(id: request.id, text: "{\"ok\":true}")
    return [.intentAsked(wish)]
  }

  /// Answered once there is a fix, or none is to be had.
  private func aboutLocating(_ request: ControlRequest) -> [Event]? {
    LocateRequest.parse(request.line).map {
      [.command(.locateAsked(request: request.id, timeout_ms: $0))]
    }
  }

  func answer(request: Int, _ answer: LocateAnswer) {
    socket?.reply(id: request, text: LocateRequest.text(answer))
  }

  private func aboutQueue(_ request: ControlRequest) -> [Event] {
    guard let (server, question) = QueueRequest.toServer(request.line) else {
      let words =
        "unknown request; this agent knows status, queue, sync, test, locate, reload, geofences, pause, resume, track"
      socket?.reply(id: request.id, text: QueueAnswers.failure(words))
      return []
    }
    guard let index = servers.firstIndex(of: server) else {
      socket?.reply(id: request.id, text: QueueAnswers.failure("the running agent has no server \(server)"))
      return []
    }
    let memory = assembly?.agent?.tracker.inMemory(for: index) ?? []
    let (text, news) = QueueAnswers(queue: queue, server: index, memory: memory).answer(question)
    socket?.reply(id: request.id, text: text)
    switch question {
    case .purge: log.write(.notice, "\(OtherServer.label(server))an operator purges the queue: \(text)")
    case .retry:
      log.write(.notice, "\(OtherServer.label(server))an operator takes records out of quarantine: \(text)")
    case .summary, .records, .quarantine, .quarantined, .count: break
    }
    return news
  }
}
