import TrackerBase
import TrackerWire

/// The last lines of the log, for a report to the server. Nothing in the log is a place or a token; should a line ever
/// hold a number that could be part of a place, it does not leave the box.
public struct RecentLines {
  public static let longestLine_bytes = 300

  private var lines: [String] = []
  /// Where the oldest is, once it is full.
  private var next = 0

  init() {}

  /// - Parameter wall_ms: Unix milliseconds, by the system's clock.
  mutating func append(_ level: RunSettings.LogLevel, _ line: String, at wall_ms: Int64) {
    let text = "\(ISO8601.text(ms: wall_ms)) \(level.rawValue): \(RecentLines.withoutPlaces(line))"
    let short = String(decoding: text.utf8.prefix(RecentLines.longestLine_bytes), as: UTF8.self)
    if lines.count < Command.mostReportLines {
      lines.append(short)
    } else {
      lines[next] = short
      next = (next + 1) % lines.count
    }
  }

  /// Oldest first: the newest that fit into both bounds.
  public func last(_ count: Int, most_bytes: Int = Command.mostReport_bytes) -> [String] {
    var left_bytes = most_bytes
    var found: [String] = []
    for line in (lines[next...] + lines[..<next]).reversed().prefix(count) {
      left_bytes -= line.utf8.count
      if left_bytes < 0 { break }
      found.append(line)
    }
    return found.reversed()
  }

  /// `…` for a number with three or more decimals.
  static func withoutPlaces(_ line: String) -> String {
    var result = ""
    var number = ""
    func shown(_ number: String) -> String {
      let parts = number.split(separator: ".", omittingEmptySubsequences: false)
      return parts.dropFirst().contains { $0.count >= 3 } ? "…" : number
    }
    for character in line {
      let isDigit = character.isASCII && character.isNumber
      if isDigit || character == "." && !number.isEmpty {
        number.append(character)
        continue
      }
      result += shown(number)
      number = ""
      result.append(character)
    }
    return result + shown(number)
  }
}
