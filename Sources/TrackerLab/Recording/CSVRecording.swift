import TrackerBase

/// One report a row, one row a line, after a line with the columns' names, piece by piece. docs/simulate.md describes it.
public struct CSVRecording {
  private let file: String
  private var skipped: SkippedRows
  private var lines = CSVLines()
  private var columns: [CSVColumn?]?
  private var rows = CSVRows()

  /// - Parameter skipsBad: rows that are malformed are left out and counted.
  public init(file: String, skipsBad: Bool = false) {
    self.file = file
    skipped = SkippedRows(isAllowed: skipsBad)
  }

  /// The rows in the order of the file.
  public static func read(
    _ bytes: [UInt8], file: String, skipsBad: Bool = false
  ) throws(TrackError) -> RecordedTrack {
    var recording = CSVRecording(file: file, skipsBad: skipsBad)
    try recording.take(bytes)
    return try recording.finish()
  }

  /// Takes the next bytes, which may end anywhere.
  public mutating func take(_ piece: [UInt8]) throws(TrackError) {
    lines.take(piece)
    while let line = lines.next() { try take(line: line) }
  }

  public mutating func finish() throws(TrackError) -> RecordedTrack {
    if let line = lines.last() { try take(line: line) }
    if columns == nil { try take(line: []) }
    try skipped.check(file: file, good: rows.reports.count)
    guard !rows.reports.isEmpty else {
      throw TrackError(file: file, line: lines.number, reason: "the header has no row below it")
    }
    return skipped.note(
      in: try RecordedTrack(file: file, reports: rows.reports, ignition: rows.ignition))
  }

  private mutating func take(line: ArraySlice<UInt8>) throws(TrackError) {
    do throws(CSVError) {
      guard let columns else { return columns = try CSVColumn.columns(line) }
      try rows.add(line, columns: columns)
    } catch {
      let error = TrackError(file: file, line: lines.number, reason: error.reason)
      guard columns != nil else { throw error }
      try skipped.add(error)
    }
  }
}

struct CSVError: Error { var reason: String }

/// The lines that are not blank, without their line ends.
private struct CSVLines {
  private var bytes: [UInt8] = []
  private var index = 0
  private var isFirst = true
  /// Of the line that was given last, from 1.
  private(set) var number = 0

  mutating func take(_ piece: [UInt8]) {
    bytes.removeFirst(index)
    index = 0
    bytes += piece
    if isFirst, bytes.count >= 3 {
      isFirst = false
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }
  }

  mutating func next() -> ArraySlice<UInt8>? {
    while let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = bytes[index..<end].trimmed
      index = end + 1
      number += 1
      if !line.isEmpty { return line }
    }
    return nil
  }

  /// The last line, if nothing ended it.
  mutating func last() -> ArraySlice<UInt8>? {
    let line = bytes[index...].trimmed
    if index < bytes.count { number += 1 }
    index = bytes.count
    return line.isEmpty ? nil : line
  }
}

private struct CSVRows {
  private(set) var reports = Reports()
  private(set) var ignition: [RecordedTrack.IgnitionSwitch] = []

  mutating func add(_ line: ArraySlice<UInt8>, columns: [CSVColumn?]) throws(CSVError) {
    var row = CSVRow()
    var (count, start) = (0, line.startIndex)
    while true {
      var end = start
      while end < line.endIndex, line[end] != UInt8(ascii: ",") { end += 1 }
      if count < columns.count, let column = columns[count] {
        try row.set(column, to: line[start..<end].trimmed)
      }
      count += 1
      if end == line.endIndex { break }
      start = end + 1
    }
    guard count == columns.count else { throw CSVError(reason: widthReason(count, columns.count)) }
    let report = try row.report()
    if let isOn = row.ignition, isOn != ignition.last?.isOn {
      ignition.append(RecordedTrack.IgnitionSwitch(report: reports.count, isOn: isOn))
    }
    reports.append(report)
  }

  private func widthReason(_ count: Int, _ wanted: Int) -> String {
    let advice =
      count < wanted
      ? "Unknown values stay empty between commas; delete a line that was cut off."
      : "Commas separate columns; decimals have a point."
    return "has \(counted(count, "column")), but the header has \(wanted). \(advice)"
  }
}
