import Glibc
import TrackerLab

/// Reads a recorded track: raw NMEA or GPX, distinguished by their content.
public enum TrackReader {
  /// The epochs of the track in `path`; at least one of them has a fix.
  public static func read(path: String) throws(TrackError) -> [PlayedEpoch] {
    try parse(contents(of: path), file: path)
  }

  /// The epochs of a track in memory. `file` is what errors call it.
  public static func parse(_ bytes: [UInt8], file: String) throws(TrackError) -> [PlayedEpoch] {
    if bytes.starts(with: [0x1F, 0x8B]) {
      throw TrackError(file: file, reason: "is compressed with gzip; unpack it first (gunzip -k)")
    }
    let epochs: [PlayedEpoch]
    if looksLikeXML(bytes) {
      epochs = try GPXTrack.epochs(bytes, file: file)
    } else if bytes.contains(UInt8(ascii: "$")) {
      epochs = try NMEATrack.epochs(bytes, file: file)
    } else {
      throw TrackError(file: file, reason: "is neither NMEA (lines that begin with $) nor GPX (<gpx>)")
    }
    if !epochs.contains(where: { $0.fix != nil }) {
      throw TrackError(file: file, reason: "has no position to play")
    }
    return epochs
  }

  // A byte order mark and white space may come before the first tag.
  private static func looksLikeXML(_ bytes: [UInt8]) -> Bool {
    let skipped: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D]
    return bytes.first { !skipped.contains($0) } == UInt8(ascii: "<")
  }

  private static func contents(of path: String) throws(TrackError) -> [UInt8] {
    func failed(_ call: String) -> TrackError {
      let code = errno
      return TrackError(file: path, reason: "\(call): \(String(cString: strerror(code))) (errno \(code))")
    }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failed("open") }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(file, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw failed("read") }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }
}
