import TrackerBase
import TrackerIO

/// A queue file for Benchmarks/sync: the records of a day, as the agent makes them with its default settings.
enum FilledQueue {
  /// - Parameter records: so many, by living the same day again and again; nil: those of one day.
  static func make(path: String, day: String?, records wanted: Int?) throws {
    let steps = try DayRecorder.steps(of: try ReferenceDay.track(csv: day))
    let ofDay = steps.flatMap { step -> [Record] in
      if case .commit(let commit) = step.effect { commit.records } else { [] }
    }
    guard !ofDay.isEmpty else { throw BenchmarkError("the day has no records") }
    let count = wanted ?? ofDay.count
    let store = try QueueStore(path: path)
    for start in stride(from: 0, to: count, by: 1000) {
      try store.commit(Commit(records: (start..<min(start + 1000, count)).map { record($0, of: ofDay) }))
    }
    let distance_m = ofDay.map(\.odometer_m).max() ?? 0
    print("{\"records\":\(count),\"day_records\":\(ofDay.count),\"day_m\":\(Int(distance_m))}")
  }

  private static func record(_ index: Int, of day: [Record]) -> Record {
    var record = day[index % day.count]
    let later_ms = Int64(index / day.count) * 86_400_000
    record.sequence = Int64(index) + 1
    record.time_ms += later_ms
    record.boot_ms += later_ms
    record.fix?.time_ms += later_ms
    return record
  }
}
