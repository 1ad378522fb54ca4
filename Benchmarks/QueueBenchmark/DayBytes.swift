import Glibc
import TrackerBase
import TrackerJourney
import TrackerIO

/// Writes to the block device for a day.
enum DayBytes {
  /// As fast as it goes.
  static func queue(_ steps: [DayStep], at place: Place) throws -> Written {
    let store = try QueueStore(path: place.folder + "/day/queue.db")
    return try withExtendedLifetime(store) {
      try place.written { for step in steps { try play(step.effect, on: store) } }
    }
  }

  static func plain(_ steps: [DayStep], journal: String, at place: Place) throws -> Written {
    let database = try PlainSQLite(path: place.folder + "/plain-\(journal).db", journal: journal)
    return try place.written { for step in steps { try database.take(step.effect) } }
  }

  /// A piece of a drive at its own pace, at several places at once; what each got, in the order of `places`.
  static func live(_ steps: [DayStep], at places: [Place]) throws -> [Written] {
    let stores = try places.map { try QueueStore(path: $0.folder + "/live/queue.db") }
    Meters.syncAll()
    let before = places.map { Meters.written(to: $0.device) }
    let (began_s, first_ms) = (Meters.now_s, steps[0].at_ms)
    for step in steps {
      let wait_s = Double(step.at_ms - first_ms) / 1000 - (Meters.now_s - began_s)
      if wait_s > 0 { usleep(UInt32(wait_s * 1e6)) }
      for store in stores { try play(step.effect, on: store) }
    }
    // The last journal commit, as any other, comes by itself.
    usleep(10_000_000)
    let written = zip(places, before).map { Meters.written(to: $0.device) - $1 }
    return withExtendedLifetime(stores) { written }
  }

  /// As many steps as fit into so many minutes, out of the middle of a drive.
  static func piece(of steps: [DayStep], minutes: Double) -> [DayStep] {
    let commits = steps.indices.filter { steps[$0].isCommit }
    // Where commits come as close to each other as they do: in the middle of a drive.
    let length_ms = Int64(minutes * 60_000)
    var best = (start: 0, count: 0)
    for start in commits {
      let count = steps[start...].prefix { $0.at_ms < steps[start].at_ms + length_ms }.count
      if count > best.count { best = (start, count) }
    }
    return Array(steps[best.start..<(best.start + best.count)])
  }

  private static func play(_ effect: DayStep.Effect, on store: QueueStore) throws {
    switch effect {
    case .commit(let commit): try store.commit(commit)
    case .remove(let sequences):
      _ = try store[0].batch(limit: 100)
      try store[0].remove(sequences)
    }
  }
}

extension DayStep {
  var isCommit: Bool { if case .commit = effect { true } else { false } }

  var records: Int { if case .commit(let commit) = effect { commit.records.count } else { 0 } }
}
