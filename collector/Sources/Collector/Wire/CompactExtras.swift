import Foundation

/// What records say beside when and where, as the JSON that the geomony format has in `extras`.
enum CompactExtras {
  /// - Returns: by the place of the record in the batch.
  static func texts(
    _ batch: Godwit_Compact_Batch, _ records: [CompactRecord]
  ) throws(CompactError) -> [Int: String] {
    var texts: [Int: String] = [:]
    for (index, record) in records.enumerated() where record.isJump { texts[index] = #"{"jump":true}"# }
    func set(_ index: UInt32, _ text: (CompactRecord) -> String) throws(CompactError) {
      guard records.indices.contains(Int(index)) else {
        throw CompactError(description: "an event is of a record that is not there")
      }
      texts[Int(index)] = text(records[Int(index)])
    }
    for event in batch.motionChanges { try set(event.record) { text(of: event, $0) } }
    for event in batch.geofenceEvents { try set(event.record) { _ in text(of: event) } }
    for event in batch.trips { try set(event.record) { text(of: event, $0) } }
    for event in batch.speedEvents { try set(event.record) { _ in text(of: event) } }
    for event in batch.activityChanges { try set(event.record) { _ in text(of: event) } }
    for gap in batch.gaps { try set(gap.record) { text(of: gap, $0) } }
    for event in batch.others { try set(event.record) { _ in event.extras } }
    return texts
  }

  private static func text(of event: Godwit_Compact_MotionChange, _ record: CompactRecord) -> String {
    object([
      ("cause", word(event.cause)),
      ("left_after_ms", event.hasLeftAfterAgoMs ? "\(record.time_ms &- event.leftAfterAgoMs)" : nil),
      ("left_before_ms", event.hasLeftBeforeAgoMs ? "\(record.time_ms &- event.leftBeforeAgoMs)" : nil),
    ])
  }

  private static func text(of event: Godwit_Compact_GeofenceEvent) -> String {
    object([
      ("action", quoted("\(event.action)".uppercased())), ("geofence", quoted(event.geofence)),
      ("extras", event.extras.isEmpty ? nil : event.extras),
    ])
  }

  private static func text(of trip: Godwit_Compact_TripSummary, _ record: CompactRecord) -> String {
    let end_ms = record.time_ms &- trip.endAgoMs
    let start_ms = end_ms &- trip.durationMs
    return object([
      ("trip", "\(trip.trip)"), ("start_ms", "\(start_ms)"), ("end_ms", "\(end_ms)"),
      ("duration_s", "\(max(0, trip.durationMs / 1000))"), ("idle_s", "\(trip.idleS)"),
      ("distance_m", tenths(trip.distanceDm)),
      ("estimated_m", trip.estimatedDm > 0 ? tenths(trip.estimatedDm) : nil),
      ("top_speed_mps", tenths(trip.topSpeedDmps)),
      (
        "left_after_ms",
        trip.hasLeftAfterMsBeforeStart ? "\(start_ms &- trip.leftAfterMsBeforeStart)" : nil
      ),
      ("towed", trip.towed ? "true" : nil), ("clock", trip.undated ? #""untrusted""# : nil),
      ("end_cause", word(trip.endCause)),
    ])
  }

  private static func text(of event: Godwit_Compact_SpeedEvent) -> String {
    let isOver = event.action == .over
    return object([
      ("action", quoted("\(event.action)".uppercased())),
      (isOver ? "limit_mps" : "top_mps", tenths(event.speedDmps)),
      ("duration_s", isOver ? nil : tenths(event.durationDs)),
    ])
  }

  private static func text(of event: Godwit_Compact_ActivityChange) -> String {
    object([
      ("activity", quoted("\(event.activity)")),
      ("from", event.from == .unknown ? nil : quoted("\(event.from)")),
    ])
  }

  private static func text(of gap: Godwit_Compact_Gap, _ record: CompactRecord) -> String {
    let end_ms = record.time_ms &- gap.endAgoMs
    return object([
      ("cause", quoted(word(gap.cause))), ("begin_ms", "\(end_ms &- gap.durationMs)"),
      ("end_ms", "\(end_ms)"),
      ("clock", gap.undated ? #""untrusted""# : nil),
    ])
  }

  // MARK: JSON

  private static func object(_ members: [(key: String, value: String?)]) -> String {
    let known = members.compactMap { member in member.value.map { "\"\(member.key)\":\($0)" } }
    return "{" + known.joined(separator: ",") + "}"
  }

  private static func quoted(_ text: String) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }

  private static func tenths(_ value: Int64) -> String { "\(Double(value) / 10)" }

  private static func word(_ cause: Godwit_Compact_Gap.Cause) -> String {
    switch cause {
    case .unknown, .UNRECOGNIZED: "unknown"
    case .windowClosed: "window_closed"
    case .zoneUnknown: "zone_unknown"
    case .paused: "paused"
    case .safeMode: "safe_mode"
    case .learningTime: "learning_time"
    case .parked: "parked"
    case .probeOnly: "probe_only"
    case .ignitionOff: "ignition_off"
    case .noSky: "no_sky"
    case .gpsSilent: "gps_silent"
    case .gpsdLost: "gpsd_lost"
    case .undervoltage: "undervoltage"
    case .restarting: "restarting"
    case .acquiring: "acquiring"
    case .storageFailed: "storage_failed"
    case .processNotRunning: "process_not_running"
    case .boardOff: "board_off"
    case .noFix: "no_fix"
    case .accuracy: "accuracy"
    case .noTime: "no_time"
    case .fixesRefused: "fixes_refused"
    }
  }

  /// As the geomony format has it.
  private static func word(_ cause: Godwit_Compact_Cause) -> String {
    let word =
      switch cause {
      case .unknown, .UNRECOGNIZED: "unknown"
      case .fixes: "fixes"
      case .ignition: "ignition"
      case .stayed: "stayed"
      case .noFix: "no_fix"
      case .foundParked: "found_parked"
      case .shifted: "shifted"
      case .superseded: "superseded"
      case .window: "window"
      case .paused: "paused"
      case .safeMode: "safe_mode"
      case .processEnded: "process_ended"
      case .modeChanged: "mode_changed"
      case .placeChanged: "place_changed"
      case .clockJump: "clock_jump"
      case .cell: "cell"
      case .probe: "probe"
      case .vibration: "vibration"
      case .voltage: "voltage"
      case .acceleration: "acceleration"
      }
    return quoted(word)
  }
}
