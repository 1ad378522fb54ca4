/// What outlives the process, under the key `motion`: `unknown`, `moving`, or `stationary latitude longitude fixes
/// last_seen_ms`, the place to the centimetre; the same numbers behind `moving` where a key has told of the departure
/// and no fix has come since; `assumed`, `yes` or empty; and under `cells` what `CellWatch` knows.
extension Motion {
  func save(to draft: inout StateDraft) {
    switch state {
    case .unknown: draft["motion"] = "unknown"
    case .moving:
      if let before = moving.before, before.isByKey {
        save("moving", before.place, seen_ms: before.time_ms, to: &draft)
      } else {
        draft["motion"] = "moving"
      }
    case .stationary: save("stationary", parked.place, seen_ms: parked.lastSeen_ms, to: &draft)
    }
    draft["assumed"] = name == .stationary && parked.isAssumed ? Motion.assumed : ""
    draft["cells"] = cells.saved
  }

  private static let assumed = "yes"

  private func save(_ word: String, _ place: Place, seen_ms: Int64, to draft: inout StateDraft) {
    draft.write("motion") { words in
      words.add(word)
      words.add(place.centre)
      words.add(Int64(place.fixes))
      words.add(seen_ms)
    }
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
      moving.before = Motion.seen(saved, "moving") ?? Trips.anchor(saved).map { Seen($0) }
    } else if let seen = Motion.seen(saved, "stationary") {
      stand(Stationary(in: seen.place, lastSeen_ms: seen.time_ms, probe: probeAtOnce(at: now_ms)))
    }
    parked.isAssumed = saved["assumed"] == Motion.assumed
    cells = CellWatch(saved: saved, isParked: name == .stationary) ?? CellWatch()
  }

  /// What storage held, read only now, when nothing is known yet of the vehicle.
  mutating func goOn(with saved: SavedState, at now_ms: Int64) {
    let (view, serving) = (view, cells.serving)
    self = Motion(settings: settings, saved: saved, at: now_ms)
    self.view = view
    cells.serves(serving)
  }

  /// Where the vehicle was left, as precise as a receiver's mean under a roof; nil if it was seen to drive since.
  static func lastPlace(_ saved: SavedState) -> Fix? {
    (seen(saved, "stationary") ?? seen(saved, "moving")).map { seen in
      Fix(
        time_ms: seen.time_ms, position: seen.place.centre, speed_mps: 0, accuracy_m: placeAccuracy_m)
    }
  }

  static let placeAccuracy_m = 50.0

  private static func seen(_ saved: SavedState, _ word: String) -> Seen? {
    let words = saved.words("motion")
    guard words.count == 5, words[0] == word, let centre = Position(words[1], words[2]),
      let fixes = Int(words[3]), fixes >= 1, let seen_ms = SavedState.whole(words[4])
    else { return nil }
    let place = Place(centre: centre, fixes: min(fixes, Place.maxWeight))
    return Seen(place: place, time_ms: seen_ms, isByKey: word == "moving")
  }

  static func unreadable(in state: SavedState) -> [String] {
    let isReadable =
      [["unknown"], ["moving"]].contains(state.words("motion"))
      || seen(state, "stationary") != nil || seen(state, "moving") != nil
    return state.keys(where: [
      "motion": !isReadable, "assumed": state["assumed"] != assumed,
      "habits": Habits(saved: state["habits"]) == nil,
      "cells": CellWatch(saved: state, isParked: true) == nil,
    ])
  }
}

extension Motion.Seen {
  /// The newest fix that the last process had followed.
  fileprivate init(_ fix: Fix) {
    (place, time_ms, isByKey) = (Place(centre: fix.position), fix.time_ms, false)
  }
}
