import TrackerBase

/// One report a row, one row a line, after a line with the columns' names. docs/simulate.md describes it.
public enum CSVRecording {
  /// The rows in the order of the file.
  ///
  /// - Parameter skipsBad: rows that are malformed are left out and counted.
  public static func read(
    _ bytes: [UInt8], file: String, skipsBad: Bool = false
  ) throws(TrackError) -> RecordedTrack {
    var (rows, skipped) = (CSVRows(), SkippedRows(isAllowed: skipsBad))
    var columns: [CSVColumn?]?
    var number = 0
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let end = text.last == UInt8(ascii: "\n") ? 1 : 0
    for line in text.dropLast(end).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let line = line.trimmed
      if line.isEmpty { continue }
      do throws(CSVError) {
        if let columns { try rows.add(line, columns: columns) } else { columns = try CSVColumn.columns(line) }
      } catch {
        let error = TrackError(file: file, line: number, reason: error.reason)
        guard columns != nil else { throw error }
        try skipped.add(error)
      }
    }
    try skipped.check(file: file, good: rows.reports.count)
    guard !rows.reports.isEmpty else {
      throw TrackError(file: file, line: number, reason: "the header has no row below it")
    }
    return skipped.note(in: try RecordedTrack(file: file, reports: rows.reports, ignition: rows.ignition))
  }
}

struct CSVError: Error { var reason: String }

private struct CSVRows {
  private(set) var reports: [GPSReport] = []
  private(set) var ignition: [RecordedTrack.IgnitionSwitch] = []

  mutating func add(_ line: ArraySlice<UInt8>, columns: [CSVColumn?]) throws(CSVError) {
    var row = CSVRow()
    let cells = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard cells.count == columns.count else {
      throw CSVError(reason: widthReason(cells.count, columns.count))
    }
    for case (let column?, let cell) in zip(columns, cells) { try row.set(column, to: cell.trimmed) }
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
