/// From `start_ms` up to `end_ms`, Unix milliseconds of GPS time.
public struct Span: Equatable, Sendable {
  public var start_ms: Int64
  public var end_ms: Int64

  public init(start_ms: Int64, end_ms: Int64) {
    self.start_ms = start_ms
    self.end_ms = end_ms
  }

  public var length_s: Double { Double(end_ms - start_ms) / 1000 }
}

extension [Span] {
  var total_s: Double { reduce(0) { $0 + $1.length_s } }
}
