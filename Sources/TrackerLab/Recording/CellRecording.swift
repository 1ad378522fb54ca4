import TrackerBase

/// What a modem told of its serving cell while a track was recorded: lines `time_unix_ms,cell` after a line with these
/// names, a cell as `MCC MNC TAC CI` with the last two in hexadecimal figures, or empty for none.
public enum CellRecording {
  /// From then on, in the recording's time.
  public struct Change: Equatable, Sendable {
    public var at_ms: Int64
    public var cell: Cell?
  }

  static let header = "time_unix_ms,cell"

  public static func read(_ bytes: [UInt8], file: String) throws(TrackError) -> [Change] {
    var changes: [Change] = []
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() where !line.isEmpty || index == 0 {
      func fail(_ reason: String) -> TrackError { TrackError(file: file, line: index + 1, reason: reason) }
      if index == 0 {
        guard line == header else { throw fail("the first line is not \(header)") }
        continue
      }
      let columns = line.split(separator: ",", omittingEmptySubsequences: false)
      guard columns.count == 2, let at_ms = Int64(columns[0]), at_ms >= 0 else {
        throw fail("is not a time in Unix milliseconds, a comma and a cell")
      }
      guard at_ms >= changes.last?.at_ms ?? 0 else { throw fail("is earlier than the line before it") }
      let cell = Cell(words: columns[1].split(separator: " "))
      guard cell != nil || columns[1].isEmpty else {
        throw fail("the cell is not MCC MNC TAC CI, such as 001 01 00C3 00012AB, nor empty")
      }
      changes.append(Change(at_ms: at_ms, cell: cell))
    }
    return changes
  }
}
