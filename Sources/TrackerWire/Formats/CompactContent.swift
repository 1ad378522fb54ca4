import TrackerBase

/// A record's content as one of the messages of docs/godwit.proto.
extension Record {
  func writeContent(_ index: Int, to message: inout ProtobufWriter) {
    let index = UInt64(index)
    switch content {
    case .position(_, nil): break
    case .motion(let change): message.message(30) { write(change, index, to: &$0) }
    case .geofence(let event): message.message(31) { write(event, index, to: &$0) }
    case .trip(let summary): message.message(32) { write(summary, index, to: &$0) }
    case .speed(let event): message.message(33) { write(event, index, to: &$0) }
    case .activity(let kind, let from):
      message.message(34) {
        $0.unsigned(1, index)
        $0.unsigned(2, kind.number)
        $0.unsigned(3, from?.number ?? 0)
      }
    case .gap(let gap) where gap.wake == nil: message.message(37) { write(gap, index, to: &$0) }
    case .gap, .position(_, _?), .status, .warning, .incident, .unknown:
      message.message(35) {
        $0.unsigned(1, index)
        $0.string(2, content.extras)
      }
    }
  }

  private func write(_ change: MotionChange, _ index: UInt64, to message: inout ProtobufWriter) {
    message.unsigned(1, index)
    message.unsigned(2, change.cause.number)
    message.optional(3, change.leftAfter_ms.map { time_ms &- $0 })
    message.optional(4, change.leftBefore_ms.map { time_ms &- $0 })
  }

  private func write(_ event: GeofenceEvent, _ index: UInt64, to message: inout ProtobufWriter) {
    message.unsigned(1, index)
    message.unsigned(2, event.action.number)
    message.string(3, event.geofence)
    message.string(4, event.extras)
  }

  private func write(_ trip: TripSummary, _ index: UInt64, to message: inout ProtobufWriter) {
    message.unsigned(1, index)
    message.signed(2, trip.id)
    message.signed(3, time_ms &- trip.end_ms)
    message.signed(4, trip.end_ms &- trip.start_ms)
    message.signed(5, trip.idle_s)
    message.signed(6, Compact.whole(trip.distance_m * 10) ?? 0)
    message.signed(7, Compact.whole(trip.topSpeed_mps * 10) ?? 0)
    message.unsigned(8, trip.endCause.number)
    message.optional(9, trip.leftAfter_ms.map { trip.start_ms &- $0 })
    message.bool(10, trip.isTowed)
    message.bool(11, !trip.isDated)
    message.signed(12, Compact.whole(trip.estimated_m * 10) ?? 0)
  }

  private func write(_ gap: TrackGap, _ index: UInt64, to message: inout ProtobufWriter) {
    message.unsigned(1, index)
    message.unsigned(2, gap.cause.number)
    message.signed(3, time_ms &- gap.end_ms)
    message.signed(4, gap.end_ms &- gap.begin_ms)
    message.bool(5, !gap.isDated)
  }

  private func write(_ event: SpeedEvent, _ index: UInt64, to message: inout ProtobufWriter) {
    message.unsigned(1, index)
    switch event {
    case .over(let limit_mps):
      message.unsigned(2, 1)
      message.signed(3, Compact.whole(limit_mps * 10) ?? 0)
    case .under(let top_mps, let duration_s):
      message.unsigned(2, 2)
      message.signed(3, Compact.whole(top_mps * 10) ?? 0)
      message.signed(4, Compact.whole(duration_s * 10) ?? 0)
    }
  }
}

extension MotionChange.Cause {
  /// `Cause` of docs/godwit.proto.
  fileprivate var number: UInt64 {
    switch self {
    case .fixes: 1
    case .ignition: 2
    case .stayed: 3
    case .noFix: 4
    case .foundParked: 5
    case .shifted: 6
    case .cell: 15
    case .probe: 16
    case .vibration: 17
    case .voltage: 18
    case .acceleration: 19
    }
  }
}

extension TripSummary.EndCause {
  /// `Cause` of docs/godwit.proto.
  fileprivate var number: UInt64 {
    switch self {
    case .ignition: 2
    case .stayed: 3
    case .noFix: 4
    case .superseded: 7
    case .window: 8
    case .paused: 9
    case .safeMode: 10
    case .processEnded: 11
    case .modeChanged: 12
    case .placeChanged: 13
    case .clockJump: 14
    }
  }
}

extension NoTrackCause {
  /// `Gap.Cause` of docs/godwit.proto.
  fileprivate var number: UInt64 {
    switch self {
    case .windowClosed: 1
    case .zoneUnknown: 2
    case .paused: 3
    case .safeMode: 4
    case .learningTime: 5
    case .parked: 6
    case .probeOnly: 7
    case .ignitionOff: 8
    case .noSky: 9
    case .gpsSilent: 10
    case .gpsdLost: 11
    case .undervoltage: 12
    case .restarting: 13
    case .acquiring: 14
    case .storageFailed: 15
    case .processNotRunning: 16
    case .boardOff: 17
    case .noFix: 18
    case .accuracy: 19
    case .noTime: 20
    case .fixesRefused: 21
    }
  }
}

extension GeofenceEvent.Transition {
  fileprivate var number: UInt64 {
    switch self {
    case .enter: 1
    case .exit: 2
    case .dwell: 3
    }
  }
}

extension Activity.Kind {
  fileprivate var number: UInt64 {
    switch self {
    case .parked: 1
    case .idling: 2
    case .driving: 3
    }
  }
}
