/// What bytes were for. Each request counts whole: compression leaves no share to the status that rides with records.
public enum ByteCause: String, FigureChoice, Sendable {
  /// Requests that brought records.
  case records
  /// Requests that brought records and the status.
  case recordsWithStatus = "records_with_status"
  /// Requests that brought the status alone.
  case status
  /// TLS handshakes of requests that brought something.
  case connecting
  /// Requests that brought nothing, with their handshakes.
  case failed
}
