/// A track that cannot be read: where, why, and what to do. Never holds a value of the file.
public struct TrackError: Error, Equatable, CustomStringConvertible {
  public var file: String
  /// From 1; nil if it is about the whole file.
  public var line: Int?
  public var reason: String
  /// Of a malformed row, which --skip-bad leaves out.
  public var isOfRow = false

  public init(file: String, line: Int? = nil, reason: String) {
    self.file = file
    self.line = line
    self.reason = reason
  }

  /// `drive.gpx:12: <trkpt> has no <time>`
  public var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(reason)" }
}
