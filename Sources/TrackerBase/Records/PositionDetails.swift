/// What a position says beside its fix, for formats that have a place for it (`FormatTraits.wantsDetails`):
/// as it was at the fix's time.
public struct PositionDetails: Equatable, Sendable {
  /// In tenths, as the voltage.
  public var hdop: Double?
  /// nil: no line says it.
  public var ignitionIsOn: Bool?
  /// Of the vehicle's battery.
  public var battery_V: Double?
  /// Ids of the geofences that the vehicle was in, `PositionDetails.mostGeofences` at most.
  public var geofences: [String]

  public static let mostGeofences = 50

  public init(
    hdop: Double? = nil, ignitionIsOn: Bool? = nil, battery_V: Double? = nil, geofences: [String] = []
  ) {
    self.hdop = hdop.map(Resolution.tenths)
    self.ignitionIsOn = ignitionIsOn
    self.battery_V = battery_V.map(Resolution.tenths)
    self.geofences = Array(geofences.prefix(PositionDetails.mostGeofences))
  }
}

/// Remembers what changed when, since a track keeps its fixes late: a corner of the line is known only behind it.
package struct PositionDetailsLog: Equatable, Sendable {
  private struct Change: Equatable {
    var time_ms: Int64
    /// Without the HDOP, which each fix has itself.
    var details: PositionDetails
  }

  /// By GPS time, the oldest first.
  private var changes: [Change] = []

  package init() {}

  /// While nothing is kept, as when the vehicle is parked, so many at most.
  static let mostChanges = 500

  /// From the fix of this time on.
  package mutating func add(_ details: PositionDetails, at time_ms: Int64) {
    if changes.last?.details == details { return }
    if changes.count == PositionDetailsLog.mostChanges { changes.removeFirst(100) }
    changes.append(Change(time_ms: time_ms, details: details))
  }

  /// As it was at the fix's time; nil where nothing is known.
  package func details(of fix: Fix) -> PositionDetails? {
    var details = index(at: fix.time_ms).map { changes[$0].details } ?? PositionDetails()
    details.hdop = fix.hdop.map(Resolution.tenths)
    return details == PositionDetails() ? nil : details
  }

  /// No earlier fix will be asked for.
  package mutating func forget(before fix: Fix) {
    if let index = index(at: fix.time_ms) { changes.removeFirst(index) }
  }

  private func index(at time_ms: Int64) -> Int? { changes.lastIndex { $0.time_ms <= time_ms } }
}
