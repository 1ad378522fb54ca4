/// What must agree for a record that comes again to be the same record.
///
/// A device that got no reply may send a record in another format the next time: both have the time to the millisecond
/// and the same word for the event, while compact rounds places to 50·10⁻⁷ degrees at most (docs/godwit.proto) and leaves
/// out one whose accuracy is not known. What formats round further (speed, accuracies) or one of them does not have
/// (trip, odometer) is not looked at. Two boxes that share an identity differ in time or place.
///
/// A box dates a record anew once it knows the time. If the first answer was lost, the record comes again with its true
/// date: the stored one keeps its date, which is marked, since what was made of it is not made again.
struct RecordContent: Equatable {
  var time_ms: Int64
  var event: String
  /// The box trusted the time.
  var isDated: Bool
  /// nil without a position.
  var place: Place?

  struct Place: Equatable {
    var latitude: Double
    var longitude: Double
  }

  /// Twice what two roundings can make: about a metre.
  static let tolerance_deg = 0.000_01
  static let tolerance_ms: Int64 = 1
  /// A member of the extras.
  static let undated = #""clock":"untrusted""#

  func isSame(as other: RecordContent) -> Bool {
    guard isSameTime(as: other), isSameEvent(as: other) else { return false }
    guard let place, let otherPlace = other.place else { return true }
    let east = abs(place.longitude - otherPlace.longitude)
    return abs(place.latitude - otherPlace.latitude) <= Self.tolerance_deg
      && min(east, 360 - east) <= Self.tolerance_deg
  }

  /// - Parameter other: the one that has come.
  private func isSameTime(as other: RecordContent) -> Bool {
    if !isDated, other.isDated { return true }
    // A hostile upload may be as far away as numbers go.
    let (apart_ms, isFar) = time_ms.subtractingReportingOverflow(other.time_ms)
    return !isFar && apart_ms.magnitude <= Self.tolerance_ms.magnitude
  }

  /// A kind that the one or the other had no name for may come again after an update, by its name.
  private func isSameEvent(as other: RecordContent) -> Bool {
    event == other.event || [event, other.event].contains(Self.unnamed)
  }

  private static let unnamed = "unknown"
}

extension RecordContent {
  /// (0, 0) stands for no position.
  init(time_ms: Int64, event: String, extras: String = "", latitude: Double, longitude: Double) {
    self.time_ms = time_ms
    isDated = !extras.contains(Self.undated)
    // As PostgreSQL keeps it.
    self.event = PostgresText.plain(event)
    place = latitude == 0 && longitude == 0 ? nil : Place(latitude: latitude, longitude: longitude)
  }

  init(_ record: UploadedRecord) {
    self.init(
      time_ms: record.time_ms, event: record.fields.event ?? "", extras: record.fields.extras ?? "",
      latitude: record.latitude,
      longitude: record.longitude)
  }
}
