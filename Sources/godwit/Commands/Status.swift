import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what the running agent is doing.",
    discussion:
      """
      Exit codes: 0 shown, 64 a mistake on the command line, 66 no settings file, 69 no agent answers, or not with a \
      status, 77 not allowed, 78 a mistake in the settings file.
      """
  )

  enum Form: EnumerableFlag {
    case json, metrics, prometheus

    static func help(for form: Form) -> ArgumentHelp? {
      switch form {
      case .json: "The status document as JSON."
      case .metrics: "As OpenMetrics text."
      case .prometheus: "As Prometheus' text, for the textfile folder of node_exporter."
      }
    }
  }

  @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard
  @Flag var form: Form?
  @Flag(help: "Show it again and again, until Ctrl-C.") var watch = false
  @Option(help: "With --watch: so many seconds apart, 0.5 to 3600.") var intervalS = 2.0

  func validate() throws {
    guard (0.5...3600).contains(intervalS) else {
      throw ValidationError("--interval-s: 0.5 to 3600 seconds")
    }
  }

  func run() throws {
    let settings = try SettingsLocation.readOrLastGood(config).settings
    if watch { return show(of: settings.run.directory) }
    let answer = try AgentClient.ask("status", settings: settings)
    guard let text = Status.shown(answer, as: form) else {
      Terminal.error(Status.complaint(of: answer))
      throw ExitCode(ExitReason.unavailable.rawValue)
    }
    Terminal.print(text)
  }

  /// - Parameters:
  ///   - answer: the document; as JSON, and for a person, anything else is shown as it is.
  ///   - form: nil: for a person.
  /// - Returns: nil where half a document, or another program's words, would be read as figures.
  static func shown(_ answer: String, as form: Form?) -> String? {
    if answer.isEmpty { return nil }
    return switch form {
    case nil: StatusReport.text(answer)
    case .metrics: StatusMetrics.text(answer, as: .openMetrics)
    case .prometheus: StatusMetrics.text(answer, as: .prometheus)
    case .json: answer + "\n"
    }
  }

  /// Of an answer that is not shown.
  static func complaint(of answer: String) -> String { answer.isEmpty ? noAnswer : noDocument }

  private static let noAnswer = "godwit: the agent ended while it was asked; journalctl -u godwit says why\n"
  static let noDocument =
    "godwit: the agent's answer is no status document of this version; --json shows it\n"
}

extension Status {
  /// An agent that hangs must not make the screen hang.
  private static let patience_s = 2
  /// To the top left corner, and all that is there goes.
  private static let cleared = "\u{1B}[H\u{1B}[2J\u{1B}[3J"

  /// The status again and again, until Ctrl-C, or nothing can be shown any more. An agent that is not there may come.
  private func show(of directory: String) {
    let isScreen = form == nil && isatty(STDOUT_FILENO) == 1
    while !ProcessLimits.hasOutputFailed {
      if isScreen { Terminal.print(Self.cleared) }
      do throws(ControlError) {
        let answer = try ControlClient.ask(directory: directory, line: "status", timeout_s: Self.patience_s)
        if let text = Status.shown(answer, as: form) {
          Terminal.print(text)
        } else {
          Terminal.error(Status.complaint(of: answer))
        }
      } catch {
        Terminal.error("godwit: no agent answers in \(directory): \(error)\n")
      }
      usleep(UInt32(intervalS * 1_000_000))
    }
  }
}
