import TrackerBase

/// The status on a screen of so many columns and rows: what `StatusReport` says, wrapped under its titles and cut at the
/// last row.
public struct StatusScreen: Equatable, Sendable {
  /// What a line is, for its colour.
  public enum Tone: Equatable, Sendable {
    case plain
    /// Something goes on that should not.
    case alarm
    case faint
  }

  public struct Line: Equatable, Sendable {
    public var text: String
    public var tone: Tone
  }

  /// As many as there are rows at most, none longer than the columns.
  public private(set) var lines: [Line] = []
  private let columns: Int
  private let rows: Int

  static let indent = 13

  /// - Parameters:
  ///   - report: as `StatusReport.text` makes it.
  ///   - footer: on the last row.
  public init(report: String, footer: String, columns: Int, rows: Int) {
    (self.columns, self.rows) = (max(columns, 20), max(rows, 3))
    let said = report.split(separator: "\n").map { String($0) }
    // What is wrong stands above what may be cut.
    let alarms = said.dropFirst(2).filter(StatusScreen.isAlarm)
    let others = said.dropFirst(2).filter { !StatusScreen.isAlarm($0) }
    let all = (said.prefix(2) + alarms + others).flatMap { wrapped($0) }
    let room = self.rows - 1
    lines = Array(all.prefix(room))
    if all.count > room, room > 0 {
      let left = all.count - room + 1
      lines[room - 1] = Line(text: cut("… \(left) more lines: godwit status"), tone: .faint)
    }
    lines.append(Line(text: cut(footer), tone: .faint))
  }

  private func wrapped(_ line: String) -> [Line] {
    let tone: Tone = StatusScreen.isAlarm(line) ? .alarm : .plain
    let words = line.dropFirst(StatusScreen.indent).split(separator: " ").flatMap { pieces(String($0)) }
    return StatusScreen.folded(String(line.prefix(StatusScreen.indent)), words, room: room).map {
      Line(text: cut($0), tone: tone)
    }
  }

  /// In lines with so much room behind the title, which stands before the first. - Parameter title: no longer than
  /// `indent`.
  static func folded(_ title: String, _ words: [String], room: Int) -> [String] {
    var (texts, current) = ([String](), "")
    for word in words {
      if !current.isEmpty, width(current) + 1 + width(word) > room {
        texts.append(current)
        current = ""
      }
      current += (current.isEmpty ? "" : " ") + word
    }
    return (texts + [current]).enumerated().map { index, text in
      let title = index == 0 ? title : ""
      return text.isEmpty ? title : title + String(repeating: " ", count: indent - title.count) + text
    }
  }

  private var room: Int { max(columns - StatusScreen.indent, 7) }

  /// A word that is longer than a line.
  private func pieces(_ word: String) -> [String] {
    var (pieces, current) = ([String](), "")
    for character in PlainText.line(word, instead: "?") {
      if StatusScreen.width(current) + StatusScreen.width(String(character)) > room {
        pieces.append(current)
        current = ""
      }
      current.append(character)
    }
    return pieces + (current.isEmpty ? [] : [current])
  }

  private func cut(_ text: String) -> String {
    var (kept, used) = ("", 0)
    for character in PlainText.line(text, instead: "?") {
      used += StatusScreen.width(String(character))
      if used > columns { break }
      kept.append(character)
    }
    return kept
  }

  private static func isAlarm(_ line: String) -> Bool {
    line.hasPrefix("warning") && line.contains(": still, since ") || line.contains("FAILS")
      || line.contains("NOT S") || line.hasPrefix("safe mode") || line.hasPrefix("no agent")
  }

  /// Columns that a terminal gives it: two for the wide letters of East Asia and for pictures.
  static func width(_ text: String) -> Int {
    text.reduce(0) { sum, character in
      let first = character.unicodeScalars.first?.value ?? 0
      return sum + (wide.contains { $0.contains(first) } ? 2 : 1)
    }
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]
}
