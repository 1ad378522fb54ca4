import TrackerAgent
import TrackerCore
import TrackerIO
import TrackerWire

/// Answers the `godwit` command over the control socket.
final class Control: Source {
  private let socket: ControlSocket
  private let queue: QueueStore
  /// The live status as JSON; set once the agent exists.
  var status: () -> String = { "{}" }

  init(directory: String, queue: QueueStore) throws {
    socket = try ControlSocket(directory: directory)
    self.queue = queue
  }

  var descriptors: [PollDescriptor] { socket.descriptors }

  func receive(ready: [Int32]) -> [Event] {
    var news: [Event] = []
    for request in socket.receive(ready: ready) {
      switch request.line {
      case "status": socket.reply(id: request.id, text: status())
      case "queue": socket.reply(id: request.id, text: queueSummary())
      case "sync":
        news.append(.syncAsked)
        socket.reply(id: request.id, text: "{\"ok\":true}")
      default:
        socket.reply(
          id: request.id, text: "{\"error\":\"unknown request; this agent knows status, queue, sync\"}")
      }
    }
    return news
  }

  private func queueSummary() -> String {
    do { return QueueReport.json(try queue.summary()) } catch {
      return "{\"error\":\"the queue could not be read; the journal says more\"}"
    }
  }
}
