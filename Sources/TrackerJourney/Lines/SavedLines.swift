import TrackerBase

struct SavedLines: SavedObject, Equatable {
  var tow = Lines.Tow.none
  var missedDeparture = false

  static let members: [SavedMember<SavedLines>] = [
    .init("tow", \.tow), .init("missed_departure", \.missedDeparture),
  ]
}

extension Lines.Tow: Savable {}
