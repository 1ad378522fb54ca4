import ArgumentParser
import TrackerBase
import TrackerIO
import TrackerWire

enum AgentClient {
  /// One question to the running agent.
  ///
  /// - Parameter timeout_s: how long the agent may say nothing.
  static func ask(_ line: String, settings: Settings, timeout_s: Int = 10) throws -> String {
    let directory = settings.run.directory
    do throws(ControlError) {
      return try ControlClient.ask(directory: directory, line: line, timeout_s: timeout_s)
    } catch { throw error.exitReason.exit("no agent answers in \(directory): \(error)") }
  }

  /// Its answer as JSON; nil where it is none.
  static func askJSON(_ line: String, settings: Settings) throws -> JSONValue? {
    JSONReader.parse(Array(try ask(line, settings: settings).utf8))
  }

  /// The same where there is a way without an agent. - Returns: nil where none runs.
  static func askIfThere(_ line: String, directory: String) throws -> String? {
    do throws(ControlError) { return try ControlClient.ask(directory: directory, line: line) } catch {
      if case .notRunning = error { return nil }
      throw error.exitReason.exit("\(error)")
    }
  }
}

extension ControlError {
  /// Of a command that ends for it.
  var exitReason: ExitReason { if case .notAllowed = self { .permission } else { .unavailable } }
}

/// The agent that runs, if one does.
struct AgentLink {
  private let directory: String
  private(set) var status: JSONValue?
  /// Why it cannot be asked, though it is there.
  private(set) var refusal: String?

  init(_ settings: Settings) {
    directory = settings.run.directory
    do throws(ControlError) {
      status = JSONReader.parse(Array(try ControlClient.ask(directory: directory, line: "status").utf8))
    } catch {
      if case .notRunning = error {} else { refusal = "\(error)" }
    }
  }

  /// One runs; it may not answer this user.
  var isThere: Bool { status != nil || refusal != nil }
  var device: String? { status?["device"]?.string }

  /// nil: it does not answer any more.
  func ask(_ line: String) -> JSONValue? {
    (try? ControlClient.ask(directory: directory, line: line)).flatMap { JSONReader.parse(Array($0.utf8)) }
  }
}
