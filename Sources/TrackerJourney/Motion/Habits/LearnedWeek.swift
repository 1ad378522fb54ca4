import TrackerBase

/// What is learned of when the vehicle leaves, for a person to look at.
public struct LearnedWeek: Equatable, Sendable {
  /// Of which it was learned; those of older weeks count for less.
  public var departures: Double
  /// They are too few to let the GPS look less often than the settings say.
  public var areFew: Bool
  /// How many departures an hour are expected of the parked vehicle: by day, Monday first, and by hour of the day, local
  /// time.
  public var perHour: [[Double]]

  public init(departures: Double, areFew: Bool, perHour: [[Double]]) {
    (self.departures, self.areFew, self.perHour) = (departures, areFew, perHour)
  }
}

extension DepartureHabits {
  /// nil: nothing is learned yet.
  package var week: LearnedWeek? {
    guard known > 0 else { return nil }
    let slotsAnHour = 3600 / DepartureHabits.slot_s
    let perHour = (0..<7).map { day in
      (0..<24).map { hour in
        // 1970 began with a Thursday.
        let begin_s = Int64((day + 4) % 7) * DepartureHabits.day_s + Int64(hour) * 3600
        let rates = (0..<slotsAnHour).map { rate(at: begin_s + $0 * DepartureHabits.slot_s, supposed: 0) }
        return rates.reduce(0, +) / Double(slotsAnHour) * 3600
      }
    }
    return LearnedWeek(departures: known, areFew: areFew, perHour: perHour)
  }
}
