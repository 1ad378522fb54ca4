import TrackerBase

/// Malformed rows of a recording: an error, or with `--skip-bad` passed over and counted.
struct SkippedRows {
  private let isAllowed: Bool
  private(set) var count = 0
  private(set) var first: TrackError?

  init(isAllowed: Bool) { self.isAllowed = isAllowed }

  /// - Throws: the error itself, where none may be passed over.
  mutating func add(_ error: TrackError) throws(TrackError) {
    guard isAllowed else {
      var error = error
      error.isOfRow = true
      throw error
    }
    count(error)
  }

  /// One that is left out in any case.
  mutating func count(_ error: TrackError) {
    count += 1
    first = first ?? error
  }

  /// A file of which the most is malformed is another one than was meant. - Parameter good: rows that were read.
  func check(file: String, good: Int) throws(TrackError) {
    guard let first, count > good else { return }
    guard isAllowed || good > 0 else { throw first }
    let place = first.line.map { " (line \($0))" } ?? ""
    throw TrackError(
      file: file,
      reason:
        "\(counted(count, "row is", "rows are")) malformed and only \(good) not, which --skip-bad does not pass "
        + "over; the first\(place): \(first.reason)")
  }

  func note(in track: RecordedTrack) -> RecordedTrack {
    var track = track
    (track.skippedLines, track.firstSkipped) = (count, first)
    return track
  }
}
