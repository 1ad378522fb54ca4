@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Local time, in seconds since 1970-01-01, a Thursday.
func local_s(day: Int, hour: Double) -> Int64 { Int64(day) * 86_400 + Int64(hour * 3600) }

extension Habits {
  /// Of a van that leaves at 7:30 and at 17:00 on working days, and drives for half an hour each time.
  static func commuter(days: Int) -> Habits {
    var habits = Habits()
    var parked_s: Int64 = 0
    for day in 0..<days where ![2, 3].contains(day % 7) {
      for hour in [7.5, 17] {
        let left_s = local_s(day: day, hour: hour)
        habits.parked(from: parked_s, to: left_s)
        habits.left(at: left_s)
        parked_s = left_s + 1800
      }
    }
    return habits
  }

  /// Of a vehicle that has left once a day, at any time.
  static func daily(days: Int64, until_s: Int64) -> Habits {
    var habits = Habits()
    for day in 1...days {
      let from_s = until_s - (days + 1 - day) * 86_400
      habits.parked(from: from_s, to: from_s + 86_400)
      habits.left(at: from_s + day * (86_400 / days))
    }
    return habits
  }
}
