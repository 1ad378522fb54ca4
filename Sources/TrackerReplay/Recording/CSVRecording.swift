import TrackerCore

/// One report a row, one row a line, after a line with the columns' names. docs/simulate.md describes it.
public enum CSVRecording {
  /// The rows in the order of the file. - Parameter skipsBad: rows that are malformed are passed over and counted.
  public static func read(
    _ bytes: [UInt8], file: String, skipsBad: Bool = false
  ) throws(TrackError) -> RecordedTrack {
    var lines = CSVLines(bytes)
    var rows = CSVRows()
    var skipped = SkippedRows(isAllowed: skipsBad)
    func failure(_ error: CSVError) -> TrackError {
      TrackError(file: file, line: lines.number, reason: error.reason)
    }
    let columns: [CSVColumn?]
    do throws(CSVError) { columns = try CSVColumn.columns(lines.next() ?? []) } catch { throw failure(error) }
    while let line = lines.next() {
      do throws(CSVError) { try rows.add(line, columns: columns) } catch { try skipped.add(failure(error)) }
    }
    try skipped.check(file: file, good: rows.reports.count)
    guard !rows.reports.isEmpty else {
      throw TrackError(file: file, line: lines.number, reason: "the header has no row below it")
    }
    return skipped.note(
      in: try RecordedTrack(file: file, reports: rows.reports, ignition: rows.ignition))
  }
}

struct CSVError: Error { var reason: String }

/// The lines that are not blank, without their line ends.
private struct CSVLines {
  private let bytes: [UInt8]
  private var index = 0
  /// Of the line that `next` gave last, from 1.
  private(set) var number = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  mutating func next() -> ArraySlice<UInt8>? {
    while index < bytes.count {
      let start = index
      while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
      let line = bytes[start..<index].trimmed
      index += 1
      number += 1
      if !line.isEmpty { return line }
    }
    return nil
  }
}

private struct CSVRows {
  private(set) var reports: [GPSReport] = []
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
