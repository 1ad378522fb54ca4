import Glibc
import TrackerBase

/// Messages to the journal, a line each, the level as a prefix that journald understands (sd-daemon(3)). Never waits
/// for whoever reads them, see `TextOutput`.
public struct Log {
  public typealias Level = RunSettings.LogLevel

  private let level: Level
  private let output: TextOutput

  /// Writes what is at least as important as `level`. On a terminal the level is a word.
  public init(level: Level, to output: TextOutput = TextOutput(STDERR_FILENO)) {
    self.level = level
    self.output = output
  }

  /// Never fails: there is nobody left to hear it. Lines that are lost are counted.
  public func write(_ level: Level, _ message: String) {
    guard level <= self.level else { return }
    let prefix = output.isTerminal ? "\(level.rawValue): " : "<\(Self.priority(of: level))>"
    var text: [UInt8] = []
    let now_ms = HostClock.now().wall_ms
    for line in message.utf8.split(separator: UInt8(ascii: "\n")) {
      text += prefix.utf8
      // A server's words may be in here: nothing in them may steer a terminal or start a line of its own.
      let clean = PlainText.line(String(decoding: line, as: UTF8.self))
      output.recent.append(level, clean, at: now_ms)
      text += clean.utf8
      text.append(UInt8(ascii: "\n"))
    }
    output.write(text)
  }

  /// syslog(3)'s numbers.
  private static func priority(of level: Level) -> Int {
    switch level {
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .debug: 7
    }
  }
}
