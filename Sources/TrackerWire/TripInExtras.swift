import TrackerCore

extension Record {
  /// The extras with the number of the trip, for formats that have no other place for it: `{"trip":3,…}`.
  var extrasWithTrip: String {
    guard let tripID, !extras.hasPrefix("{\"trip\":") else { return extras }
    if extras.isEmpty || extras == "{}" { return "{\"trip\":\(tripID)}" }
    guard extras.hasPrefix("{") else { return extras }
    return "{\"trip\":\(tripID)," + extras.dropFirst()
  }
}
