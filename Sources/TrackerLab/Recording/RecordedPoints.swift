import TrackerBase

/// A place on the track at a time.
public struct TrackPoint: Equatable, Sendable {
  public var time_ms: Int64
  public var position: Position
  /// As it was recorded; only the report's line has it.
  var speed_mps: Double?
}

/// The recorded fixes that have a time, in its order.
struct RecordedPoints: RandomAccessCollection {
  private let reports: Reports
  private let order: [Int32]

  init(_ reports: Reports) {
    self.reports = reports
    var order = reports.indices.filter { reports.hasFix($0) && reports.time_ms($0) != nil }.map { Int32($0) }
    let isOrdered = zip(order, order.dropFirst()).allSatisfy { before, after in
      reports.time_ms(Int(before)) ?? 0 <= reports.time_ms(Int(after)) ?? 0
    }
    if !isOrdered { order.sort { (reports.time_ms(Int($0)) ?? 0, $0) < (reports.time_ms(Int($1)) ?? 0, $1) } }
    self.order = order
  }

  var startIndex: Int { 0 }
  var endIndex: Int { order.count }

  /// The report's index in the recording.
  func report(at index: Int) -> Int { Int(order[index]) }

  subscript(index: Int) -> TrackPoint { reports.point(report(at: index)) }
}
