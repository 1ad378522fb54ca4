import TrackerBase

/// What noticed the last departure, and what may notice the next one beside probes and lines, for a person.
extension StatusReport {
  /// A line for each of which the document says anything.
  static func departure(_ status: JSONValue) -> [String] {
    let signs = [cells(status), accelerometer(status["lines"])].compactMap { $0 }
    return (noticed(status["trip"]).map { ["  noticed    \($0)"] } ?? [])
      + (signs.isEmpty ? [] : ["signs        " + signs.joined(separator: "; ")])
  }

  /// nil before the first departure.
  private static func noticed(_ trip: JSONValue?) -> String? {
    guard let by = trip?["noticed_by"]?.string else { return nil }
    let words = DepartureCause(rawValue: by)?.words ?? by.replacingUnderscores
    let late = trip?["noticed_within_s"]?.integer ?? 0
    return "by \(words), " + (late > 0 ? "at most \(duration(.integer(late))) after it left" : "as it left")
  }

  /// nil where they are off, and where there is no modem.
  private static func cells(_ status: JSONValue) -> String? {
    switch status["motion_cells_state"]?.string {
    case nil: return nil
    case "silent": return status["link"] == nil ? nil : "the modem tells no cell"
    case "too_many": return "too many cells here"
    default:
      return status["motion_cells"].map { counted(count($0), "cell") + " of this place" } ?? "cells told"
    }
  }

  /// nil where none is set.
  private static func accelerometer(_ lines: JSONValue?) -> String? {
    let use: String
    switch lines?["accelerometer"]?.string {
    case nil: return nil
    case "failed": return "ACCELEROMETER FAILED"
    case "opening": return "accelerometer not there yet"
    case "tells": use = "accelerometer tells"
    default: use = "accelerometer is read"
    }
    let above = lines?["acceleration_threshold_mps2"]?.number.map { " from \($0) m/s²" } ?? ""
    return "\(use)\(above), \(counted(count(lines?["acceleration_signs"]), "sign"))"
  }
}
