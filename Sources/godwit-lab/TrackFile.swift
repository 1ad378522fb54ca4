import TrackerIO
import TrackerLab

/// Reads a recorded track in any format that is understood.
enum TrackFile {
  /// - Parameters:
  ///   - path: what errors call the file, too.
  ///   - skipsBad: malformed rows of CSV and GPX are passed over and counted, as such lines of gpsd's always are.
  static func read(path: String, skipsBad: Bool = false) throws(TrackError) -> RecordedTrack {
    let head = try opened(path) { path throws(RecordingError) in
      try RecordingFile.head(of: path, count: TrackFormat.headLength)
    }
    switch try TrackFormat(head: head, file: path) {
    case .csv:
      return try CSVRecording.read(opened(path, RecordingFile.bytes), file: path, skipsBad: skipsBad)
    case .gpx:
      let recording = GPXRecording(file: path, skipsBad: skipsBad)
      try each(path) { piece throws(TrackError) in try recording.take(piece) }
      return try recording.finish()
    case .gpsdJSON:
      return try track(
        opened(path, GPSDRecording.read), file: path,
        ifEmpty: "has no report of a position (TPV); record with: gpspipe -w -o FILE")
    case .receiver:
      let recording = try opened(path) { path throws(RecordingError) in try GPSDecode.read(path: path) }
      return try track(
        recording, file: path,
        ifEmpty: "gpsd finds no report of a position in it; is it NMEA or UBX as a receiver sent it?")
    }
  }

  static func cells(path: String) throws(TrackError) -> [CellRecording.Change] {
    try CellRecording.read(opened(path, RecordingFile.bytes), file: path)
  }

  /// Piece by piece, since a file may be larger than memory.
  private static func each(_ path: String, _ take: ([UInt8]) throws(TrackError) -> Void) throws(TrackError) {
    let file = try opened(path) { path throws(RecordingError) in try RecordingFile.Unpacked(path) }
    while let piece = try opened(path, { _ throws(RecordingError) in try file.next() }) { try take(piece) }
  }

  private static func opened<Content>(
    _ path: String, _ read: (String) throws(RecordingError) -> Content
  ) throws(TrackError) -> Content {
    do throws(RecordingError) {
      return try read(path)
    } catch {
      throw TrackError(file: path, reason: error.description)
    }
  }

  private static func track(
    _ recording: GPSDRecording, file: String, ifEmpty reason: String
  ) throws(TrackError) -> RecordedTrack {
    guard !recording.reports.isEmpty else {
      let skipped = recording.firstSkippedLine.map { line in
        ". Lines that are no message of gpsd: \(recording.skippedLines), the first is line \(line)."
      }
      throw TrackError(file: file, reason: reason + (skipped ?? ""))
    }
    var track = try RecordedTrack(file: file, reports: recording.reports)
    track.skippedLines = recording.skippedLines
    track.firstSkipped = recording.firstSkippedLine.map {
      TrackError(file: file, line: $0, reason: "is no whole message of gpsd")
    }
    return track
  }
}
