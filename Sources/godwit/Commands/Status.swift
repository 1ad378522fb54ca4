import ArgumentParser
import Glibc
import TrackerCore
import TrackerIO
import TrackerWire

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what the running agent is doing.",
    discussion:
      "Exit codes: 0 shown, 66 no settings file, 69 no agent answers, or not with a status, 78 a mistake in the settings file."
  )

  enum Form: EnumerableFlag {
    case json, metrics, schema, table

    static func help(for form: Form) -> ArgumentHelp? {
      switch form {
      case .json: "The status document as JSON."
      case .metrics: "As OpenMetrics text, for Prometheus."
      case .schema: "The JSON Schema of the document (docs/status.schema.json); no agent is asked."
      case .table: "The table of docs/status.md; no agent is asked."
      }
    }
  }

  @Option(help: "Settings file.") var config = SettingsLocation.standard
  @Flag var form: Form?
  @Flag(help: "Show it again every second.") var watch = false

  func run() throws {
    switch form {
    case .schema: Terminal.print(StatusSchema.text())
    case .table: Terminal.print(StatusTable.text())
    case nil, .json, .metrics: try show()
    }
  }

  private func show() throws {
    let settings = try SettingsLocation.readOrLastGood(config).settings
    repeat {
      let text = try AgentClient.ask("status", settings: settings)
      if watch, form == nil { Terminal.print("\u{1B}[2J\u{1B}[H") }
      Terminal.print(try shown(text))
      if watch { sleep(1) }
    } while watch
  }

  /// - Parameter answer: the document; as JSON, and for a person, anything else is shown as it is.
  private func shown(_ answer: String) throws -> String {
    switch form {
    case nil: return StatusReport.text(answer)
    case .metrics: return try metrics(answer)
    case .json, .schema, .table: return answer + "\n"
    }
  }

  /// Half a document, or another program's words, would be read as figures.
  private func metrics(_ answer: String) throws -> String {
    guard let text = StatusMetrics.text(answer) else {
      Terminal.error(
        "godwit: the agent's answer is no status document of this version; --json shows it\n")
      throw ExitCode(69)
    }
    return text
  }
}

enum AgentClient {
  /// One question to the running agent.
  ///
  /// - Parameter timeout_s: how long the agent may say nothing.
  static func ask(_ line: String, settings: Settings, timeout_s: Int = 10) throws -> String {
    let directory = settings.run.directory
    do { return try ControlClient.ask(directory: directory, line: line, timeout_s: timeout_s) } catch {
      Terminal.error("godwit: no agent answers in \(settings.run.directory): \(error)\n")
      throw ExitCode(69)
    }
  }
}
