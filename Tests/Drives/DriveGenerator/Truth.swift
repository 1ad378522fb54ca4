extension Drive {
  /// The truth as one JSON object: totals, `trips` (`start_ms`, `end_ms`, `distance_m`, `halts`), `stops`
  /// (`start_ms`, `end_ms`, `lat`, `lon`) and `without_fix` (`start_ms`, `end_ms`: tunnels, up to the first fix
  /// again). All times are Unix milliseconds.
  public var truthJSON: String {
    let trips = self.trips.map {
      "{\"start_ms\": \($0.start_ms), \"end_ms\": \($0.end_ms), "
        + "\"distance_m\": \(fixed($0.distance_m, decimals: 1)), \"halts\": \($0.halts)}"
    }
    let stops = self.stops.map {
      "{\"start_ms\": \($0.start_ms), \"end_ms\": \($0.end_ms), "
        + "\"lat\": \(fixed($0.latitude_deg, decimals: 9)), \"lon\": \(fixed($0.longitude_deg, decimals: 9))}"
    }
    let gaps = gapsWithoutFix.map { "{\"start_ms\": \($0.lowerBound), \"end_ms\": \($0.upperBound)}" }
    return """
      {
        "seed": \(seed),
        "start_ms": \(epochs.first?.time_ms ?? 0),
        "end_ms": \(epochs.last?.time_ms ?? 0),
        "epochs": \(epochs.count),
        "epochs_with_fix": \(epochs.count { $0.hasFix }),
        "distance_m": \(fixed(distance_m, decimals: 1)),
        "trips": \(Self.list(trips)),
        "stops": \(Self.list(stops)),
        "without_fix": \(Self.list(gaps))
      }

      """
  }

  /// From the first epoch without a fix to the next with one, Unix milliseconds.
  public var gapsWithoutFix: [Range<Int64>] {
    var gaps: [Range<Int64>] = []
    var begin_ms: Int64?
    for epoch in epochs {
      if !epoch.hasFix && begin_ms == nil { begin_ms = epoch.time_ms }
      if epoch.hasFix, let begin = begin_ms {
        gaps.append(begin..<epoch.time_ms)
        begin_ms = nil
      }
    }
    if let begin = begin_ms, let last = epochs.last { gaps.append(begin..<last.time_ms + 1000) }
    return gaps
  }

  private static func list(_ rows: [String]) -> String {
    rows.isEmpty ? "[]" : "[\n    " + rows.joined(separator: ",\n    ") + "\n  ]"
  }
}
