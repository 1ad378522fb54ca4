/// A trip as a day needs it: by its record, or by its fixes while there is no record of it.
struct DayTrip: Equatable, Sendable {
  /// Numbers of trips begin anew with a queue.
  struct Key: Hashable, Sendable {
    var queueID: Int64
    var number: Int64
  }

  var key: Key?
  var begin_ms: Int64
  /// Of one that is under way: the time of its last fix.
  var end_ms: Int64
  /// The record's; nil without one.
  var distance_m: Double?
  var idle_s: Double?
  var topSpeed_mps: Double?
  var endCause: String?
  var isTowed = false
  /// Where it began, and where the vehicle came to stand. Nil where it is not known.
  var start: Coordinate?
  var place: Coordinate?
  var isUnderWay = false
}

extension DayTrip {
  /// Nil for what is no summary: a record is kept as it was sent.
  init?(_ record: DayRecord) {
    guard record.event == "trip", let extras = record.extras,
      let begin_ms = extras["start_ms"]?.integer, let end_ms = extras["end_ms"]?.integer, begin_ms <= end_ms,
      Timestamp.isReadable(begin_ms), Timestamp.isReadable(end_ms)
    else { return nil }
    self.init(
      key: record.trip, begin_ms: begin_ms, end_ms: end_ms, distance_m: extras["distance_m"]?.double,
      idle_s: extras["idle_s"]?.double, topSpeed_mps: extras["top_speed_mps"]?.double,
      endCause: extras["end_cause"]?.string, isTowed: extras["towed"] == .bool(true), place: record.place)
  }

  /// One whose record has not come. Nil without fixes.
  ///
  /// - Parameters:
  ///   - fixes: all of it that are known, by time.
  ///   - newest: the device's newest position. It says whether the trip goes on.
  init?(_ key: Key, fixes: [DayRecord], newest: DayRecord?) {
    guard let first = fixes.first, let last = fixes.last else { return nil }
    let isUnderWay = newest?.trip == key && newest?.isMoving != false
    let end_ms = isUnderWay ? max(last.time_ms, newest?.time_ms ?? 0) : last.time_ms
    self.init(
      key: key, begin_ms: first.time_ms, end_ms: end_ms, start: first.place, place: last.place,
      isUnderWay: isUnderWay)
  }

  func crosses(_ time_ms: Int64) -> Bool { begin_ms < time_ms && time_ms < end_ms }

  /// Its part within a span.
  ///
  /// - Parameter fixes: of a trip without a record, or of one that is partly in the span: all that are known, by time.
  func shown(from_ms: Int64, to_ms: Int64, fixes: [DayRecord]) -> Day.Trip {
    let (first_ms, last_ms) = (max(begin_ms, from_ms), min(end_ms, to_ms))
    var trip = Day.Trip(
      trip: key?.number, begin: Timestamp.text(first_ms), end: Timestamp.text(last_ms),
      distance_m: distance_m,
      idle_s: idle_s, top_speed: topSpeed_mps, end_cause: endCause, towed: isTowed ? true : nil,
      under_way: isUnderWay ? true : nil)
    let isCut = first_ms != begin_ms || last_ms != end_ms
    if isCut || !fixes.isEmpty {
      trip.distance_m = metres(fixes, from_ms: first_ms, to_ms: last_ms)
      trip.idle_s = nil
      trip.top_speed = fixes.filter { (first_ms...last_ms).contains($0.time_ms) }.compactMap(\.speed).max()
    }
    if isCut {
      trip.whole = Day.Whole(
        begin: Timestamp.text(begin_ms), end: isUnderWay ? nil : Timestamp.text(end_ms),
        distance_m: distance_m)
    }
    return trip
  }

  /// The part of the way that was driven between two instants. The parts of a trip add up to what its record says.
  private func metres(_ fixes: [DayRecord], from_ms: Int64, to_ms: Int64) -> Double? {
    let part_m = Self.metres(fixes, from_ms: from_ms, to_ms: to_ms)
    guard let distance_m else { return fixes.isEmpty ? nil : Self.rounded(part_m) }
    let whole_m = Self.metres(fixes, from_ms: begin_ms, to_ms: end_ms)
    // Without a track the time is all there is to go by.
    let share = whole_m > 0 ? part_m / whole_m : Double(to_ms - from_ms) / Double(max(end_ms - begin_ms, 1))
    return Self.rounded(distance_m * share)
  }

  /// As in a trip's record.
  private static func rounded(_ metres: Double) -> Double { (metres * 10).rounded() / 10 }

  /// Straight from fix to fix, at an even pace between two of them.
  static func metres(_ fixes: [DayRecord], from_ms: Int64, to_ms: Int64) -> Double {
    zip(fixes, fixes.dropFirst()).reduce(0) { sum, pair in
      let (one, next) = pair
      let inside_ms = min(next.time_ms, to_ms) - max(one.time_ms, from_ms)
      guard inside_ms >= 0 else { return sum }
      let share = next.time_ms > one.time_ms ? Double(inside_ms) / Double(next.time_ms - one.time_ms) : 1
      return sum + share * one.coordinate.metres(to: next.coordinate)
    }
  }
}
