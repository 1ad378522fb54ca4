import TrackerBase
import TrackerCore
import TrackerWire

/// From what was queued and seen to what an operator asks for.
extension Replay {
  func result(of world: ReplayWorld, _ chronicle: Chronicle, openTrip: ReplayedTrip?) -> ReplayResult {
    var result = ReplayResult(
      track: track, settingsName: settingsName, settingsHash: SettingsHash.of(settings),
      changedSettings: SettingsListing.changes(in: settings, from: Settings())
        .filter { $0.key != "sync.url" }.map(\.text),
      changedAssumptions: SettingsListing.changes(in: assumptions, from: Assumptions()).map(\.text),
      span: Span(start_ms: track.start_ms, end_ms: track.end_ms))
    (result.zone, result.zoneName) = (zone, zoneName)
    result.windows = chronicle.windows
    result.motion = chronicle.motion
    result.gaps = chronicle.gaps
    result.gpsOn = world.receiver.powered.map { span in
      Span(start_ms: max(span.start_ms, track.start_ms), end_ms: min(span.end_ms, track.end_ms))
    }
    result.boardOff = world.board.off.map { span in
      Span(
        start_ms: max(span.start_ms + world.offset_ms, track.start_ms),
        end_ms: min(span.end_ms + world.offset_ms, track.end_ms))
    }
    result.requests = world.network.requests
    result.gps = settings.gps
    result.geofences = geofences
    result.stationaryRadius_m = settings.motion.stationaryRadius_m
    read(world.queue.history, into: &result)
    beginStopsAtArrival(&result)
    if let openTrip { result.trips.append(openTrip) }
    measureLine(world, into: &result)
    result.learnedWeek = world.agent.tracker.learnedWeek
    result.totals = totals(of: world, result)
    return result
  }

  private func read(_ records: [Record], into result: inout ReplayResult) {
    for record in records {
      switch record.content {
      case .position(let isJump, _): take(record.fix, isJump: isJump, into: &result)
      case .trip(let summary): result.trips.append(ReplayedTrip(summary))
      case .motion: take(motion: record, into: &result)
      case .geofence(let event):
        result.geofenceEvents.append(ReplayedGeofenceEvent(time_ms: record.time_ms, event: event))
      case .speed, .status, .warning, .activity, .gap, .incident, .unknown: break
      }
    }
    result.kept.sort { $0.time_ms < $1.time_ms }
    result.jumps.sort { $0.time_ms < $1.time_ms }
    result.trips.sort { $0.span.start_ms < $1.span.start_ms }
  }

  private func take(_ fix: Fix?, isJump: Bool, into result: inout ReplayResult) {
    guard let fix else { return }
    let point = TrackPoint(time_ms: fix.time_ms, position: fix.position)
    if isJump { result.jumps.append(point) } else { result.kept.append(point) }
  }

  /// A stop lasts from the record of its place to the record of the departure.
  private func take(motion record: Record, into result: inout ReplayResult) {
    // The fix of a departure by the key may be an hour older than that.
    let time_ms = record.time_ms
    if let last = result.stops.indices.last, result.stops[last].span.end_ms == result.span.end_ms {
      result.stops[last].span.end_ms = max(time_ms, result.stops[last].span.start_ms)
    }
    guard !record.isMoving, let fix = record.fix else { return }
    let span = Span(start_ms: min(time_ms, result.span.end_ms), end_ms: result.span.end_ms)
    result.stops.append((span, fix.position))
  }

  /// The record of a place comes when the stop is certain; the vehicle stood there since the trip ended.
  private func beginStopsAtArrival(_ result: inout ReplayResult) {
    for index in result.stops.indices {
      let earliest_ms = index > 0 ? result.stops[index - 1].span.end_ms : .min
      let known_ms = result.stops[index].span.start_ms
      let arrivals = result.trips.map(\.span.end_ms).filter { $0 <= known_ms && $0 >= earliest_ms }
      if let arrival_ms = arrivals.max() { result.stops[index].span.start_ms = arrival_ms }
    }
  }

  private func totals(of world: ReplayWorld, _ result: ReplayResult) -> ReplayTotals {
    let status = world.agent.status()
    var totals = ReplayTotals()
    totals.gpsOn_s = result.gpsOn.total_s
    totals.gpsSessions = result.gpsOn.count
    totals.probes = status.gps.probes.begun
    totals.probesUnanswered = status.gps.probes.unanswered
    totals.reports = world.receiver.reports
    totals.fixes = status.gps.fixes
    totals.rejected = Dictionary(
      uniqueKeysWithValues: status.gps.rejected.map { ($0.key.rawValue, $0.value) })
    totals.assumedFixes = world.receiver.assumedFixes
    totals.keptFixes = result.kept.count
    totals.distance_m = status.trip.odometer_m
    totals.records = world.queue.history.count
    totals.events = world.queue.history.filter(\.kind.isEvent).count
    totals.delivered = status.sync.delivered
    totals.queuedAtEnd = world.queue.count
    totals.requests = result.requests.count
    totals.requestsFailed = result.requests.filter { !$0.isDelivered }.count
    totals.bytesByFormat = world.network.bytesByFormat
    totals.formats = SyncSettings.Format.allCases.map {
      FormatBytes($0, records: world.queue.history, device: world.device)
    }
    totals.commits = world.queue.commits
    totals.energy = Energy(assumptions.current, result)
    totals.chargeADay_mAh =
      result.span.length_s > 0 ? totals.energy.total_mAh * 86_400 / result.span.length_s : 0
    totals.battery_days = assumptions.battery.days(chargeADay_mAh: totals.chargeADay_mAh)
    totals.warnings = Dictionary(uniqueKeysWithValues: status.warnings.map { ($0.name, $0.count) })
    return totals
  }
}

extension Energy {
  init(_ current: CurrentAssumptions, _ result: ReplayResult) {
    self.init()
    let gpsOn_s = result.gpsOn.total_s
    gps_mAh = current.gps_mA * gpsOn_s / 3600
    let off_s = result.boardOff.total_s
    let on_s = result.span.length_s - off_s
    let (on_mA, off_mA) = current.onAndOff_mA
    board_mAh = (on_mA * on_s + off_mA * off_s) / 3600
    let modem = current.ofModem
    modem_mAh = modem.idle_mA * on_s / 3600
    radio_mAh = modem.radio_mA * Energy.radio_s(result.requests, tail_s: modem.tail_s) / 3600
  }

  /// A request within the tail of another keeps the radio up, and does not pay for a tail of its own.
  private static func radio_s(_ requests: [ReplayedRequest], tail_s: Double) -> Double {
    var seconds = 0.0
    var upUntil_ms: Int64 = .min
    for request in requests {
      let end_ms = request.span.end_ms + milliseconds(tail_s)
      seconds += Double(max(0, end_ms - max(upUntil_ms, request.span.start_ms))) / 1000
      upUntil_ms = max(upUntil_ms, end_ms)
    }
    return seconds
  }
}

extension ReplayedTrip {
  init?(openIn tracker: Tracker) {
    guard let trip = tracker.trip, let distance_m = tracker.tripDistance_m else { return nil }
    self.init(
      id: trip.id, span: Span(start_ms: trip.start_ms, end_ms: max(trip.start_ms, trip.lastFix_ms)),
      distance_m: distance_m, topSpeed_mps: trip.topSpeed_mps, endCause: nil)
  }

  /// What the server gets.
  public init(_ summary: TripSummary) {
    self.init(
      id: summary.id, span: Span(start_ms: summary.start_ms, end_ms: summary.end_ms),
      distance_m: summary.distance_m, topSpeed_mps: summary.topSpeed_mps,
      estimated_m: summary.estimated_m, endCause: summary.endCause)
  }
}
