import TrackerBase

/// What `godwit geofence` prints. Of positions it says nothing.
public enum GeofenceReport {
  /// A line a fence, in the order of the file: id, shape, area, and what is reported of it.
  public static func list(_ fences: [Geofence], at time_ms: Int64) -> String {
    let rows = fences.map { [$0.id, shape($0), area($0), reported($0, at: time_ms)] }
    return table([["id", "shape", "area", "reported"]] + rows)
  }

  /// A line a fence: those that hold `position`, the deepest first, then the others, the nearest first.
  public static func test(_ fences: [Geofence], at position: Position, _ time_ms: Int64) -> String {
    let depths = fences.map { ($0, depth_m: $0.depth_m(of: position)) }
    let rows = depths.sorted { $0.depth_m > $1.depth_m }.map { fence, depth_m in
      [
        depth_m > 0 ? "inside" : "outside", fence.id, "\(length(depth_m.magnitude)) from the edge",
        fence.hasExpired(at: time_ms) ? "expired" : "",
      ]
    }
    return table(rows)
  }

  private static func shape(_ fence: Geofence) -> String {
    switch fence.shape {
    case .circle(_, let radius_m): "circle of \(length(radius_m))"
    case .polygon(let polygon): "polygon, \(polygon.corners) edges"
    }
  }

  private static func area(_ fence: Geofence) -> String {
    fence.area_m2 < 1e6
      ? "\(Int64(saturating: fence.area_m2.rounded())) m²" : "\(fixed(fence.area_m2 / 1e6, decimals: 2)) km²"
  }

  private static func reported(_ fence: Geofence, at time_ms: Int64) -> String {
    var words: [String] = []
    if fence.notifyOnEntry { words.append("ENTER") }
    if fence.notifyOnExit { words.append("EXIT") }
    if fence.notifyOnDwell { words.append("DWELL after \(SettingText.number(fence.loiteringDelay_s)) s") }
    if words.isEmpty { words.append("nothing") }
    if let expires_ms = fence.expires_ms {
      words.append(
        fence.hasExpired(at: time_ms) ? "expired" : "until \(ISO8601.text(ms: expires_ms))")
    }
    return words.joined(separator: ", ")
  }

  private static func length(_ length_m: Double) -> String {
    length_m < 10_000
      ? "\(Int64(saturating: length_m.rounded())) m" : "\(Int64(saturating: (length_m / 1000).rounded())) km"
  }

  private static func table(_ rows: [[String]]) -> String {
    let columns = rows.first?.count ?? 0
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (text, width) in zip(row, widths) {
        line += text + String(repeating: " ", count: width - text.count + 2)
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
