/// What outlives the process, under the key `motion`: `unknown`, `moving`, or `stationary latitude longitude fixes
/// last_seen_ms`, the place to the centimetre; and under `cells` what `CellWatch` knows.
extension Motion {
  func save(to draft: inout StateDraft) {
    switch state {
    case .unknown: draft["motion"] = "unknown"
    case .moving: draft["motion"] = "moving"
    case .stationary:
      draft.write("motion") { words in
        words.add("stationary")
        words.add(parked.place.centre)
        words.add(Int64(parked.place.fixes))
        words.add(parked.lastSeen_ms)
      }
    }
    draft["cells"] = cells.saved
  }

  /// What was learned before this process. What it has learned itself by then is less.
  mutating func remember(_ saved: SavedState) {
    if !saved["habits"].isEmpty, let habits = Habits(saved: saved["habits"]) { self.habits = habits }
    cells.remember(saved)
  }

  init(settings: MotionSettings, saved: SavedState, at now_ms: Int64) {
    self.init(settings: settings)
    remember(saved)
    if saved.words("motion").first == "moving" {
      setOff(Moving(at: now_ms))
    } else if let (place, seen_ms) = Motion.parked(saved), place.fixes >= 1 {
      stand(Stationary(in: place, lastSeen_ms: seen_ms, probe: probeAtOnce(at: now_ms)))
    }
    cells = CellWatch(saved: saved, isParked: name == .stationary) ?? CellWatch()
  }

  /// Where the vehicle was left, as precise as a receiver's mean under a roof; nil if it was not parked.
  static func lastPlace(_ saved: SavedState) -> Fix? {
    parked(saved).map { place, seen_ms in
      Fix(time_ms: seen_ms, position: place.centre, speed_mps: 0, accuracy_m: placeAccuracy_m)
    }
  }

  static let placeAccuracy_m = 50.0

  private static func parked(_ saved: SavedState) -> (Place, seen_ms: Int64)? {
    let words = saved.words("motion")
    guard words.count == 5, words[0] == "stationary", let centre = Position(words[1], words[2]),
      let seen_ms = SavedState.whole(words[4])
    else { return nil }
    return (Place(centre: centre, fixes: min(Int(words[3]) ?? 0, Place.maxWeight)), seen_ms)
  }

  static func unreadable(in state: SavedState) -> [String] {
    let isReadable =
      [["unknown"], ["moving"]].contains(state.words("motion"))
      || parked(state).map { $0.0.fixes >= 1 } ?? false
    return state.keys(where: [
      "motion": !isReadable, "habits": Habits(saved: state["habits"]) == nil,
      "cells": CellWatch(saved: state, isParked: true) == nil,
    ])
  }
}
