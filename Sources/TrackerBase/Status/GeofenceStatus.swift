public struct GeofenceStatus: StatusGroup {
  @Figure("count", .gauge, metric: "", "Geofences in the file.")
  public var count = 0
  @Figure("expired", .gauge, "Geofences that have expired.")
  public var expired = 0
  @Figure("events", .counter, "Geofence events.")
  public var events = 0
  @Figure("inside_count", .gauge, metric: "inside", "Geofences that the vehicle is inside of.")
  public private(set) var insideCount = 0
  @Figure("inside", "Ids of those, in the order of the file, 50 at most.")
  public private(set) var inside: [String] = []

  static let mostNamed = 50

  public init() {}

  /// - Parameter ids: in the order of the file.
  public mutating func setInside(_ ids: [String]) {
    (insideCount, inside) = (ids.count, Array(ids.prefix(GeofenceStatus.mostNamed)))
  }
}
